//! A program of the user's own that fetches packages: pip or npm.
//!
//! Its last error line is returned. Its progress is shown only if standard error is a terminal.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// The commands for pip, in order of preference.
const PIP_COMMANDS: [&[&str]; 5] = [
    &["python3", "-m", "pip"],
    &["python", "-m", "pip"],
    &["pip3"],
    &["pip"],
    &["uv", "tool", "run", "pip"],
];
/// How much of a fetcher's error output is read.
const MAX_ERROR_BYTES: u64 = 64 * 1024;

/// A fetcher that was found to work.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fetcher(&'static [&'static str]);

/// How a fetcher ended.
pub(super) enum FetchOutcome {
    Succeeded,
    /// With the last line of its error output.
    Failed(String),
}

impl Fetcher {
    /// Finds the first pip that works.
    pub(super) fn find_pip(folder: &Path) -> Option<Self> {
        PIP_COMMANDS.into_iter().map(Self).find(|pip| pip.is_available(folder))
    }

    /// Returns the user's npm, if it works.
    pub(super) fn find_npm(folder: &Path) -> Option<Self> {
        Some(Self(&["npm"])).filter(|npm| npm.is_available(folder))
    }

    /// Builds its command, to be run in `folder`. Nobody else may write there, because Python looks
    /// for its modules there first.
    pub(super) fn command(self, folder: &Path) -> Command {
        let mut command = Command::new(self.0[0]);
        command.args(&self.0[1..]).current_dir(folder).stdin(Stdio::null());
        command
    }

    fn is_available(self, folder: &Path) -> bool {
        let mut command = self.command(folder);
        command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    }
}

/// Runs a fetcher to its end.
pub(super) fn run_to_end(command: &mut Command) -> io::Result<FetchOutcome> {
    let shown = io::stderr().is_terminal();
    command.stdout(if shown { io::stderr().into() } else { Stdio::null() });
    let mut child = command.stderr(Stdio::piped()).spawn()?;
    let mut error_text = Vec::new();
    if let Some(mut output) = child.stderr.take() {
        output.by_ref().take(MAX_ERROR_BYTES).read_to_end(&mut error_text)?;
        io::copy(&mut output, &mut io::sink())?;
    }
    if child.wait()?.success() {
        return Ok(FetchOutcome::Succeeded);
    }
    let error_text = String::from_utf8_lossy(&error_text);
    let last = error_text.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
    Ok(FetchOutcome::Failed(last.trim().to_owned()))
}
