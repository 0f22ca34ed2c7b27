//! The lock on a folder.
//!
//! The lock is taken on the folder's own handle: there is no lock file that somebody could remove,
//! and with it the lock. Nobody waits for a lock for ever.

use std::fs::{File, TryLockError};
use std::io;
use std::time::{Duration, Instant};

use cap_fs_ext::{FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};

use crate::{FolderIdentity, OpenFolder};

/// How long to wait before trying the lock again: the first and the longest pause. A writer holds
/// the lock only for a moment, and many may be waiting.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// How many seconds a lock is waited for.
pub const LOCK_SECONDS: u64 = 30;

/// Why a folder was not changed: another process has held its lock for [`LOCK_SECONDS`].
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("another process has held its lock for {LOCK_SECONDS} seconds")]
pub struct LockHeld;

impl LockHeld {
    /// Checks whether this is the cause of an error.
    pub fn is_cause_of(error: &io::Error) -> bool {
        error.get_ref().and_then(|cause| cause.downcast_ref::<Self>()).is_some()
    }
}

impl From<LockHeld> for io::Error {
    fn from(held: LockHeld) -> Self {
        Self::new(io::ErrorKind::TimedOut, held)
    }
}

/// The wait for the lock of a folder.
pub(super) struct LockWait<'a> {
    /// Returns true once nobody needs the lock any more.
    over: &'a dyn Fn() -> bool,
    until: Instant,
}

impl<'a> LockWait<'a> {
    /// Starts to wait.
    pub(super) fn new(over: &'a dyn Fn() -> bool) -> Self {
        Self { over, until: Instant::now() + Duration::from_secs(LOCK_SECONDS) }
    }

    /// Locks a folder. Returns `None` once the wait is over.
    ///
    /// Some network file systems lock no folders. There, the file that is named as a fallback is locked,
    /// if one is named.
    pub(super) fn lock(
        &self,
        folder: &Dir,
        instead: Option<(&Dir, &str)>,
    ) -> io::Result<Option<File>> {
        let handle = OpenFolder::open(folder, "")?.into_dir().into_std_file();
        match (self.lock_file(handle), instead) {
            (Err(error), Some((beside, name))) if is_unsupported(&error) => {
                self.lock_file(open_lock_file(beside, name)?)
            }
            (locked, _) => locked,
        }
    }

    fn lock_file(&self, file: File) -> io::Result<Option<File>> {
        let mut pause = FIRST_PAUSE;
        while let Err(error) = file.try_lock() {
            match error {
                TryLockError::WouldBlock if (self.over)() => return Ok(None),
                TryLockError::WouldBlock if Instant::now() >= self.until => {
                    return Err(LockHeld.into());
                }
                TryLockError::WouldBlock => {
                    std::thread::sleep(pause);
                    pause = (pause + pause / 4).min(LONGEST_PAUSE);
                }
                TryLockError::Error(error) => return Err(error),
            }
        }
        Ok(Some(file))
    }
}

/// Locks a folder whose parent is not known. Fails if it was moved or deleted meanwhile, because
/// then it is not the folder that was meant.
pub(super) fn lock_folder(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<File>> {
    let before = current_path(folder);
    let lock = LockWait::new(over).lock(folder, None)?;
    if lock.is_some() && current_path(folder) != before {
        return Err(io::Error::new(
            io::ErrorKind::NotFound,
            "the folder was moved or deleted while its lock was awaited",
        ));
    }
    Ok(lock)
}

/// Returns the path that the kernel has for a folder now, which is only compared.
#[cfg(target_os = "linux")]
fn current_path(folder: &Dir) -> Option<std::path::PathBuf> {
    let number = std::os::fd::AsRawFd::as_raw_fd(folder);
    std::fs::read_link(format!("/proc/self/fd/{number}")).ok()
}

/// Not available on other systems.
#[cfg(not(target_os = "linux"))]
fn current_path(_: &Dir) -> Option<std::path::PathBuf> {
    None
}

/// Checks whether two handles are one folder.
pub(super) fn is_same_folder(one: &Dir, other: &Dir) -> io::Result<bool> {
    let identify =
        |folder: &Dir| folder.dir_metadata().map(|of| FolderIdentity::from_metadata(&of));
    Ok(identify(one)? == identify(other)?)
}

/// Opens a file whose lock stands for the lock of a folder. A symbolic link or a pipe in its place
/// is an error.
fn open_lock_file(folder: &Dir, name: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the lock is not a regular file"));
    }
    Ok(file.into_std())
}

/// Checks whether a lock failed because the file system locks no folders.
#[cfg(unix)]
fn is_unsupported(error: &io::Error) -> bool {
    use rustix::io::Errno;
    let unsupported =
        [Errno::BADF, Errno::NOLCK, Errno::OPNOTSUPP, Errno::INVAL, Errno::ISDIR, Errno::NOSYS];
    Errno::from_io_error(error).is_some_and(|error| unsupported.contains(&error))
}

#[cfg(not(unix))]
fn is_unsupported(_: &io::Error) -> bool {
    true
}
