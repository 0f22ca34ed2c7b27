//! The names of one folder, and the paths they make.

use super::Plan;
use crate::world::ignored::Has;
use mere_host::EntryKind;

/// How many names of one folder are kept at a time; a larger folder is read again for the next.
const MAX_NAMES: usize = 64 * 1024;

/// The paths of a folder's entries, each from where it is looked at from.
pub(super) struct Paths {
    /// For the order.
    pub(super) key: Prefix,
    /// From the target.
    pub(super) path: Prefix,
    /// From the root.
    pub(super) whole: Prefix,
    /// From where the ignore rules begin.
    pub(super) rules: Prefix,
    /// The names of files to look into.
    pub(super) content: Vec<String>,
}

impl Paths {
    pub(super) fn new(plan: &Plan<'_>, folder: &str) -> Self {
        let rules = plan.rules.as_ref().map_or("", |from| &from.path);
        Self {
            key: Prefix::new(plan.order.key(folder), plan.order.separator()),
            path: Prefix::new(folder.to_owned(), '/'),
            whole: Prefix::new(join(plan.path.as_str(), folder), '/'),
            rules: Prefix::new(join(rules, folder), '/'),
            content: Vec::new(),
        }
    }
}

/// A folder's path that a name is put behind, again and again.
pub(super) struct Prefix {
    text: String,
    len: usize,
}

impl Prefix {
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
pub(super) struct Names {
    pub(super) has: Has,
    pub(super) kept: Vec<(String, EntryKind)>,
    /// Whether there are more than are kept.
    pub(super) more: bool,
}

impl Names {
    pub(super) fn add(&mut self, name: String, kind: EntryKind) {
        self.kept.push((name, kind));
        if self.kept.len() >= 2 * MAX_NAMES {
            self.sort();
        }
    }

    pub(super) fn sort(&mut self) {
        self.kept.sort_unstable_by(|(left, _), (right, _)| left.cmp(right));
        self.more |= self.kept.len() > MAX_NAMES;
        self.kept.truncate(MAX_NAMES);
    }
}

pub(super) fn join(folder: &str, name: &str) -> String {
    match (folder, name) {
        ("", name) => name.to_owned(),
        (folder, "") => folder.to_owned(),
        (folder, name) => [folder, "/", name].concat(),
    }
}
