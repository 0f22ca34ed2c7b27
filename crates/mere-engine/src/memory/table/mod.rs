//! A table in memory of all memories of a store, kept equal to the disk.
//!
//! A row holds what lists show of a memory, and never its content. If the system reports changes,
//! only the changed files are read again; otherwise every folder is listed and the stamp of every
//! file is checked. Either way, after [`MemoryTable::refresh`] the table is what a fresh scan would
//! find.

mod category_tree;
mod changed_paths;
mod page;
mod row;
mod row_reader;
mod sorted_rows;
mod stray;
#[cfg(test)]
pub(super) mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::io;

use cap_std::fs::Dir;
use jiff::Timestamp;
use mere_core::item::{Category, ItemId, MemoryPath};

use self::category_tree::CategoryTree;
use self::changed_paths::ChangedPaths;
use self::row_reader::{RowRequest, read_rows};
use self::sorted_rows::SortedRows;
use crate::world::join_path;
use mere_host::{FolderChange, FolderIdentity, FolderWatcher, OpenFolder, WatchReport};

pub(crate) use page::{MemoryPage, MemoryQuery};
pub(crate) use row::MemoryRow;
pub(crate) use stray::{StoreStray, StrayReason, markdown_stem};

/// The most times that one refresh asks for changes. Without a limit, busy writers could keep it
/// from ever ending.
const MAX_REFRESH_ROUNDS: usize = 4;

/// The table of one store.
pub(crate) struct MemoryTable {
    folder: Dir,
    identity: FolderIdentity,
    watch: FolderWatcher,
    categories: BTreeSet<Category>,
    rows: SortedRows,
    /// What is neither a memory nor a category, by its path.
    strays: BTreeMap<String, StoreStray>,
    /// The categories that may not be read.
    unreadable: BTreeSet<Category>,
    /// Set while a refresh runs. It stays set if the refresh fails, so that the next one scans
    /// everything.
    needs_full_scan: bool,
    /// Counts how often something was found changed.
    revision: u64,
}

impl MemoryTable {
    /// Reads the store in this folder. If the watch is on, the system reports changes from now on.
    pub(crate) fn open(folder: Dir, watch: FolderWatcher) -> io::Result<Self> {
        let identity = FolderIdentity::from_metadata(&folder.dir_metadata()?);
        let mut table = Self {
            folder,
            identity,
            watch,
            categories: BTreeSet::new(),
            rows: SortedRows::default(),
            strays: BTreeMap::new(),
            unreadable: BTreeSet::new(),
            needs_full_scan: true,
            revision: 0,
        };
        table.refresh()?;
        table.revision = 0;
        Ok(table)
    }

    /// Returns true if it is the table of exactly this folder.
    pub(crate) fn belongs_to(&self, folder: &Dir) -> io::Result<bool> {
        Ok(FolderIdentity::from_metadata(&folder.dir_metadata()?) == self.identity)
    }

