//! The folders in which this program keeps what is its own: keys, approvals, data and the cache.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::{Environment, PROGRAM_FOLDER, absolute_path_variable, nonempty_variable};
use crate::folder::{Folder, FolderIdentity};
use crate::{Cache, LockedFolder, StateFolder, WatchedFiles, WriteError};

/// The folders that no root shows.
pub(super) struct PrivateFolders {
    config: Option<PathBuf>,
    /// Where keys lie by default. It is hidden even if another folder is configured.
    default_config: Option<PathBuf>,
    state: Option<PathBuf>,
    data: Option<PathBuf>,
    cache: Option<PathBuf>,
}

impl PrivateFolders {
    pub(super) fn read(home: Option<&Path>) -> io::Result<Self> {
        let base = |name: &str, fallback: &str| {
            let given =
                nonempty_variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
            let base = given.or_else(|| home.map(|home| home.join(fallback)));
            base.map(|base| base.join(PROGRAM_FOLDER))
        };
        let usual_config = base("XDG_CONFIG_HOME", ".config");
        Ok(Self {
            config: absolute_path_variable("MERE_CONFIG_DIR")?.or_else(|| usual_config.clone()),
            default_config: usual_config,
            state: base("XDG_STATE_HOME", ".local/state"),
            data: base("XDG_DATA_HOME", ".local/share"),
            cache: base("XDG_CACHE_HOME", ".cache"),
        })
    }
}

/// One of the folders in which this program keeps what is its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OwnFolder {
    /// What can be made again: search indexes.
    Cache,
    /// Approvals, grants, receipts, and what was seen.
    State,
    /// Models, packages of tools, and the data of a registry.
    Data,
    /// Keys, trusted keys, secrets and tokens.
    Config,
    /// The user's own items.
    UserSpace,
}

impl OwnFolder {
    /// All of them, what matters least first.
    pub const ALL: [Self; 5] =
        [Self::Cache, Self::State, Self::Data, Self::Config, Self::UserSpace];

    /// Returns the name of the folder.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cache => "cache",
            Self::State => "state",
            Self::Data => "data",
            Self::Config => "config",
            Self::UserSpace => "user space",
        }
    }

    /// Says what the folder holds.
    pub fn contents(self) -> &'static str {
        match self {
            Self::Cache => "search indexes, which can be made again",
            Self::State => "approvals, grants, receipts and remembered versions",
            Self::Data => "models, packages of tools, and the data of a registry on this machine",
            Self::Config => "your keys, trusted keys, secrets and tokens",
            Self::UserSpace => "your own items",
        }
    }
}

impl Environment {
    fn own_path(&self, folder: OwnFolder) -> Option<&Path> {
        let PrivateFolders { config, state, data, cache, .. } = &self.private_folders;
        match folder {
            OwnFolder::Cache => cache.as_deref(),
            OwnFolder::State => state.as_deref(),
            OwnFolder::Data => data.as_deref(),
            OwnFolder::Config => config.as_deref(),
            OwnFolder::UserSpace => self.user_space.as_deref(),
        }
    }

    /// Returns the path of a folder for people, whether or not it exists. Returns `None` if the
    /// environment gives it no place.
    pub fn display_own_folder(&self, folder: OwnFolder) -> Option<String> {
        self.own_path(folder).map(|path| path.display().to_string())
    }

    /// Checks whether a folder exists.
    pub fn has_own_folder(&self, folder: OwnFolder) -> bool {
        self.own_path(folder).is_some_and(|path| path.symlink_metadata().is_ok())
    }

