//! A person at a terminal of their own, who answers what is asked.

use std::fs;
use std::io::{ErrorKind, Read, Write};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::harness::Stage;

/// How long a question may take to appear.
const PATIENCE: Duration = Duration::from_mins(1);

/// `mere` on a terminal.
pub(crate) struct Typist {
    child: Child,
    input: ChildStdin,
    output: Receiver<Vec<u8>>,
    printed: String,
    /// How much of it was waited for.
    seen: usize,
    /// The file of the exit status.
    status: PathBuf,
}

/// A number for each terminal.
fn unique_number() -> usize {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

impl Typist {
    /// Starts `mere` with these words, in the stage's project.
    pub(crate) fn start(stage: &Stage, words: &str) -> Self {
        Self::start_with(stage, words, &[])
    }

    /// The same with more of an environment.
    pub(crate) fn start_with(stage: &Stage, words: &str, variables: &[(&str, &str)]) -> Self {
        let mut script = Command::new("script");
        // `script` sometimes loses the status of what a signal has ended, so the shell writes it.
        let status = stage.path(&format!("typed-{}", unique_number()));
        let mere = env!("CARGO_BIN_EXE_mere");
        let line = format!("trap : INT; {mere} {words}; echo $? > '{}'", status.display());
        script.args(["-qec", &line, "/dev/null"]).current_dir(stage.path("project"));
        script.env_clear().env("HOME", stage.path("home")).env("SHELL", "/bin/sh");
        script.env("PATH", "/usr/bin:/bin").envs(variables.iter().copied());
        script.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = script.spawn().expect("script runs");
        let input = child.stdin.take().expect("its input");
        let mut shown = child.stdout.take().expect("its output");
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = [0; 4096];
            loop {
                match shown.read(&mut buffer) {
                    // A signal is no end of what is shown.
                    Err(error) if error.kind() == ErrorKind::Interrupted => {}
                    Ok(0) | Err(_) => return,
                    Ok(read) if sender.send(buffer[..read].to_vec()).is_err() => return,
                    Ok(_) => {}
                }
            }
        });
        Self { child, input, output, printed: String::new(), seen: 0, status }
    }

    /// Waits for a question, and types a line.
    pub(crate) fn answer(&mut self, question: &str, line: &str) {
        self.wait_for(question);
        self.press(&format!("{line}\n"));
    }

    /// Presses keys.
    pub(crate) fn press(&mut self, keys: &str) {
        self.input.write_all(keys.as_bytes()).and_then(|()| self.input.flush()).expect("typed");
    }

    /// Waits until something is shown that was not there before.
    pub(crate) fn wait_for(&mut self, words: &str) {
        let until = Instant::now() + PATIENCE;
        loop {
            if let Some(at) = self.printed[self.seen..].find(words) {
                self.seen += at + words.len();
                return;
            }
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.printed.push_str(&String::from_utf8_lossy(&bytes)),
                Err(error) => panic!("{words:?} was not shown, {error}: {:?}", self.printed),
            }
        }
    }

    /// Waits for the end: the exit status, and everything that was shown.
    pub(crate) fn finish(mut self) -> (i32, String) {
        while let Ok(bytes) = self.output.recv_timeout(PATIENCE) {
            self.printed.push_str(&String::from_utf8_lossy(&bytes));
        }
        drop(self.input);
        self.child.wait().expect("it ends");
        let status = fs::read_to_string(&self.status).expect("an exit status");
        fs::remove_file(&self.status).expect("the file of the status");
        let status = status.trim().parse().expect("a number");
        (status, self.printed.replace("\r\n", "\n"))
    }
}
