//! Something a sweep has to do, and in which order.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::world::discretion::Visibility;
use crate::world::ignored::IgnoreStack;

/// Something to do, smallest key first.
pub(super) struct Task {
    pub(super) key: String,
    pub(super) folder: Arc<SweepFolder>,
    pub(super) kind: TaskKind,
}

/// A folder on the way.
pub(super) struct SweepFolder {
    /// From the target.
    pub(super) path: String,
    pub(super) ignore_rules: IgnoreStack,
    pub(super) visibility: Visibility,
    pub(super) depth: usize,
}

pub(super) enum TaskKind {
    /// Read the folder's names from this one on; at first, from the beginning.
    Names(Option<String>),
    /// Look into these files of it.
    Files(Vec<String>),
}

impl Task {
    /// The target itself.
    pub(super) fn for_target(rules: IgnoreStack, sight: Visibility) -> Self {
        let folder =
            SweepFolder { path: String::new(), ignore_rules: rules, visibility: sight, depth: 0 };
        Self { key: String::new(), folder: Arc::new(folder), kind: TaskKind::Names(None) }
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