    /// Removes a folder with everything in it. If it is a link, only the link is removed.
    pub fn remove_own_folder(&self, folder: OwnFolder) -> io::Result<()> {
        let Some(path) = self.own_path(folder) else { return Ok(()) };
        match path.symlink_metadata() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
            Ok(found) if found.is_dir() => fs::remove_dir_all(path),
            Ok(_) => fs::remove_file(path),
        }
    }

    /// Adds a file of the state folder, which holds approvals, to the watched files.
    pub fn watch_state_file(&self, name: &str, watched: &mut WatchedFiles) {
        watched.add(&self.private_folders.state.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// Adds a file of the config folder, which holds keys and the trust store, to the watched
    /// files.
    pub fn watch_config_file(&self, name: &str, watched: &mut WatchedFiles) {
        watched.add(&self.private_folders.config.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// Locks the folder where approvals are kept. Returns `None` if the environment gives it no
    /// place.
    pub fn lock_state(&self) -> Option<Result<LockedFolder, WriteError>> {
        self.private_folders.state.as_deref().map(LockedFolder::open)
    }

    /// Returns a folder in the folder where approvals are kept. Returns `None` if the environment
    /// gives it no place.
    pub fn state_folder(&self, name: &str) -> Option<StateFolder> {
        self.private_folders.state.as_deref().map(|state| StateFolder::new(state, name))
    }

    /// Locks the folder where keys and tokens are kept. Returns `None` if the environment gives it
    /// no place.
    pub fn lock_config(&self) -> Option<Result<LockedFolder, WriteError>> {
        self.private_folders.config.as_deref().map(LockedFolder::open)
    }

    pub(crate) fn config_path(&self) -> Option<&Path> {
        self.private_folders.config.as_deref()
    }

    /// Returns the path of a file in the config folder for people.
    pub fn display_config_file(&self, name: &str) -> String {
        let folder = self.private_folders.config.as_deref().unwrap_or(Path::new(""));
        folder.join(name).display().to_string()
    }

    /// Reads a file of the config folder. Returns `None` if it is missing or cannot be read.
    pub fn read_config_or_none(&self, name: &str) -> Option<Vec<u8>> {
        self.private_folders
            .config
            .as_deref()
            .and_then(|folder| LockedFolder::read_unlocked_or_none(folder, name))
    }

    /// Reads a file of the config folder. A file that cannot be read is an error and not mistaken
    /// for a missing one.
    pub fn read_config(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.private_folders
            .config
            .as_deref()
            .map_or(Ok(None), |folder| LockedFolder::read_unlocked(folder, name))
    }

    /// Reads a file of the state folder. Returns `None` if it is missing or cannot be read.
    pub fn read_state_or_none(&self, name: &str) -> Option<Vec<u8>> {
        self.private_folders
            .state
            .as_deref()
            .and_then(|state| LockedFolder::read_unlocked_or_none(state, name))
    }

    /// Reads a file of the state folder. A file that cannot be read is an error and not mistaken for
    /// a missing one.
    pub fn read_state(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.private_folders
            .state
            .as_deref()
            .map_or(Ok(None), |folder| LockedFolder::read_unlocked(folder, name))
    }

    pub(crate) fn state_path(&self) -> Option<&Path> {
        self.private_folders.state.as_deref()
    }

    pub(crate) fn data_path(&self) -> Option<&Path> {
        self.private_folders.data.as_deref()
    }

    /// Returns the cache, which holds only what can be made again. Returns `None` if the
    /// environment gives it no place.
    pub fn cache(&self) -> Option<Cache> {
        self.private_folders.cache.clone().map(Cache::new)
    }

    /// Opens the folder of the cache, or the nearest one above it that exists.
    pub fn cache_folder(&self) -> Option<Folder> {
        let path = self.private_folders.cache.as_deref()?;
        path.ancestors().find_map(|path| Folder::open(path).ok())
    }

    /// Returns the identities of the folders that no root shows and that exist now.
    pub fn private_identities(&self) -> io::Result<Vec<FolderIdentity>> {
        let mut found = Vec::new();
        for path in self.private_paths() {
            found.extend(FolderIdentity::from_path(path)?);
        }
        Ok(found)
    }

    pub(crate) fn private_paths(&self) -> impl Iterator<Item = &Path> {
        let PrivateFolders { config, default_config: usual_config, state, data, cache } =
            &self.private_folders;
        [config, usual_config, state, data, cache].into_iter().flatten().map(PathBuf::as_path)
    }
}
