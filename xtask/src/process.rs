//! The programs that are run: which parts of this machine they see, and how long one takes.
//!
//! They get an empty home and only `PATH` from the environment.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bench_folder;

/// A command-line program that does what one of the tools does.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    version: String,
    path: PathBuf,
}

/// Returns the programs that are installed, and how to install those that are not.
pub(crate) fn find_installed(at: &Path) -> (Vec<Program>, Vec<&'static str>) {
    let mut missing = Vec::new();
    let known = [
        ("fd", "fd (cargo install fd-find --locked --root target/peers)"),
        ("rg", "rg (cargo install ripgrep --locked --root target/peers)"),
    ];
    let found = known.into_iter().filter_map(|(name, hint)| {
        let path = at.join("bin").join(name);
        if path.exists() {
            return Some(Program { name, version: version(&path), path });
        }
        missing.push(hint);
        None
    });
    (found.collect(), missing)
}

impl Program {
    /// Returns its name and version.
    pub(crate) fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Runs it in a folder. The time counts from the start of the process until it has ended and
    /// all its output is read.
    pub(crate) fn run(&self, folder: &Path, arguments: &[&str]) -> (Duration, String) {
        let mut command = command(&self.path, folder);
        // Standard input is empty, because `rg` would search a pipe instead of the folder.
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped());
        let mut stdout = Vec::new();
        let began = Instant::now();
        let mut child = command.spawn().expect("the program starts");
        let output = child.stdout.as_mut().expect("its output");
        output.read_to_end(&mut stdout).expect("what it says");
        let ended = child.wait().expect("its end");
        let took = began.elapsed();
        assert!(ended.success(), "{} {arguments:?}: {ended}", self.name);
        (took, String::from_utf8(stdout).expect("UTF-8"))
    }
}

/// Builds a command in a corpus. It sees an empty home and none of this machine's settings.
pub(crate) fn command(program: &Path, folder: &Path) -> Command {
    let mut command = Command::new(program);
    command.current_dir(folder).env_clear().env("HOME", bench_folder::home_for(folder));
    command.envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
    command
}

/// Returns the second word of the program's `--version` output.
pub(crate) fn version(program: &Path) -> String {
    let stdout = Command::new(program).arg("--version").output();
    let stdout = stdout.map(|stdout| stdout.stdout).unwrap_or_default();
    let stdout = String::from_utf8_lossy(&stdout);
    stdout.split_whitespace().nth(1).unwrap_or("?").to_owned()
}
