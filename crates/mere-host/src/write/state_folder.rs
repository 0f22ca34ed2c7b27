//! A folder in the user's state folder, for records that are too many for one file.
//!
//! It is as private as the state folder itself: neither may belong to another user or be writable
//! for others.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::OpenOptions;

use super::line_log::Durability;
use super::locked_folder::{LockedFolder, WriteError, create_private_folder, open_own_folder};
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

    /// Tells whether the folder was made.
    pub fn is_made(&self) -> bool {
        open_own_folder(&self.folder).is_ok()
    }

    /// Creates the folder if needed, and waits for its lock.
    pub fn lock(&self) -> Result<LockedFolder, WriteError> {
        none_if_missing(open_own_folder(&self.state))?;
        LockedFolder::open(&self.folder)
    }

    /// Creates the folder if needed, and fails if nothing could be written to it.
    pub fn check_writable(&self) -> io::Result<()> {
        none_if_missing(open_own_folder(&self.state))?;
        create_private_folder(&self.folder)?;
        let dir = open_own_folder(&self.folder)?;
        #[cfg(unix)]
        {
            use rustix::fs::{Access, AtFlags};
            let access = Access::WRITE_OK | Access::EXEC_OK;
            rustix::fs::accessat(&dir, ".", access, AtFlags::EACCESS)?;
        }
        drop(dir);
        Ok(())
    }

    /// Overwrites a file in place with as many bytes as it has. The caller holds a lock that keeps
    /// others from doing the same.
    pub fn overwrite(&self, name: &str, bytes: &[u8], durability: Durability) -> io::Result<()> {
        let dir = open_own_folder(&self.folder)?;
        let mut options = OpenOptions::new();
        options.write(true).follow(FollowSymlinks::No).nonblock(true);
        let mut file = dir.open_with(name, &options)?;
        let metadata = file.metadata()?;
        if !metadata.is_file() || metadata.len() != bytes.len() as u64 {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "it has the wrong length"));
        }
        file.write_all(bytes)?;
        match durability {
            Durability::Synced => file.sync_data(),
            Durability::Buffered => Ok(()),
        }
    }

    pub(super) fn path(&self) -> &Path {
        &self.folder
    }

    /// Returns the path of a file in it, for people.
    pub fn display_path(&self, name: &str) -> String {
        self.folder.join(name).display().to_string()
    }
}
