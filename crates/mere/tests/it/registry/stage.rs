//! A registry of one test: where it is, its operator and its servers.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use mere_core::log::VerifierKey;
use tempfile::TempDir;

use super::author::Author;
use super::client::Client;
use super::servers;

/// What a registry is built on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Backend {
    SqliteFiles,
    PostgresBucket,
}

/// A registry with the account `ada`, her public namespace `ada` and her private one `hidden`.
pub(super) struct RegistryStage {
    pub(super) folder: TempDir,
    pub(super) database: String,
    pub(super) blobs: String,
    pub(super) author: Author,
}

/// A server that runs until it is dropped.
pub(super) struct RunningServer {
    child: Child,
    pub(super) client: Client,
    /// The second line that it printed.
    pub(super) key_line: String,
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl RunningServer {
    /// Starts a server and waits until it says where it listens.
    pub(super) fn start(mut command: Command) -> Self {
        let start = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut lines = BufReader::new(child.stdout.take().expect("its output")).lines();
        let mut line = || lines.next().expect("a line").expect("text");
        let address = line().trim_start_matches("http://").to_owned();
        let key_line = line();
        assert!(start.elapsed() < Duration::from_secs(20), "a server is slow to start");
        Self { child, client: Client::new(&address), key_line }
    }

    /// Kills the server without a warning.
    pub(super) fn kill(&mut self) {
        self.child.kill().expect("a running server");
        self.child.wait().expect("an end");
    }

    /// Tells the server to stop, and returns whether it ended well.
    pub(super) fn stop(&mut self) -> bool {
        let id = rustix::process::Pid::from_child(&self.child);
        rustix::process::kill_process(id, rustix::process::Signal::TERM).expect("a signal");
        self.child.wait().expect("an end").success()
    }
}

impl RegistryStage {
    pub(super) fn new(backend: Backend) -> Self {
        let folder = TempDir::new().expect("a folder");
        let at = folder.path().display();
        let (database, blobs) = match backend {
            Backend::SqliteFiles => {
                (format!("sqlite:{at}/registry.db"), format!("file:{at}/blobs"))
            }
            Backend::PostgresBucket => (servers::new_database(), servers::new_bucket()),
        };
        let stage = Self { folder, database, blobs, author: Author::new(7) };
        stage.operate(&["user", "add", "ada"]);
        stage.operate(&["namespace", "create", "ada", "--owner", "ada"]);
        stage.operate(&["namespace", "create", "hidden", "--owner", "ada", "--private"]);
        let key = stage.folder.path().join("ada.pub");
        std::fs::write(&key, stage.author.public_line()).expect("a key");
        let key = key.to_str().expect("a path");
        stage.operate(&["key", "add", "ada", key]);
        stage.operate(&["key", "add", "hidden", key]);
        stage
    }

    /// The command `mere registry` with these arguments, in the environment of the stage.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mere"));
        command.arg("registry").args(arguments);
        command.args(["--database", &self.database, "--blobs", &self.blobs]);
        command.env_clear().env("HOME", self.folder.path()).env("PATH", "/usr/bin:/bin");
        command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test");
        command.stdin(Stdio::null());
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("the program runs")
    }

    /// Runs an operator's command that succeeds, and returns what it prints.
    #[track_caller]
    pub(super) fn operate(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {errors}");
        String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
    }

    pub(super) fn token(&self, scopes: &[&str]) -> String {
        let mut arguments = vec!["token", "create", "--user", "ada"];
        arguments.extend(scopes.iter().flat_map(|scope| ["--scope", scope]));
        self.operate(&arguments)
    }

    pub(super) fn serve(&self, arguments: &[&str]) -> RunningServer {
        let mut all = vec!["serve", "--listen", "127.0.0.1:0", "--log", "error"];
        all.extend(arguments);
        RunningServer::start(self.command(&all))
    }

    /// Asserts that the log, the tables and the blobs agree.
    #[track_caller]
    pub(super) fn assert_audited(&self) {
        let output = self.run(&["audit"]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    }
}

/// Reads the key of a registry's log from what it says about itself.
pub(super) fn log_key(client: &Client) -> VerifierKey {
    let info = client.get("/api/v1/registry").json();
    info["log_key"].as_str().expect("a key").parse().expect("a verifier key")
}
