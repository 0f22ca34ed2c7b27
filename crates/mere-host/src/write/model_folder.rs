//! The folder of models that a person fetched.
//!
//! The variable that holds an API key, and files that a person hands in, are read here too.

use std::io;
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File};
use mere_core::request::{PersonFile, Secret};

use crate::{
    Environment, LockedFolder, TypedPath, WatchedFiles, WriteError, none_if_missing,
    open_regular_file, read_at_most,
};

/// The folder below the user's data.
const MODELS_FOLDER: &str = "models";
/// The largest model in bytes.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The folder of fetched models.
#[derive(Clone, Debug)]
pub struct ModelFolder(PathBuf);

impl ModelFolder {
    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// Returns the path of a model for people.
    pub fn display_path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    /// Returns the size of a model, or `None` if it does not exist.
    pub fn size(&self, name: &str) -> Option<u64> {
        let metadata = std::fs::symlink_metadata(self.0.join(name)).ok();
        metadata.filter(std::fs::Metadata::is_file).map(|metadata| metadata.len())
    }

    /// Reads a model. Returns `None` if it does not exist or is too large to be one.
    pub fn read(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        let dir = none_if_missing(Dir::open_ambient_dir(&self.0, ambient_authority()))?;
        let file = dir.map(|dir| none_if_missing(open_regular_file(&dir, name))).transpose()?;
        file.flatten().flatten().map_or(Ok(None), |file| read_at_most(file, MAX_BYTES))
    }

    /// Saves a model in place of what was there.
    pub fn save(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        LockedFolder::open(&self.0)?.replace(name, bytes)
    }

    /// Removes a model and returns whether it existed.
    pub fn remove(&self, name: &str) -> Result<bool, WriteError> {
        if self.size(name).is_none() {
            return Ok(false);
        }
        let locked = LockedFolder::open(&self.0)?;
        Ok(none_if_missing(locked.dir().remove_file(name))?.is_some())
    }
}

impl Environment {
    /// Returns the folder of fetched models, or `None` if the environment gives it no place.
    pub fn model_folder(&self) -> Option<ModelFolder> {
        self.data_path().map(|data| ModelFolder(data.join(MODELS_FOLDER)))
    }

    /// Adds a model's file to the watched files: it may appear, change and disappear.
    pub fn watch_model_file(&self, name: &str, watched: &mut WatchedFiles) {
        let folder = self.model_folder().map(|models| models.0);
        watched.add(&folder.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// Returns the value of a variable that a person configured, or `None` if it is empty or not
    /// Unicode.
    pub fn read_secret_variable(&self, variable: &str) -> Option<Secret> {
        let key = std::env::var(variable).ok().filter(|key| !key.is_empty());
        key.map(Secret::new)
    }

    /// Reads a file that a person named. Returns `None` if it has more than `most` bytes.
    pub fn read_person_file(&self, file: &PersonFile, most: u64) -> io::Result<Option<Vec<u8>>> {
        let path =
            TypedPath::from(file.as_typed().to_owned()).resolve_from(self.working_directory())?;
        read_at_most(File::from_std(std::fs::File::open(path)?), most)
    }
}
