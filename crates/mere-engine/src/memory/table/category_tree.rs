//! The category folders of a store, and the names of the memories in them.
//!
//! A memory is a regular file `slug.md`, and a category is a folder whose name is an id. Names that
//! begin with a dot are ignored, no link is followed, and only names are read.

use std::collections::BTreeMap;
use std::io;

use cap_std::fs::Dir;
use mere_core::item::{Category, ItemId};

use super::stray::StoreStray;
use crate::memory::contents::StoreEntry;
use crate::world::join_path;
use mere_host::{EntryKind, FolderWatcher, OpenFolder, none_if_missing};

/// The most memories and categories that a store may have, because each takes memory.
pub(super) const MAX_ENTRIES: usize = 1_000_000;

/// Everything in a category and below.
#[derive(Default)]
pub(super) struct CategoryTree {
    /// The categories, which include the scanned one itself if its folder exists.
    pub(super) categories: Vec<Category>,
    /// The paths of the memories, sorted.
    pub(super) memories: Vec<String>,
    /// What is neither, by its path.
    pub(super) strays: BTreeMap<String, StoreStray>,
    /// The categories that may not be read.
    pub(super) unreadable: Vec<Category>,
}

/// The contents of one folder.
#[derive(Default)]
pub(super) struct CategoryListing {
    slugs: Vec<ItemId>,
    categories: Vec<Category>,
    strays: BTreeMap<String, StoreStray>,
}

impl CategoryTree {
    /// Reads the folder of a category and those below. Each folder is watched before it is read, so
    /// a change in between is noticed by the one or the other.
    pub(super) fn read(root: &Dir, top: &Category, watch: &mut FolderWatcher) -> io::Result<Self> {
        let mut tree = Self::default();
        let mut waiting = vec![top.clone()];
        while let Some(category) = waiting.pop() {
            let listing = match OpenFolder::find(root, category.as_str()) {
                Ok(None) => None,
                Ok(Some(folder)) => {
                    watch.add_open_folder(&folder, category.as_str());
                    CategoryListing::read(&folder, &category)?
                }
                // The folder exists, but its contents are unknown.
                Err(error) if is_permission_denied(&error) && !category.is_empty() => {
                    tree.unreadable.push(category.clone());
                    Some(CategoryListing::default())
                }
                Err(error) => return Err(error),
            };
            // The folder was removed after its parent had been read.
            let Some(listing) = listing else { continue };
            let path = |slug: &ItemId| join_path(category.as_str(), slug.as_str());
            tree.memories.extend(listing.slugs.iter().map(path));
            waiting.extend(listing.categories);
            tree.strays.extend(listing.strays);
            tree.categories.push(category);
            check_size(tree.memories.len() + tree.categories.len() + waiting.len())?;
        }
        tree.memories.sort_unstable();
        Ok(tree)
    }
}

impl CategoryListing {
    /// Reads a folder. Returns `None` if it no longer exists.
    pub(super) fn read(folder: &OpenFolder, category: &Category) -> io::Result<Option<Self>> {
        let mut listing = Self::default();
        let read = folder.for_each_entry(|name, kind| {
            if name.is_some_and(|name| name.starts_with('.')) {
                return Ok(());
            }
            match StoreEntry::classify(category, name, kind) {
                StoreEntry::Memory(slug) => listing.slugs.push(slug),
                StoreEntry::Category(child) => listing.categories.push(child),
                _ => listing.add_stray(category, name, kind),
            }
            check_size(listing.slugs.len() + listing.categories.len() + listing.strays.len())
        });
        Ok(none_if_missing(read)?.map(|()| listing))
    }

    fn add_stray(&mut self, category: &Category, name: Option<&str>, kind: EntryKind) {
        let Some(stray) = StoreStray::find(category, name, kind) else { return };
        let path = join_path(category.as_str(), name.unwrap_or("?"));
        self.strays.entry(path).and_modify(|known| known.count += 1).or_insert(stray);
    }
}

/// Checks that a store with so many memories and categories is not too large.
pub(super) fn check_size(entries: usize) -> io::Result<()> {
    if entries <= MAX_ENTRIES {
        return Ok(());
    }
    Err(io::Error::other("a store holds more than 1,000,000 memories and categories"))
}

/// Returns true if the error means that something may not be read.
pub(super) fn is_permission_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}
