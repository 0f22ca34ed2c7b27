//! Something a sweep has to do, and in which order.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::world::discretion::Sight;
use crate::world::ignored::Ignored;

/// Something to do, smallest key first.
pub(super) struct Task {
    pub(super) key: String,
    pub(super) folder: Arc<Folder>,
    pub(super) what: What,
}

/// A folder on the way.
pub(super) struct Folder {
    /// From the target.
    pub(super) path: String,
    pub(super) rules: Ignored,
    pub(super) sight: Sight,
    pub(super) depth: usize,
}

pub(super) enum What {
    /// Read the folder's names from this one on; at first, from the beginning.
    Names(Option<String>),
    /// Look into these files of it.
    Files(Vec<String>),
}

impl Task {
    /// The target itself.
    pub(super) fn first(rules: Ignored, sight: Sight) -> Self {
        let folder = Folder { path: String::new(), rules, sight, depth: 0 };
        Self { key: String::new(), folder: Arc::new(folder), what: What::Names(None) }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }
}

/// A heap gives its largest first.
impl Ord for Task {
    fn cmp(&self, other: &Self) -> Ordering {
        other.key.cmp(&self.key)
    }
}

impl PartialOrd for Task {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Task {
    fn eq(&self, other: &Self) -> bool {
        self.key == other.key
    }
}

impl Eq for Task {}
