//! Whether anything has changed in some folders, and what, as the system tells.
//!
//! News name a folder by the path it was watched under and a name in it. They say where to look and
//! never what is there: whoever asks looks for himself. Where the system cannot tell (too many
//! folders or changes, a file system that is changed from elsewhere, another system), nothing is
//! ever quiet and all news are lost.

#[cfg(all(target_os = "linux", not(mere_portable)))]
mod linux;
#[cfg(any(not(target_os = "linux"), mere_portable))]
mod nobody;

use std::collections::BTreeSet;

#[cfg(all(target_os = "linux", not(mere_portable)))]
pub use linux::FolderWatcher;
#[cfg(any(not(target_os = "linux"), mere_portable))]
pub use nobody::Watch;

/// What is of interest in the folders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Names that come and go.
    Names,
    /// What files say, too, and who may read them.
    Contents,
}

/// What has happened since the last time somebody asked.
#[derive(Debug, PartialEq, Eq)]
pub enum WatchReport {
    Unchanged,
    Changed(BTreeSet<FolderChange>),
    /// Anything may have happened.
    Unknown,
}

/// Something that happened in a folder.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FolderChange {
    /// The path the folder was watched under. It may have another one by now: then its parent, if
    /// that is watched, has news of its own.
    pub folder: String,
    /// To which name; `None` for the folder itself.
    pub name: Option<String>,
    pub is_folder: bool,
}