    /// Brings the table up to date with the disk.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        for _ in 0..MAX_REFRESH_ROUNDS {
            let report = match self.watch.take_changes() {
                WatchReport::Unchanged if !self.needs_full_scan => return Ok(()),
                WatchReport::Changed(changes) if !self.needs_full_scan => {
                    WatchReport::Changed(changes)
                }
                _ => WatchReport::Unknown,
            };
            // Each change is reported only once, so if this round fails, the next one must scan
            // everything.
            self.needs_full_scan = true;
            self.revision += 1;
            match report {
                WatchReport::Changed(changes) => self.apply_changes(changes)?,
                _ => self.rescan(&Category::default())?,
            }
            self.needs_full_scan = false;
            if !self.watch.is_active() {
                break;
            }
        }
        Ok(())
    }

    /// Returns whether the system reports changes.
    pub(crate) fn is_watched(&self) -> bool {
        self.watch.is_active()
    }

    /// Returns a number that grows whenever memories may have changed.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Returns every category, sorted.
    pub(crate) fn categories(&self) -> &BTreeSet<Category> {
        &self.categories
    }

    /// Returns how many memories there are, expired ones included.
    pub(crate) fn len(&self) -> usize {
        self.rows.all().len()
    }

    /// Returns the paths of all memories that have not expired at this moment, in order.
    pub(crate) fn paths(&self, now: Timestamp) -> Vec<MemoryPath> {
        let now = row::to_nanoseconds(now);
        let shown = self.rows.all().iter().filter(|slot| !slot.has_expired(now));
        shown.filter_map(|slot| slot.row.memory_path()).collect()
    }

    /// Returns the memories that a bare slug can mean.
    pub(crate) fn find_slug(&self, slug: &ItemId) -> Vec<MemoryPath> {
        let found = row::IndexedRow::with_slug(self.rows.all(), slug);
        found.filter_map(|slot| slot.row.memory_path()).collect()
    }

    /// Returns the memories that have expired at this moment.
    pub(crate) fn expired_paths(&self, now: Timestamp) -> Vec<MemoryPath> {
        let now = row::to_nanoseconds(now);
        let expired = self.rows.all().iter().filter(|slot| slot.has_expired(now));
        expired.filter_map(|slot| slot.row.memory_path()).collect()
    }

    /// Returns the rows of memory files that could not be parsed.
    pub(crate) fn faulty_rows(&self) -> impl Iterator<Item = &MemoryRow> {
        self.rows.all().iter().map(|slot| &*slot.row).filter(|row| row.is_faulty)
    }

    /// Returns what is neither a memory nor a category, by its path.
    pub(crate) fn strays(&self) -> &BTreeMap<String, StoreStray> {
        &self.strays
    }

    /// Returns the categories that may not be read.
    pub(crate) fn unreadable_categories(&self) -> &BTreeSet<Category> {
        &self.unreadable
    }

    /// Reads again what the reported changes name.
    fn apply_changes(&mut self, changes: BTreeSet<FolderChange>) -> io::Result<()> {
        let changed_paths = ChangedPaths::from_changes(changes, &self.categories);
        for category in &changed_paths.categories {
            self.rescan(category)?;
        }
        for (category, name) in changed_paths.names {
            self.check_stray(&category, &name)?;
        }
        let paths = changed_paths.memories.into_iter().collect::<Vec<_>>();
        let requests =
            paths.iter().map(|path| RowRequest { path, known: None }).collect::<Vec<_>>();
        let slots = read_rows(&self.folder, &requests)?;
        self.rows.update(&paths, slots);
        self.check_size()
    }

    /// Scans a category and everything below it: lists the folders, and reads the files whose
    /// stamps have changed.
    fn rescan(&mut self, top: &Category) -> io::Result<()> {
        self.watch.mark_stale(top.as_str());
        let tree = CategoryTree::read(&self.folder, top, &mut self.watch)?;
        self.watch.drop_stale();
        let range = self.rows.range(top);
        let known = self.rows.find_all(range.clone(), &tree.memories).into_iter();
        let requests = tree.memories.iter().zip(known);
        let requests = requests.map(|(path, known)| RowRequest { path, known }).collect::<Vec<_>>();
        let slots = read_rows(&self.folder, &requests)?;
        self.rows.replace(range, slots.into_iter().flatten().collect());
        self.categories.retain(|category| !top.contains(category));
        self.categories.extend(tree.categories.into_iter().filter(|one| !one.is_empty()));
        self.unreadable.retain(|category| !top.contains(category));
        self.unreadable.extend(tree.unreadable);
        self.strays.retain(|path, _| !is_below(top, path));
        self.strays.extend(tree.strays);
        self.check_size()
    }

    /// Looks again whether a name in a category is that of a stray.
    fn check_stray(&mut self, category: &Category, name: &str) -> io::Result<()> {
        let folder = match OpenFolder::find(&self.folder, category.as_str()) {
            Err(error) if category_tree::is_permission_denied(&error) => None,
            opened => opened?,
        };
        let stray =
            folder.and_then(|folder| StoreStray::find_on_disk(&folder.into_dir(), category, name));
        let path = join_path(category.as_str(), name);
        match stray {
            Some(stray) => self.strays.insert(path, stray),
            None => self.strays.remove(&path),
        };
        Ok(())
    }

    fn check_size(&self) -> io::Result<()> {
        let entries = self.rows.all().len() + self.categories.len() + self.strays.len();
        category_tree::check_size(entries)
    }
}

/// Finds what is neither a memory nor a category in the store in this folder, and the categories
/// that may not be read.
pub(crate) fn find_strays(
    folder: &Dir,
) -> io::Result<(BTreeMap<String, StoreStray>, Vec<Category>)> {
    let mut watch = FolderWatcher::new_disabled();
    let tree = CategoryTree::read(folder, &Category::default(), &mut watch)?;
    Ok((tree.strays, tree.unreadable))
}

/// Returns true if a path lies in a category or below it.
pub(crate) fn is_below(category: &Category, path: &str) -> bool {
    let rest = path.strip_prefix(category.as_str());
    category.is_empty() || rest.is_some_and(|rest| rest.starts_with('/'))
}
