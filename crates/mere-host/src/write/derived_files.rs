//! Files that can be made again: the index of a space, and what the user's cache keeps about it.
//!
//! They are replaced whole, but not made durable: after a power cut they are made again. The names
//! of temporary files, and their removal, are defined here for all of mere-host.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use uuid::Uuid;

use crate::{Folder, open_regular_file};

/// The prefix of a temporary file's name.
pub(super) const TEMPORARY_PREFIX: &str = ".new-";
/// How old a temporary file must be before it counts as left by a killed process.
pub(super) const ABANDONED_AFTER: Duration = Duration::from_hours(1);

/// The folder for texts saved under their digests.
const SAVED_TEXTS_FOLDER: &str = "signed";

/// The user's cache folder.
#[derive(Clone)]
pub struct Cache(PathBuf);

impl Cache {
    pub(crate) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// Returns a folder of the cache. It is made when something is written.
    #[must_use]
    pub fn folder(&self, name: &str) -> Self {
        Self(self.0.join(name))
    }

    /// Reads a file of the cache. Returns `None` if it is missing, unreadable or larger than `most`
    /// bytes.
    pub fn read(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let dir = Dir::open_ambient_dir(&self.0, ambient_authority()).ok()?;
        let file = open_regular_file(&dir, name).ok().flatten()?;
        crate::read_at_most(file, most).ok().flatten()
    }

    /// Reads a text that was saved under its digest.
    pub fn read_saved_text(&self, digest: &str, most: u64) -> Option<Vec<u8>> {
        Self(self.0.join(SAVED_TEXTS_FOLDER)).read(digest, most)
    }

    /// Saves a text under its digest.
    pub fn save_text(&self, digest: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.0.join(SAVED_TEXTS_FOLDER);
        super::locked_folder::create_private_folder(&folder)?;
        let dir = Dir::open_ambient_dir(&folder, ambient_authority())?;
        if dir.symlink_metadata(digest).is_ok() {
            return Ok(());
        }
        let mut options = OpenOptions::new();
        let unfinished = temporary_name();
        let mut file = dir.open_with(&unfinished, options.write(true).create_new(true))?;
        io::Write::write_all(&mut file, bytes)?;
        dir.rename(&unfinished, &dir, digest)
    }

    /// Replaces a file of the cache.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        super::locked_folder::create_private_folder(&self.0)?;
        let dir = Dir::open_ambient_dir(&self.0, ambient_authority())?;
        replace_file(&dir, name, |mut file| io::Write::write_all(&mut file, bytes))
    }
}

/// Replaces a file of a folder by what `write` writes.
pub fn replace_derived_file(
    folder: &Folder,
    name: &str,
    write: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    replace_file(folder.dir(), name, |file| write(&file))
}

fn replace_file(
    dir: &Dir,
    name: &str,
    write: impl FnOnce(File) -> io::Result<()>,
) -> io::Result<()> {
    remove_abandoned_files(dir);
    let unfinished = temporary_name();
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let file = dir.open_with(&unfinished, &options)?;
    let put = write(file).and_then(|()| dir.rename(&unfinished, dir, name));
    if put.is_err() {
        let _ = dir.remove_file(&unfinished);
    }
    put
}

/// Returns a new, unique name for a temporary file or folder.
pub(crate) fn temporary_name() -> String {
    format!("{TEMPORARY_PREFIX}{}", Uuid::new_v4().simple())
}

/// Checks whether a name belongs to a temporary file or folder, or to the staging folder of a
/// store.
pub fn is_temporary_name(name: &str) -> bool {
    let number = name.strip_prefix(TEMPORARY_PREFIX);
    name == super::folder_writer::STAGING_FOLDER
        || number.is_some_and(|number| number.len() == 32 && Uuid::try_parse(number).is_ok())
}

/// Removes the temporary files that killed processes left behind, as far as possible.
pub(crate) fn remove_abandoned_files(dir: &Dir) {
    let Ok(entries) = dir.entries() else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let is_ours = name.to_str().is_some_and(|name| name.starts_with(TEMPORARY_PREFIX));
        let age = || entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let age = is_ours.then(age).flatten().and_then(|at| at.into_std().elapsed().ok());
        if age.is_some_and(|age| age > ABANDONED_AFTER) {
            let _ = dir.remove_file(&name).or_else(|_| dir.remove_dir_all(&name));
        }
    }
}

/// Reads at an offset of a file, independently of other readers of the handle.
pub fn read_at(file: &File, buffer: &mut [u8], at: u64) -> io::Result<usize> {
    #[cfg(unix)]
    {
        cap_std::fs::FileExt::read_at(file, buffer, at)
    }
    #[cfg(not(unix))]
    {
        use std::io::Seek;
        let mut file = file;
        file.seek(io::SeekFrom::Start(at))?;
        file.read(buffer)
    }
}
