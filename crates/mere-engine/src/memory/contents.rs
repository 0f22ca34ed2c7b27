//! What lies in the folder of a category: memories, subcategories, and what is neither.
//!
//! Names are read entry by entry and no link is followed. This is the one place that decides what
//! an entry of a store is.

use std::io;

use cap_std::fs::Dir;
use mere_core::address::Segment;
use mere_core::category::CategoryContents;
use mere_core::item::{Category, ItemId};

use super::category_file::CATEGORY_FILE;
use crate::trust::approvals::project::escape_unprintable;
use crate::world::join_path;
use mere_host::{EntryKind, OpenFolder};

/// An entry of a category's folder.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum StoreEntry {
    /// The file that describes the category.
    Description,
    /// A memory, with its slug.
    Memory(ItemId),
    /// A subcategory.
    Category(Category),
    /// A file that is not a memory, a link, or a special file.
    OtherFile,
    /// A folder that is not a category.
    OtherFolder,
}

impl StoreEntry {
    /// Classifies an entry of a category's folder by its name, which is `None` if it is not UTF-8.
    pub(super) fn classify(category: &Category, name: Option<&str>, kind: EntryKind) -> Self {
        match (name, kind) {
            (Some(CATEGORY_FILE), EntryKind::File) => Self::Description,
            (Some(name), EntryKind::Folder) => {
                let child = name.parse::<ItemId>().and_then(|level| category.child(&level));
                child.map_or(Self::OtherFolder, Self::Category)
            }
            (None, EntryKind::Folder) => Self::OtherFolder,
            (Some(name), EntryKind::File) => {
                let slug = name.strip_suffix(".md").and_then(|slug| slug.parse().ok());
                slug.map_or(Self::OtherFile, Self::Memory)
            }
            _ => Self::OtherFile,
        }
    }
}

/// The entries of one category, as a caller may see them.
#[derive(Default)]
pub(super) struct CategoryEntries {
    pub(super) memories: Vec<ItemId>,
    pub(super) categories: Vec<Category>,
    /// What is neither, by its path from the store. The path of a folder ends in `/`, and
    /// characters that cannot be shown are escaped.
    pub(super) others: Vec<String>,
    /// The names of the folders among them; `None` for a name that is not UTF-8.
    other_folders: Vec<Option<String>>,
    /// How many entries the caller may not see.
    hidden: u64,
}

impl CategoryEntries {
    /// Reads the folder of a category. `is_visible` tells whether a path from the store's folder
    /// may be seen.
    pub(super) fn read(
        folder: &Dir,
        category: &Category,
        is_visible: &dyn Fn(&str) -> bool,
    ) -> io::Result<Self> {
        let mut entries = Self::default();
        OpenFolder::open(folder, "")?.for_each_entry(|name, kind| {
            let path = join_path(category.as_str(), name.unwrap_or("?"));
            let is_addressable = name.is_some_and(|name| name.parse::<Segment>().is_ok());
            let entry = StoreEntry::classify(category, name, kind);
            if entry == StoreEntry::Description {
                return Ok(());
            }
            if is_addressable && !is_visible(&path) {
                entries.hidden += 1;
                return Ok(());
            }
            match entry {
                StoreEntry::Description => {}
                StoreEntry::Memory(slug) => entries.memories.push(slug),
                StoreEntry::Category(child) => entries.categories.push(child),
                StoreEntry::OtherFile => entries.others.push(escape_unprintable(&path)),
                StoreEntry::OtherFolder => {
                    entries.others.push(format!("{}/", escape_unprintable(&path)));
                    entries.other_folders.push(name.map(str::to_owned));
                }
            }
            Ok(())
        })?;
        entries.others.sort();
        Ok(entries)
    }
}

/// Counts what is in the folder of a category, at any depth.
pub(super) fn count_contents(
    folder: &Dir,
    category: &Category,
    is_visible: &dyn Fn(&str) -> bool,
) -> io::Result<CategoryContents> {
    let entries = CategoryEntries::read(folder, category, is_visible)?;
    let other_folders = entries.other_folders.len() as u64;
    let mut contents = CategoryContents {
        memories: entries.memories.len() as u64,
        categories: entries.categories.len() as u64,
        other_files: entries.others.len() as u64 - other_folders + entries.hidden,
        other_folders,
        hidden: entries.hidden,
    };
    for name in entries.other_folders.iter().flatten() {
        count_others(folder, name, &mut contents)?;
    }
    for child in &entries.categories {
        let name = child.levels().next_back().unwrap_or_default();
        let Some(below) = open_child(folder, name)? else { continue };
        let below = count_contents(&below, child, is_visible)?;
        contents.memories += below.memories;
        contents.categories += below.categories;
        contents.other_files += below.other_files;
        contents.other_folders += below.other_folders;
        contents.hidden += below.hidden;
    }
    Ok(contents)
}

/// Counts the files and folders below a folder that is not a category. A folder that may not be
/// read counts as one.
fn count_others(above: &Dir, name: &str, contents: &mut CategoryContents) -> io::Result<()> {
    let folder = match open_child(above, name) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => None,
        opened => opened?,
    };
    let Some(folder) = folder else { return Ok(()) };
    let mut below = Vec::new();
    OpenFolder::open(&folder, "")?.for_each_entry(|name, kind| {
        match kind {
            EntryKind::Folder => {
                contents.other_folders += 1;
                below.extend(name.map(str::to_owned));
            }
            _ => contents.other_files += 1,
        }
        Ok(())
    })?;
    for name in &below {
        count_others(&folder, name, contents)?;
    }
    Ok(())
}

/// Opens a folder in another. Returns `None` if it is gone, or a link.
fn open_child(folder: &Dir, name: &str) -> io::Result<Option<Dir>> {
    Ok(OpenFolder::find(folder, name)?.map(OpenFolder::into_dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_a_memory_a_category_or_neither() {
        let deep = "a/b/c/d/e/f/g/h".parse::<Category>().expect("eight levels");
        let classify =
            |category: &Category, name, kind| StoreEntry::classify(category, Some(name), kind);
        let top = Category::default();
        let slug = |text: &str| StoreEntry::Memory(text.parse().expect(text));
        let child = |text: &str| StoreEntry::Category(text.parse().expect(text));
        for (name, kind, expected) in [
            ("a.md", EntryKind::File, slug("a")),
            ("A.md", EntryKind::File, StoreEntry::OtherFile),
            ("a.markdown", EntryKind::File, StoreEntry::OtherFile),
            ("a.md", EntryKind::Link, StoreEntry::OtherFile),
            ("a.md", EntryKind::Special, StoreEntry::OtherFile),
            ("a.md", EntryKind::Folder, StoreEntry::OtherFolder),
            ("a", EntryKind::Folder, child("a")),
            ("a", EntryKind::Link, StoreEntry::OtherFile),
            ("Meeting Notes", EntryKind::Folder, StoreEntry::OtherFolder),
            ("日本", EntryKind::Folder, StoreEntry::OtherFolder),
            (CATEGORY_FILE, EntryKind::File, StoreEntry::Description),
            (CATEGORY_FILE, EntryKind::Folder, StoreEntry::OtherFolder),
            (".git", EntryKind::Folder, StoreEntry::OtherFolder),
        ] {
            assert_eq!(classify(&top, name, kind), expected, "{name}");
        }
        assert_eq!(classify(&deep, "i", EntryKind::Folder), StoreEntry::OtherFolder);
    }
}
