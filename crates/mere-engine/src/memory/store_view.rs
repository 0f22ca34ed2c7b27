//! What is in the folder of a store, as the category rules need to know it.
//!
//! Folders are opened by handle and no link is followed, so a link is never a category.

use std::io;

use cap_std::fs::Dir;
use mere_core::category::{CategoryContents, StoreView};
use mere_core::item::{Category, ItemId};

use super::category_file::CATEGORY_FILE;
use mere_host::{EntryKind, OpenFolder, is_symlink_error, none_if_missing};

/// The folder of a store; `None` while it does not exist.
pub(super) struct StoreOnDisk<'a>(pub(super) Option<&'a Dir>);

/// The same folder as seen by a caller who may not see all of it. Hidden entries count as `others`,
/// and in `hidden`.
pub(super) struct VisibleStore<'a> {
    pub(super) disk: StoreOnDisk<'a>,
    /// Tells whether a path from the store's folder may be seen.
    pub(super) is_visible: &'a dyn Fn(&str) -> bool,
}

impl StoreOnDisk<'_> {
    fn open(&self, path: &str) -> io::Result<Option<OpenFolder>> {
        let Some(top) = self.0 else { return Ok(None) };
        match OpenFolder::open(top, path) {
            Err(error) if is_symlink_error(&error) => Ok(None),
            opened => none_if_missing(opened),
        }
    }

    fn count_contents(
        &self,
        path: &str,
        shows: &dyn Fn(&str) -> bool,
        contents: &mut CategoryContents,
    ) -> io::Result<()> {
        let Some(folder) = self.open(path)? else { return Ok(()) };
        let mut deeper = Vec::new();
        let below =
            |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}/{name}") };
        folder.for_each_entry(|name, kind| {
            let is_seen = name.is_some_and(|name| shows(&below(name)));
            match (name, kind) {
                (Some(CATEGORY_FILE), EntryKind::File) => {}
                (Some(name), EntryKind::Folder) if is_id(name) && is_seen => {
                    deeper.push(below(name));
                }
                (Some(name), EntryKind::File) if is_memory(name) && is_seen => {
                    contents.memories += 1;
                }
                _ => {
                    contents.others += 1;
                    contents.hidden += u64::from(!is_seen);
                }
            }
            Ok(())
        })?;
        for path in deeper {
            contents.categories += 1;
            self.count_contents(&path, shows, contents)?;
        }
        Ok(())
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
        let mut contents = CategoryContents::default();
        self.count_contents(category.as_str(), &|_| true, &mut contents)?;
        Ok(contents)
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
        let mut contents = CategoryContents::default();
        self.disk.count_contents(category.as_str(), self.is_visible, &mut contents)?;
        Ok(contents)
    }
}

fn is_id(name: &str) -> bool {
    name.parse::<ItemId>().is_ok()
}

/// Returns true if a file of this name is a memory.
fn is_memory(name: &str) -> bool {
    name.strip_suffix(".md").is_some_and(is_id)
}
