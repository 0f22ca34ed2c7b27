//! A folder below a root, open for reading.
//!
//! It is reached from the root's handle along plain names, and no symbolic link on the way is
//! followed, so a folder that was swapped for a link is refused and never leads out of the root.
//! One handle is open per `OpenFolder`, however deep it lies. Linux does this in one system call;
//! elsewhere it is done one name at a time.

#[cfg(all(target_os = "linux", not(mere_portable)))]
mod linux;
#[cfg(any(not(target_os = "linux"), mere_portable))]
mod portable;

#[cfg(any(not(target_os = "linux"), mere_portable))]
pub(crate) use check_then_rename as rename_no_replace;
#[cfg(all(target_os = "linux", not(mere_portable)))]
pub use linux::{OpenFolder, open_regular_file};
#[cfg(all(target_os = "linux", not(mere_portable)))]
pub(crate) use linux::{exchange, rename_no_replace};
#[cfg(any(not(target_os = "linux"), mere_portable))]
pub(crate) use portable::exchange;
#[cfg(any(not(target_os = "linux"), mere_portable))]
pub use portable::{OpenFolder, open_regular_file};

use std::io;

use cap_std::fs::Dir;

use crate::{is_symlink_error, none_if_missing};

impl OpenFolder {
    /// Opens the folder at a path below `root` like [`OpenFolder::open`], or returns `None` if there
    /// is none. A symbolic link in its place or on the way counts as none.
    pub fn find(root: &Dir, path: &str) -> io::Result<Option<Self>> {
        match Self::open(root, path) {
            Err(error) if is_symlink_error(&error) => Ok(None),
            opened => none_if_missing(opened),
        }
    }
}

/// Renames a file after checking that nothing has the new name. The check and the rename are two
/// steps, so the caller must hold a lock.
pub(crate) fn check_then_rename(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<bool> {
    if none_if_missing(to.0.symlink_metadata(to.1))?.is_some() {
        return Ok(false);
    }
    from.0.rename(from.1, to.0, to.1).map(|()| true)
}

/// The kind of a directory entry; a symbolic link is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    /// A folder.
    Folder,
    /// A regular file.
    File,
    /// A symbolic link.
    Link,
    /// A pipe, a socket, a device.
    Special,
}
