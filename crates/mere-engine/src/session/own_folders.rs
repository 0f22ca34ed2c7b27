//! The folders in which this program keeps what is its own, for the person who wants to see or remove
//! them. Unlike agent-facing replies, this names host paths.

use std::io;

use mere_host::{Environment, EnvironmentError, OwnFolder};

/// The folders of this program on this machine.
pub struct OwnFolders(Environment);

impl OwnFolders {
    /// Finds the folders.
    pub fn find() -> Result<Self, EnvironmentError> {
        Environment::read(None).map(Self)
    }

    /// Returns the folders that exist, each with its path.
    pub fn existing(&self) -> Vec<(OwnFolder, String)> {
        let folders = OwnFolder::ALL.into_iter().filter(|folder| self.0.has_own_folder(*folder));
        folders.filter_map(|folder| Some((folder, self.0.display_own_folder(folder)?))).collect()
    }

    /// Removes a folder with everything in it.
    pub fn remove(&self, folder: OwnFolder) -> io::Result<()> {
        self.0.remove_own_folder(folder)
    }
}
