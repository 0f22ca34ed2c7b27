//! The watcher on systems without inotify: it reports nothing.
//!
//! The caller has to look at the folders itself every time.

use cap_std::fs::Dir;

use super::{Interest, WatchOutcome, WatchReport};
use crate::OpenFolder;

/// A watcher that never reports "unchanged".
pub struct FolderWatcher;

impl FolderWatcher {
    pub fn new_disabled() -> Self {
        Self
    }

    pub fn new(_interest: Interest) -> Self {
        Self
    }

    /// Reports whether the system is asked to report changes.
    pub fn is_active(&self) -> bool {
        false
    }

    /// Reports whether every change in the folders is reported.
    pub fn reports_everything(&self) -> bool {
        false
    }

    pub fn add(&mut self, _root: &Dir, _path: &str) {}

    pub fn add_open_folder(&mut self, _folder: &OpenFolder, _path: &str) -> WatchOutcome {
        WatchOutcome::Failed
    }

    pub fn mark_stale(&mut self, _top: &str) {}

    pub fn drop_stale(&mut self) {}

    pub fn is_unchanged(&mut self) -> bool {
        false
    }

    pub fn take_changes(&mut self) -> WatchReport {
        WatchReport::Unknown
    }
}
