//! A private folder of the user, locked, whose small files are replaced durably.
//!
//! A reader sees the whole old or the whole new file. When `replace` returns, the new file survives
//! a power cut: it is written to a temporary file, synced and renamed, and the folder is synced.
//! Only one process at a time holds the lock.
//!
//! What lies here decides whom the user trusts. As ssh does, a folder or file that belongs to
//! another user, or that others may write to, is refused.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use cap_std::ambient_authority;
#[cfg(unix)]
use cap_std::fs::MetadataExt;
use cap_std::fs::{Dir, Metadata, OpenOptions};

use super::folder_lock::{LOCK_SECONDS, LockHeld, LockWait, is_same_folder};
use crate::{OpenFolder, none_if_missing};

/// The largest file that is read back.
const MAX_BYTES: u64 = 4 * 1024 * 1024;

/// The bits that let anybody but the owner write.
#[cfg(unix)]
const OTHERS_WRITE_BITS: u32 = 0o022;

/// The error of a private folder that cannot be written.
#[derive(Debug, thiserror::Error)]
#[error("the user's own folder cannot be written: {0}")]
pub struct WriteError(#[from] io::Error);

impl From<WriteError> for io::Error {
    fn from(error: WriteError) -> Self {
        error.0
    }
}

/// Why a file or folder that decides about trust is not used. For people.
#[derive(Debug, thiserror::Error)]
pub enum ExposedFile {
    /// Another user owns it.
    #[error("{0} belongs to another user, who could change whom you trust")]
    ForeignOwner(String),
    /// Others may write to it.
    #[error("other users may write to {0}, and so change whom you trust; run `chmod go-w {0}`")]
    SharedWrite(String),
}

/// Why a folder of the user's own could not be locked. For people.
#[derive(Debug, thiserror::Error)]
#[error(
    "another process has held the lock of {0} for {LOCK_SECONDS} seconds; find it with `lslocks` or \
     `fuser {0}`, end it, and try again"
)]
struct LockedElsewhere(String);

