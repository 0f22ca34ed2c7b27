//! The tasks of a sweep, and their order.
//!
//! The smallest key comes first, so that results are found nearly in order.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::world::ignore::IgnoreStack;
use crate::world::sensitivity::Visibility;

/// A task. Tasks are ordered by key, smallest first.
pub(super) struct Task {
    pub(super) key: String,
    pub(super) folder: Arc<SweepFolder>,
    pub(super) kind: TaskKind,
}

/// A folder that the sweep has reached.
pub(super) struct SweepFolder {
    /// The path from the target.
    pub(super) path: String,
    pub(super) ignore_rules: IgnoreStack,
    pub(super) visibility: Visibility,
    pub(super) depth: usize,
}

pub(super) enum TaskKind {
    /// Reads the folder's names after this one, or all of them.
    Names(Option<String>),
    /// Examines these files of the folder.
    Files(Vec<String>),
}

impl Task {
    /// Returns the first task, which reads the target itself.
    pub(super) fn for_target(rules: IgnoreStack, visibility: Visibility) -> Self {
        let folder = SweepFolder { path: String::new(), ignore_rules: rules, visibility, depth: 0 };
        Self { key: String::new(), folder: Arc::new(folder), kind: TaskKind::Names(None) }
    }

    pub(super) fn key(&self) -> &str {
        &self.key
    }
}

/// The order is reversed, because a heap returns its largest element first.
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
