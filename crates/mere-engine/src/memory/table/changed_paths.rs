//! The part of a store to read again after reported changes: whole categories and single memories.
//!
//! It says only where to look, and nothing about what is there.

use std::collections::BTreeSet;

use mere_core::item::{Category, ItemId};

use crate::world::join_path;
use mere_host::FolderChange;

/// The paths to read again.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct ChangedPaths {
    /// Categories to scan with everything below them. None of them lies below another.
    pub(super) categories: BTreeSet<Category>,
    /// Paths of memories. None of them lies in one of those categories.
    pub(super) memories: BTreeSet<String>,
    /// Names in categories that may have become strays, or none.
    pub(super) names: BTreeSet<(Category, String)>,
}

impl ChangedPaths {
    /// Collects the paths from reported changes. Changes in folders that are not known categories
    /// are ignored: such a folder is either about to be reported itself, or has left the store but
    /// is still being watched.
    pub(super) fn from_changes(
        changes: BTreeSet<FolderChange>,
        known: &BTreeSet<Category>,
    ) -> Self {
        let mut changed_paths = Self::default();
        for change in changes {
            match change.folder.parse::<Category>() {
                Ok(folder) if folder.is_empty() || known.contains(&folder) => {
                    changed_paths.add(folder, &change);
                }
                _ => {}
            }
        }
        let rescanned = changed_paths.categories.clone();
        changed_paths.categories.retain(|category| !is_below_any(category, &rescanned));
        changed_paths.memories.retain(|path| !is_in_or_below_any(path, &rescanned));
        changed_paths.names.retain(|(category, _)| {
            !rescanned.contains(category) && !is_below_any(category, &rescanned)
        });
        changed_paths
    }

    fn add(&mut self, folder: Category, change: &FolderChange) {
        self.names.extend(change.name.clone().map(|name| (folder.clone(), name)));
        match &change.name {
            // Nobody watches the parent of the store's own folder, so a change to the folder itself
            // counts here.
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

/// Returns true if a category lies below one of `categories`.
fn is_below_any(category: &Category, categories: &BTreeSet<Category>) -> bool {
    let mut here = category.clone();
    while !here.is_empty() {
        here = here.parent();
        if categories.contains(&here) {
            return true;
        }
    }
    false
}

/// Returns true if a memory lies in or below one of `categories`.
fn is_in_or_below_any(path: &str, categories: &BTreeSet<Category>) -> bool {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let folder = folder.parse::<Category>().unwrap_or_default();
    categories.contains(&folder) || is_below_any(&folder, categories)
}
