//! Files that can be made again: the index of a space, and what the user's cache keeps about it.
//!
//! They are replaced whole, and not made durable: after a power cut they are made again.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use cap_std::ambient_authority;
use cap_std::fs::{Dir, File, OpenOptions};
use uuid::Uuid;

use super::{Folder, open_regular_file};

/// What a file that is being written is called, before its own name.
pub(super) const TEMPORARY_PREFIX: &str = ".new-";
/// How old such a file must be before it is taken for a killed process's.
pub(super) const ABANDONED_AFTER: Duration = Duration::from_hours(1);

/// Where texts are kept under their digests.
const SAVED_TEXTS_FOLDER: &str = "signed";

/// The user's cache folder.
#[derive(Clone)]
pub struct Cache(PathBuf);

impl Cache {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self(folder)
    }

    pub(super) fn path(&self) -> &std::path::Path {
        &self.0
    }

    /// A file of the cache, unless it is too large.
    pub fn read(&self, name: &str, most: u64) -> Option<Vec<u8>> {
        let dir = Dir::open_ambient_dir(&self.0, ambient_authority()).ok()?;
        let file = open_regular_file(&dir, name).ok().flatten()?;
        super::read_at_most(file, most).ok().flatten()
    }

    /// A text that was kept under its digest.
    pub fn read_saved_text(&self, digest: &str, most: u64) -> Option<Vec<u8>> {
        Self(self.0.join(SAVED_TEXTS_FOLDER)).read(digest, most)
    }

    /// Keeps a text under its digest.
    pub fn save_text(&self, digest: &str, bytes: &[u8]) -> io::Result<()> {
        let folder = self.0.join(SAVED_TEXTS_FOLDER);
        super::durable::create_private_folder(&folder)?;
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
        super::durable::create_private_folder(&self.0)?;
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

/// A name for what is being made, which nobody has.
pub(super) fn temporary_name() -> String {
    format!("{TEMPORARY_PREFIX}{}", Uuid::new_v4().simple())
}

/// Whether a name is of what is being made, or of the folder that holds such things.
pub fn is_temporary_name(name: &str) -> bool {
    let number = name.strip_prefix(TEMPORARY_PREFIX);
    name == super::editing::STAGING_FOLDER
        || number.is_some_and(|number| number.len() == 32 && Uuid::try_parse(number).is_ok())
}

/// Removes what killed processes left behind, as far as that can be done.
pub(super) fn remove_abandoned_files(dir: &Dir) {
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

/// Reads at a place of a file, whatever else reads from it.
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
