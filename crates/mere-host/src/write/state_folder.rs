//! A folder in the user's state folder, for records that are too many for one file.
//!
//! It is as private as the state folder itself: neither may belong to another user or be writable
//! for others.

use std::io;
use std::path::{Path, PathBuf};

use super::locked_folder::{LockedFolder, WriteError, open_own_folder};
use crate::none_if_missing;

/// A folder in the user's state folder. It is made when it is first locked.
#[derive(Clone, Debug)]
pub struct StateFolder {
    state: PathBuf,
    folder: PathBuf,
}

impl StateFolder {
    pub(crate) fn new(state: &Path, name: &str) -> Self {
        Self { state: state.to_owned(), folder: state.join(name) }
    }

    /// Reads a file without the lock, which is safe because replacement is atomic. A file that
    /// cannot be read is an error and not mistaken for a missing one.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        match none_if_missing(open_own_folder(&self.state))? {
            Some(_) => LockedFolder::read_unlocked(&self.folder, name),
            None => Ok(None),
        }
    }

    /// Creates the folder if needed, and waits for its lock.
    pub fn lock(&self) -> Result<LockedFolder, WriteError> {
        none_if_missing(open_own_folder(&self.state))?;
        LockedFolder::open(&self.folder)
    }

    /// Returns the path of a file in it, for people.
    pub fn display_path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}
