//! What must be looked at after news: folders with all that lies below, and single memories.

use std::collections::BTreeSet;

use mere_core::item::{Category, ItemId};

use super::survey::join_path;
use mere_host::FolderChange;

/// Where to look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedPaths {
    /// None lies below another.
    pub(super) categories: BTreeSet<Category>,
    /// Paths of memories, none in those categories.
    pub(super) memories: BTreeSet<String>,
}

impl ChangedPaths {
    /// The errands after these changes. Folders that are not among the known ones are passed over:
    /// they are about to be told of, or gone from the store and not yet from the watch.
    pub(super) fn from_changes(
        changes: BTreeSet<FolderChange>,
        known: &BTreeSet<Category>,
    ) -> Self {
        let mut errands = Self::default();
        for change in changes {
            match change.folder.parse::<Category>() {
                Ok(folder) if folder.is_empty() || known.contains(&folder) => {
                    errands.add(folder, &change);
                }
                _ => {}
            }
        }
        let tops = errands.categories.clone();
        errands.categories.retain(|category| !is_below_any(category, &tops));
        errands.memories.retain(|path| !is_in_or_below_any(path, &tops));
        errands
    }

    fn add(&mut self, folder: Category, change: &FolderChange) {
        match &change.name {
            // The store's own folder has no parent here that would have the news.
            None if folder.is_empty() => {
                self.categories.insert(folder);
            }
            Some(name) if change.is_folder => {
                let child = name.parse::<ItemId>().and_then(|level| folder.child(&level));
                self.categories.extend(child);
            }
            Some(name) => {
                let slug = name.strip_suffix(".md").filter(|slug| slug.parse::<ItemId>().is_ok());
                self.memories.extend(slug.map(|slug| join_path(folder.as_str(), slug)));
            }
            None => {}
        }
    }
}

/// Whether a category lies below one of `tops`.
fn is_below_any(category: &Category, tops: &BTreeSet<Category>) -> bool {
    let mut here = category.clone();
    while !here.is_empty() {
        here = here.parent();
        if tops.contains(&here) {
            return true;
        }
    }
    false
}

/// Whether a memory lies in or below one of `tops`.
fn is_in_or_below_any(path: &str, tops: &BTreeSet<Category>) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = folder.parse::<Category>().unwrap_or_default();
    tops.contains(&folder) || is_below_any(&folder, tops)
}
