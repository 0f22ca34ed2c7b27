//! Notifications about changes in folders, as far as the system sends them.
//!
//! A change names a folder by the path it was watched under, and a name in it. It tells where to
//! look and never what is there: the caller looks for itself. Where the system cannot tell (too
//! many folders or changes, a file system that is changed from elsewhere, a system without
//! inotify), a watcher never reports "unchanged" and every report is `Unknown`.

pub(crate) mod file_stamps;
#[cfg(all(target_os = "linux", not(mere_portable)))]
mod linux;
pub(crate) mod mount_points;
pub(crate) mod process_view;
#[cfg(any(not(target_os = "linux"), mere_portable))]
mod unsupported;
pub(crate) mod vouching;

use std::collections::BTreeSet;

#[cfg(all(target_os = "linux", not(mere_portable)))]
pub use linux::FolderWatcher;
#[cfg(any(not(target_os = "linux"), mere_portable))]
pub use unsupported::FolderWatcher;

/// Which changes in the folders are reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Names that appear or disappear.
    Names,
    /// Also the contents and the permissions of files.
    Contents,
}

/// What became of a folder that was added to a watcher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WatchOutcome {
    /// It was not watched under this path before.
    Added,
    /// It was watched under this path already.
    Known,
    /// It is not watched, and the watcher never reports "unchanged" from now on.
    Failed,
}

/// What has happened since the watcher was last asked.
#[derive(Debug, PartialEq, Eq)]
pub enum WatchReport {
    /// Nothing has changed.
    Unchanged,
    /// These names have changed, and nothing else.
    Changed(BTreeSet<FolderChange>),
    /// Anything may have happened.
    Unknown,
}

/// A change in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderChange {
    /// The path the folder was watched under. The folder may have moved since; then its parent, if
    /// that is watched, reports a change of its own.
    pub folder: String,
    /// The name that changed, or `None` for the folder itself.
    pub name: Option<String>,
    /// Whether the name is a folder's.
    pub is_folder: bool,
}
