//! This program as a server of its own, in a folder that is made for it and removed with it.
//!
//! `mere torture` starts such servers, asks them, and kills them. `mere connect` starts the server
//! that a client would start, to see whether it answers.

use std::fs;
use std::io::{self, BufRead, BufReader, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::Folder;

/// A folder with a project and a home folder, which is removed when it is dropped.
pub struct ScratchFolder(PathBuf);

impl ScratchFolder {
    /// Creates it among the temporary files of this machine.
    pub fn create() -> io::Result<Self> {
        let name = format!("mere-torture-{}", uuid::Uuid::new_v4().simple());
        let folder = Self(std::env::temp_dir().join(name));
        fs::create_dir(&folder.0)?;
        for name in ["home", "project/.git"] {
            fs::create_dir_all(folder.0.join(name))?;
        }
        Ok(folder)
    }
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "the scratch folder could not be removed");
        }
    }
}

/// A server that is asked one line at a time.
pub struct ServerProcess {
    child: Arc<Mutex<Child>>,
    requests: ChildStdin,
    replies: BufReader<ChildStdout>,
    /// Once it is dropped, nobody waits any more to kill the server.
    deadline: Option<Sender<()>>,
}

/// Kills a server.
#[derive(Clone)]
pub struct ServerKiller(Arc<Mutex<Child>>);

impl ServerProcess {
    /// Starts this program with some arguments in the project of a scratch folder. It knows nothing
    /// of the environment but where programs are.
    pub fn start(folder: &ScratchFolder, arguments: &[&str]) -> io::Result<Self> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .args(arguments)
            .current_dir(folder.0.join("project"))
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("HOME", folder.0.join("home"));
        Self::spawn(command)
    }

    /// Starts a server as a client does, in a folder and with the environment of this process. It is
    /// killed after a while.
    pub fn start_for_check(
        (program, arguments): (&str, &[String]),
        folder: Option<&Folder>,
        patience: Duration,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments);
        if let Some(folder) = folder {
            command.current_dir(folder.path());
        }
        let mut server = Self::spawn(command)?;
        let (sender, receiver) = channel();
        let killer = server.killer();
        std::thread::spawn(move || {
            if receiver.recv_timeout(patience) == Err(RecvTimeoutError::Timeout) {
                killer.kill();
            }
        });
        server.deadline = Some(sender);
        Ok(server)
    }

    fn spawn(mut command: Command) -> io::Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let pipes = child.stdin.take().zip(child.stdout.take());
        let (requests, replies) = pipes.ok_or(io::ErrorKind::BrokenPipe)?;
        let child = Arc::new(Mutex::new(child));
        Ok(Self { child, requests, replies: BufReader::new(replies), deadline: None })
    }

    /// Returns what kills it, also from another thread.
    pub fn killer(&self) -> ServerKiller {
        ServerKiller(Arc::clone(&self.child))
    }

    /// Sends a line. A server that has ended makes this an error.
    pub fn send(&mut self, line: &str) -> io::Result<()> {
        self.requests.write_all(line.as_bytes())?;
        self.requests.write_all(b"\n")?;
        self.requests.flush()
    }

    /// Waits for the next whole line. A server that ends before makes this an error.
    pub fn receive(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.replies.read_line(&mut line)?;
        if line.ends_with('\n') { Ok(line) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
    }
}

impl ServerKiller {
    /// Kills the server without a warning, as `kill -9` does. Returns false if it had ended.
    pub fn kill(&self) -> bool {
        let mut child = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_running = matches!(child.try_wait(), Ok(None));
        is_running && child.kill().is_ok() && child.wait().is_ok()
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        self.killer().kill();
    }
}
