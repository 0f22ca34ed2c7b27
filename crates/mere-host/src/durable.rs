//! Durable replacement of a small file, one process at a time.
//!
//! A reader sees the whole old or the whole new file; when `replace` returns, the new one survives
//! a power cut: temporary file, fsync, rename, fsync of the folder.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};

use super::none_if_missing;

/// The largest file this reads back.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// A record could not be kept.
#[derive(Debug, thiserror::Error)]
#[error("the user's own folder cannot be written: {0}")]
pub struct WriteError(#[from] io::Error);

/// A folder whose files this process alone changes while it holds this.
pub struct LockedFolder {
    dir: Dir,
    /// The folder once more, opened for reading: a handle that can be synced.
    sync_handle: File,
    path: PathBuf,
    _lock: File,
}

impl LockedFolder {
    /// Makes the folder (for the user alone) if needed and waits for its lock.
    pub(super) fn open(folder: &Path) -> Result<Self, WriteError> {
        Self::try_open(folder).map_err(WriteError)
    }

    fn try_open(folder: &Path) -> io::Result<Self> {
        create_private_folder(folder)?;
        let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
        let options = OpenOptions::new().write(true).create(true).clone();
        let lock = dir.open_with(".lock", &options)?.into_std();
        lock.lock()?;
        Ok(Self { dir, sync_handle: File::open(folder)?, path: folder.to_owned(), _lock: lock })
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The file's path, for people.
    pub fn display_path(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }

    /// The file's bytes; `None` if there is no such file.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        read_file_in(&self.dir, name).map_err(WriteError)
    }

    /// Replaces the file.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.try_replace(name, bytes).map_err(WriteError)
    }

    fn try_replace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let temporary = format!(".{name}.new");
        let mut options = OpenOptions::new();
        options.write(true).create(true).truncate(true);
        #[cfg(unix)]
        cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = self.dir.open_with(&temporary, &options)?;
        file.write_all(bytes)?;
        file.sync_all()?;
        self.dir.rename(&temporary, &self.dir, name)?;
        self.sync_handle.sync_all()
    }

    /// A file of a folder that may not be there, without a lock: replacement is atomic.
    pub(super) fn read_unlocked_or_none(folder: &Path, name: &str) -> Option<Vec<u8>> {
        Self::read_unlocked(folder, name).ok().flatten()
    }

    /// The same where a file that cannot be read must not pass for one that is not there.
    pub(super) fn read_unlocked(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
        match none_if_missing(Dir::open_ambient_dir(folder, ambient_authority()))? {
            Some(dir) => read_file_in(&dir, name),
            None => Ok(None),
        }
    }
}

fn read_file_in(dir: &Dir, name: &str) -> io::Result<Option<Vec<u8>>> {
    match dir.open(name) {
        Ok(file) => {
            let mut bytes = Vec::new();
            file.take(MAX_BYTES).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

pub(super) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
