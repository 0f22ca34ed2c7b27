//! The folder of a mirror: read as a registry, and written by `mere mirror`.
//!
//! It is opened once, and every file is reached from its handle along plain names. A symbolic link
//! is never followed.

use std::io;

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use mere_core::address::RelPath;

use crate::net::registry_url::RegistryPath;
use crate::{
    Environment, FolderWriter, OpenFolder, TypedPath, WritePrecondition, none_if_missing,
    open_regular_file, read_at_most,
};

/// The folder of a mirror, open.
pub struct RegistryFolder(Dir);

impl RegistryFolder {
    /// Opens the folder of a mirror.
    pub fn open(path: &RegistryPath) -> io::Result<Self> {
        Dir::open_ambient_dir(path.path(), ambient_authority()).map(Self)
    }

    /// Opens the folder that a person named for a new mirror, and creates it if needed.
    pub fn create(typed: &TypedPath, environment: &Environment) -> io::Result<Self> {
        let path = typed.resolve_from(environment.working_directory())?;
        std::fs::create_dir_all(&path)?;
        Dir::open_ambient_dir(path, ambient_authority()).map(Self)
    }

    /// Reads a file. Returns `None` if there is none, and an error if it has more than `most` bytes.
    pub fn read(&self, path: &RelPath, most: u64) -> io::Result<Option<Vec<u8>>> {
        let Some((parents, name)) = path.split_last() else { return Ok(None) };
        let Some(folder) = OpenFolder::find(&self.0, parents.as_str())? else { return Ok(None) };
        let file = none_if_missing(open_regular_file(&folder.into_dir(), name.as_str()))?;
        let Some(file) = file.flatten() else { return Ok(None) };
        read_at_most(file, most)?.map(Some).ok_or_else(|| io::ErrorKind::FileTooLarge.into())
    }

    /// Locks the folder for writing. Returns `None` once `is_cancelled` returns true.
    pub fn lock(
        &self,
        is_cancelled: &dyn Fn() -> bool,
    ) -> io::Result<Option<RegistryFolderWriter>> {
        Ok(FolderWriter::open(&self.0, is_cancelled)?.map(RegistryFolderWriter))
    }
}

/// The folder of a mirror, locked for writing.
pub struct RegistryFolderWriter(FolderWriter);

impl RegistryFolderWriter {
    /// Checks whether a file is there.
    pub fn has_file(&self, path: &RelPath) -> io::Result<bool> {
        self.0.has_path(path)
    }

    /// Puts a file at a path, whole or not at all.
    pub fn put(&self, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
        self.0.put(path, bytes, WritePrecondition::Any).map(|_| ())
    }
}