impl ExposedFile {
    /// Returns the reason, if this is why a file could not be read.
    pub fn from_error(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

/// A folder whose files only this process changes while it holds this value.
pub struct LockedFolder {
    dir: Dir,
    /// The folder opened a second time, for reading: this handle can be synced.
    sync_handle: File,
    path: PathBuf,
    _lock: File,
}

impl LockedFolder {
    /// Creates the folder, accessible to the user alone, if needed, and waits for its lock.
    pub(crate) fn open(folder: &Path) -> Result<Self, WriteError> {
        Self::try_open(folder).map_err(WriteError)
    }

    fn try_open(folder: &Path) -> io::Result<Self> {
        create_private_folder(folder)?;
        let wait = LockWait::new(&|| false);
        loop {
            let dir = open_own_folder(folder)?;
            let held = || LockedElsewhere(folder.display().to_string());
            let lock = match wait.lock(&dir, Some((&dir, ".lock"))) {
                Ok(lock) => lock.ok_or_else(|| io::Error::from(LockHeld))?,
                Err(error) if LockHeld::is_cause_of(&error) => {
                    return Err(io::Error::new(io::ErrorKind::TimedOut, held()));
                }
                Err(error) => return Err(error),
            };
            // The folder may have been replaced by another one while its lock was awaited.
            let now = none_if_missing(Dir::open_ambient_dir(folder, ambient_authority()))?;
            if let Some(now) = now
                && is_same_folder(&dir, &now)?
            {
                let sync_handle = OpenFolder::open(&dir, "")?.into_dir().into_std_file();
                return Ok(Self { dir, sync_handle, path: folder.to_owned(), _lock: lock });
            }
            create_private_folder(folder)?;
        }
    }

    pub(super) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Makes the names of its files durable.
    pub(super) fn sync(&self) -> io::Result<()> {
        self.sync_handle.sync_all()
    }

    /// Refuses an open file that is not a regular file of the user's own.
    pub(super) fn check_own_file(&self, file: &File, name: &str) -> io::Result<()> {
        check_regular_file(&Metadata::from_file(file)?, name)?;
        check_not_exposed(&Metadata::from_file(file)?, &self.path.join(name))
    }

    /// Returns the file's path for people.
    pub fn display_path(&self, name: &str) -> String {
        self.path.join(name).display().to_string()
    }

    /// Returns the file's bytes, or `None` if there is no such file.
    pub fn read(&self, name: &str) -> Result<Option<Vec<u8>>, WriteError> {
        read_file_in(&self.dir, &self.path, name).map_err(WriteError)
    }

    /// Replaces the file durably.
    pub fn replace(&self, name: &str, bytes: &[u8]) -> Result<(), WriteError> {
        self.try_replace(name, bytes).map_err(WriteError)
    }

    /// Removes the file, if there is one.
    pub fn remove(&self, name: &str) -> Result<(), WriteError> {
        none_if_missing(self.dir.remove_file(name))?;
        Ok(self.sync()?)
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
        self.sync()
    }

    /// Reads a file without the lock, which is safe because replacement is atomic. Returns `None`
    /// if the folder or the file is missing or cannot be read.
    pub(crate) fn read_unlocked_or_none(folder: &Path, name: &str) -> Option<Vec<u8>> {
        Self::read_unlocked(folder, name).ok().flatten()
    }

    /// Reads a file without the lock. A file that cannot be read is an error and not mistaken for a
    /// missing one.
    pub(crate) fn read_unlocked(folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
        match none_if_missing(open_own_folder(folder))? {
            Some(dir) => read_file_in(&dir, folder, name),
            None => Ok(None),
        }
    }
}

/// Opens a folder, unless it belongs to another user or others may write to it.
pub(crate) fn open_own_folder(folder: &Path) -> io::Result<Dir> {
    let dir = Dir::open_ambient_dir(folder, ambient_authority())?;
    check_not_exposed(&dir.dir_metadata()?, folder)?;
    Ok(dir)
}

/// Refuses a file or folder of another user, and one that others may write to.
#[cfg(unix)]
fn check_not_exposed(metadata: &Metadata, path: &Path) -> io::Result<()> {
    let path = || path.display().to_string();
    let exposed = if ![0, rustix::process::geteuid().as_raw()].contains(&metadata.uid()) {
        ExposedFile::ForeignOwner(path())
    } else if metadata.mode() & OTHERS_WRITE_BITS != 0 {
        ExposedFile::SharedWrite(path())
    } else {
        return Ok(());
    };
    Err(io::Error::new(io::ErrorKind::PermissionDenied, exposed))
}

#[cfg(not(unix))]
fn check_not_exposed(_: &Metadata, _: &Path) -> io::Result<()> {
    Ok(())
}

fn read_file_in(dir: &Dir, folder: &Path, name: &str) -> io::Result<Option<Vec<u8>>> {
    match dir.open_with(name, &never_blocking()) {
        Ok(file) => {
            let metadata = file.metadata()?;
            check_regular_file(&metadata, name)?;
            check_not_exposed(&metadata, &folder.join(name))?;
            let mut bytes = Vec::new();
            file.take(MAX_BYTES).read_to_end(&mut bytes)?;
            Ok(Some(bytes))
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn check_regular_file(metadata: &Metadata, name: &str) -> io::Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    let what = format!("`{name}` is not a regular file");
    Err(io::Error::new(io::ErrorKind::InvalidInput, what))
}

/// Returns the options for reading a file. Opening a pipe does not wait for somebody who writes.
fn never_blocking() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::custom_flags(
        &mut options,
        rustix::fs::OFlags::NONBLOCK.bits().cast_signed(),
    );
    options
}

pub(crate) fn create_private_folder(folder: &Path) -> io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}
