//! The lock of a folder: its own handle, so that nothing lies about.

use std::fs::{File, TryLockError};
use std::io;
use std::time::Duration;

use cap_std::fs::Dir;

use super::OpenFolder;

/// How long to wait before looking again whether another one is done: at first, and at most. Who
/// writes is done after a moment, and many may wait.
const FIRST_PAUSE: Duration = Duration::from_micros(50);
const LONGEST_PAUSE: Duration = Duration::from_millis(1);

/// Waits until no one else changes a folder, or until `over`: then there is no lock.
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
