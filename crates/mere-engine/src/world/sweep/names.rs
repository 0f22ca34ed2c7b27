//! The names in one folder, and the paths they form.
//!
//! Only a bounded number of names is kept, so memory does not depend on the size of a folder.

use mere_core::address::Segment;

use super::SweepPlan;
use crate::world::ignore::IgnoreFilesPresent;
use crate::world::twins::Twins;
use mere_host::EntryKind;

/// How many names of one folder are kept at a time. A larger folder is read again for the rest.
const MAX_NAMES: usize = 64 * 1024;

/// The paths of a folder's entries, each relative to a different starting point.
pub(super) struct EntryPaths {
    /// The key, for the order.
    pub(super) key: PathPrefix,
    /// The path from the target.
    pub(super) path: PathPrefix,
    /// The path from the root.
    pub(super) whole: PathPrefix,
    /// The path from where the ignore rules begin.
    pub(super) ignore_path: PathPrefix,
    /// The names of files whose content is needed.
    pub(super) content_files: Vec<String>,
}

impl EntryPaths {
    pub(super) fn new(plan: &SweepPlan<'_>, folder: &str) -> Self {
        let rules = plan.ignore_base.as_ref().map_or("", |from| &from.path);
        Self {
            key: PathPrefix::new(plan.order.key(folder), plan.order.separator()),
            path: PathPrefix::new(folder.to_owned(), '/'),
            whole: PathPrefix::new(join_path(plan.path.as_str(), folder), '/'),
            ignore_path: PathPrefix::new(join_path(rules, folder), '/'),
            content_files: Vec::new(),
        }
    }
}

/// A folder's path that is joined with one name after another.
pub(super) struct PathPrefix {
    text: String,
    len: usize,
}

impl PathPrefix {
    fn new(mut text: String, separator: char) -> Self {
        if !text.is_empty() {
            text.push(separator);
        }
        let len = text.len();
        Self { text, len }
    }

    pub(super) fn with(&mut self, name: &str) -> &str {
        self.text.truncate(self.len);
        self.text.push_str(name);
        &self.text
    }
}

/// The smallest names of a folder.
#[derive(Default)]
pub(super) struct FolderNames {
    pub(super) ignore_files: IgnoreFilesPresent,
    pub(super) kept: Vec<(String, EntryKind)>,
    /// The links, if they are counted.
    links: Vec<Segment>,
    /// Whether the folder has more names than are kept.
    has_more: bool,
}

impl FolderNames {
    pub(super) fn add(&mut self, name: String, kind: EntryKind) {
        self.kept.push((name, kind));
        if self.kept.len() >= 2 * MAX_NAMES {
            self.sort();
        }
    }

    /// Takes note of a link that is to be counted.
    pub(super) fn add_link(&mut self, name: &str) {
        if self.links.len() < MAX_NAMES {
            self.links.extend(name.parse::<Segment>());
        }
    }

    /// Returns the links that are to be counted.
    pub(super) fn take_links(&mut self) -> Vec<Segment> {
        std::mem::take(&mut self.links)
    }

    /// Returns the name after which the folder is to be read again, if it has more.
    pub(super) fn last(&self) -> Option<String> {
        self.kept.last().filter(|_| self.has_more).map(|(name, _)| name.clone())
    }

    /// Removes the names that look alike, and returns how many those are. The names of folders end
    /// with the separator.
    pub(super) fn remove_twins(&mut self, twins: &Twins, separator: char) -> u64 {
        let before = self.kept.len();
        self.kept.retain(|(name, _)| !twins.contains(name.trim_end_matches(separator)));
        self.links.retain(|name| !twins.contains(name.as_str()));
        (before - self.kept.len()) as u64
    }

    pub(super) fn sort(&mut self) {
        self.kept.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        self.has_more |= self.kept.len() > MAX_NAMES;
        self.kept.truncate(MAX_NAMES);
    }
}

/// Joins two relative paths with a slash. Either may be empty.
pub(crate) fn join_path(folder: &str, below: &str) -> String {
    match (folder, below) {
        ("", path) | (path, "") => path.to_owned(),
        (folder, below) => [folder, "/", below].concat(),
    }
}
