//! What is in the folder of a store, as the category rules need to know it.
//!
//! Folders are opened by handle and no link is followed, so a link is never a category.

use std::io;

use cap_std::fs::Dir;
use mere_core::category::{CategoryContents, StoreView};
use mere_core::item::{Category, ItemId};

use super::contents;
use mere_host::{EntryKind, OpenFolder};

/// The folder of a store; `None` while it does not exist.
pub(super) struct StoreOnDisk<'a>(pub(super) Option<&'a Dir>);

/// The same folder as seen by a caller who may not see all of it. Hidden entries count as other
/// files, and as hidden.
pub(super) struct VisibleStore<'a> {
    pub(super) disk: StoreOnDisk<'a>,
    /// Tells whether a path from the store's folder may be seen.
    pub(super) is_visible: &'a dyn Fn(&str) -> bool,
}

impl StoreOnDisk<'_> {
    fn open(&self, path: &str) -> io::Result<Option<OpenFolder>> {
        let Some(top) = self.0 else { return Ok(None) };
        OpenFolder::find(top, path)
    }

    fn count_contents(
        &self,
        category: &Category,
        is_visible: &dyn Fn(&str) -> bool,
    ) -> io::Result<CategoryContents> {
        match self.open(category.as_str())? {
            Some(folder) => contents::count_contents(&folder.into_dir(), category, is_visible),
            None => Ok(CategoryContents::default()),
        }
    }
}

impl StoreView for StoreOnDisk<'_> {
    type Error = io::Error;

    fn has_category(&self, category: &Category) -> io::Result<bool> {
        Ok(self.open(category.as_str())?.is_some())
    }

    fn top_categories(&self) -> io::Result<Vec<Category>> {
        let mut top_level = Vec::new();
        if let Some(folder) = self.open("")? {
            folder.for_each_entry(|name, kind| {
                let name = name.filter(|name| kind == EntryKind::Folder && is_id(name));
                top_level.extend(name.and_then(|name| name.parse().ok()));
                Ok(())
            })?;
        }
        Ok(top_level)
    }

    fn count_memories(&self, category: &Category) -> io::Result<u64> {
        let mut count = 0;
        if let Some(folder) = self.open(category.as_str())? {
            folder.for_each_entry(|name, kind| {
                count += u64::from(kind == EntryKind::File && name.is_some_and(is_memory));
                Ok(())
            })?;
        }
        Ok(count)
    }

    fn contents(&self, category: &Category) -> io::Result<CategoryContents> {
        self.count_contents(category, &|_| true)
    }
}

impl StoreView for VisibleStore<'_> {
    type Error = io::Error;

    fn has_category(&self, category: &Category) -> io::Result<bool> {
        self.disk.has_category(category)
    }

    fn top_categories(&self) -> io::Result<Vec<Category>> {
        let mut top_level = self.disk.top_categories()?;
        top_level.retain(|top| (self.is_visible)(top.as_str()));
        Ok(top_level)
    }

    fn count_memories(&self, category: &Category) -> io::Result<u64> {
        self.disk.count_memories(category)
    }

    fn contents(&self, category: &Category) -> io::Result<CategoryContents> {
        self.disk.count_contents(category, self.is_visible)
    }
}

fn is_id(name: &str) -> bool {
    name.parse::<ItemId>().is_ok()
}

/// Returns true if a file of this name is a memory.
fn is_memory(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(is_id)
}
