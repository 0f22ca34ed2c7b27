//! The watcher on systems without inotify: it reports nothing.
//!
//! The caller has to look at the folders itself every time.

use cap_std::fs::Dir;

use super::{Interest, News};
use crate::OpenFolder;

/// A watcher that never reports "unchanged".
pub struct Watch;

impl Watch {
    pub(crate) fn none() -> Self {
        Self
    }

    pub(crate) fn new(_interest: Interest) -> Self {
        Self
    }

    pub(crate) fn is_on(&self) -> bool {
        false
    }

    pub(crate) fn add(&mut self, _root: &Dir, _path: &str) {}

    pub(crate) fn add_open(&mut self, _folder: &OpenFolder, _path: &str) {}

    pub(crate) fn doubt(&mut self, _top: &str) {}

    pub(crate) fn drop_doubted(&mut self) {}

    pub(crate) fn is_quiet(&mut self) -> bool {
        false
    }

    pub(crate) fn news(&mut self) -> News {
        News::Lost
    }
}
