//! The lock on a folder.
//!
//! The lock is taken on the folder's own handle, so no lock file is left behind.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

use cap_std::fs::Dir;

use crate::OpenFolder;

/// How long to wait before trying the lock again: the first and the longest pause. A writer holds
/// the lock only for a moment, and many may be waiting.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Locks a folder, waiting while someone else holds the lock. Returns `None` once `over` returns
/// true.
pub(super) fn lock_folder(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<File>> {
    let lock = OpenFolder::open(folder, "")?.into_dir().into_std_file();
    let mut pause = FIRST_PAUSE;
    while let Err(error) = lock.try_lock() {
        match error {
            TryLockError::WouldBlock if over() => return Ok(None),
            TryLockError::WouldBlock => {
                std::thread::sleep(pause);
                pause = (pause + pause / 4).min(LONGEST_PAUSE);
            }
            TryLockError::Error(error) => return Err(error),
        }
    }
    Ok(Some(lock))
}
