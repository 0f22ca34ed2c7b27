//! Every memory of a store, as the disk is now.
//!
//! The ledger knows of each what lists tell, and never its content. Where the system tells of
//! changes, only what changed is read again; elsewhere every folder is listed and every file looked
//! at. Either way [`Ledger::refresh`] leaves what a fresh reading would find.

mod errands;
mod page;
mod reading;
mod row;
mod rows;
mod survey;
#[cfg(test)]
pub(super) mod tests;

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use jiff::Timestamp;
use mere_core::item::{Category, ItemId, MemoryPath};

use self::errands::ChangedPaths;
use self::reading::{RowRequest, read_rows};
use self::rows::SortedRows;
use self::survey::{CategoryListing, CategoryTree};
use crate::space::Stray;
use mere_host::{FolderChange, FolderIdentity, FolderWatcher, WatchReport};

pub(crate) use page::{MemoryPage, MemoryQuery};
pub(crate) use row::MemoryRow;

/// How often news are asked for until there are none: writers may never rest.
const MAX_REFRESH_ROUNDS: usize = 4;

/// The ledger of one store.
pub(crate) struct MemoryTable {
    folder: Dir,
    identity: FolderIdentity,
    watch: FolderWatcher,
    categories: BTreeSet<Category>,
    rows: SortedRows,
    /// Whether something went wrong before all news were seen to.
    needs_full_scan: bool,
}

impl MemoryTable {
    /// Reads the store in this folder. With a watch, the system tells of changes from now on.
    pub(crate) fn open(folder: Dir, watch: FolderWatcher) -> io::Result<Self> {
        let identity = FolderIdentity::from_metadata(&folder.dir_metadata()?);
        let (categories, rows) = (BTreeSet::new(), SortedRows::default());
        let mut ledger = Self { folder, identity, watch, categories, rows, needs_full_scan: true };
        ledger.refresh()?;
        Ok(ledger)
    }

    /// Whether it is the ledger of exactly this folder.
    pub(crate) fn belongs_to(&self, folder: &Dir) -> io::Result<bool> {
        Ok(FolderIdentity::from_metadata(&folder.dir_metadata()?) == self.identity)
    }

    /// Sees what has changed on disk.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        for _ in 0..MAX_REFRESH_ROUNDS {
            let news = match self.watch.take_changes() {
                WatchReport::Unchanged if !self.needs_full_scan => return Ok(()),
                WatchReport::Changed(changes) if !self.needs_full_scan => {
                    WatchReport::Changed(changes)
                }
                _ => WatchReport::Unknown,
            };
            // News are told once: what fails now must be looked for next time.
            self.needs_full_scan = true;
            match news {
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

    /// Every category, sorted.
    pub(crate) fn categories(&self) -> &BTreeSet<Category> {
        &self.categories
    }

    /// How many memories there are, hidden ones included.
    pub(crate) fn len(&self) -> usize {
        self.rows.all().len()
    }

    /// Every memory that is not hidden at this moment, in the order of paths.
    pub(crate) fn paths(&self, now: Timestamp) -> Vec<MemoryPath> {
        let now = row::to_nanoseconds(now);
        let shown = self.rows.all().iter().filter(|slot| !slot.has_expired(now));
        shown.filter_map(|slot| slot.row.memory_path()).collect()
    }

    /// The memories a bare slug can mean.
    pub(crate) fn find_slug(&self, slug: &ItemId) -> Vec<MemoryPath> {
        let found = row::IndexedRow::with_slug(self.rows.all(), slug);
        found.filter_map(|slot| slot.row.memory_path()).collect()
    }

    /// The memories that are hidden at this moment.
    pub(crate) fn expired_paths(&self, now: Timestamp) -> Vec<MemoryPath> {
        let now = row::to_nanoseconds(now);
        let expired = self.rows.all().iter().filter(|slot| slot.has_expired(now));
        expired.filter_map(|slot| slot.row.memory_path()).collect()
    }

    /// The files of memories that could not be understood.
    pub(crate) fn faulty_rows(&self) -> impl Iterator<Item = &MemoryRow> {
        self.rows.all().iter().map(|slot| &*slot.row).filter(|row| row.is_faulty)
    }

    /// What looks as if it were meant to be a memory or a category, but is none. Nobody remembers
    /// them: the folders are listed.
    pub(crate) fn find_strays(&self) -> io::Result<Vec<Stray>> {
        let mut strays = Vec::new();
        for category in [Category::default()].iter().chain(&self.categories) {
            let folder = match survey::open_folder(&self.folder, category.as_str()) {
                Err(error) if survey::is_permission_denied(&error) => {
                    let path = category.to_string();
                    strays.push(Stray { path, reason: "it may not be read" });
                    None
                }
                opened => opened?,
            };
            if let Some(folder) = folder
                && let Some(shelf) = CategoryListing::read(&folder, category)?
            {
                strays.extend(shelf.strays);
            }
        }
        strays.sort();
        Ok(strays)
    }

    /// Looks at what the news name.
    fn apply_changes(&mut self, changes: BTreeSet<FolderChange>) -> io::Result<()> {
        let errands = ChangedPaths::from_changes(changes, &self.categories);
        for category in &errands.categories {
            self.rescan(category)?;
        }
        let paths = errands.memories.into_iter().collect::<Vec<_>>();
        let sought = paths.iter().map(|path| RowRequest { path, known: None }).collect::<Vec<_>>();
        let slots = read_rows(&self.folder, &sought)?;
        self.rows.update(&paths, slots);
        survey::check_size(self.rows.all().len() + self.categories.len())
    }

    /// Looks at a category and everything below: folders are listed, and files read that do not
    /// look as they did.
    fn rescan(&mut self, top: &Category) -> io::Result<()> {
        self.watch.mark_stale(top.as_str());
        let survey = CategoryTree::read(&self.folder, top, &mut self.watch)?;
        self.watch.drop_stale();
        let range = self.rows.range(top);
        let known = self.rows.find_all(range.clone(), &survey.memories).into_iter();
        let sought = survey.memories.iter().zip(known);
        let sought = sought.map(|(path, known)| RowRequest { path, known }).collect::<Vec<_>>();
        let slots = read_rows(&self.folder, &sought)?;
        self.rows.replace(range, slots.into_iter().flatten().collect());
        self.categories.retain(|category| !top.contains(category));
        self.categories.extend(survey.categories.into_iter().filter(|one| !one.is_empty()));
        survey::check_size(self.rows.all().len() + self.categories.len())
    }
}
