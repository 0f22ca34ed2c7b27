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

use self::errands::Errands;
use self::reading::{Sought, read};
use self::rows::Rows;
use self::survey::{Shelf, Survey};
use crate::space::Stray;
use mere_host::{FolderChange, FolderIdentity, FolderWatcher, WatchReport};

pub(crate) use page::{Page, Wanted};
pub(crate) use row::Row;

/// How often news are asked for until there are none: writers may never rest.
const ROUNDS: usize = 4;

/// The ledger of one store.
pub(crate) struct Ledger {
    folder: Dir,
    identity: FolderIdentity,
    watch: FolderWatcher,
    categories: BTreeSet<Category>,
    rows: Rows,
    /// Whether something went wrong before all news were seen to.
    is_unsure: bool,
}

impl Ledger {
    /// Reads the store in this folder. With a watch, the system tells of changes from now on.
    pub(crate) fn open(folder: Dir, watch: FolderWatcher) -> io::Result<Self> {
        let identity = FolderIdentity::from_metadata(&folder.dir_metadata()?);
        let (categories, rows) = (BTreeSet::new(), Rows::default());
        let mut ledger = Self { folder, identity, watch, categories, rows, is_unsure: true };
        ledger.refresh()?;
        Ok(ledger)
    }

    /// Whether it is the ledger of exactly this folder.
    pub(crate) fn is_of(&self, folder: &Dir) -> io::Result<bool> {
        Ok(FolderIdentity::from_metadata(&folder.dir_metadata()?) == self.identity)
    }

    /// Sees what has changed on disk.
    pub(crate) fn refresh(&mut self) -> io::Result<()> {
        for _ in 0..ROUNDS {
            let news = match self.watch.take_changes() {
                WatchReport::Unchanged if !self.is_unsure => return Ok(()),
                WatchReport::Changed(changes) if !self.is_unsure => WatchReport::Changed(changes),
                _ => WatchReport::Unknown,
            };
            // News are told once: what fails now must be looked for next time.
            self.is_unsure = true;
            match news {
                WatchReport::Changed(changes) => self.look_where(changes)?,
                _ => self.look_below(&Category::default())?,
            }
            self.is_unsure = false;
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
        let now = row::nanoseconds(now);
        let shown = self.rows.all().iter().filter(|slot| !slot.has_expired(now));
        shown.filter_map(|slot| slot.row.place()).collect()
    }

    /// The memories a bare slug can mean.
    pub(crate) fn find(&self, slug: &ItemId) -> Vec<MemoryPath> {
        let found = row::Slot::called(self.rows.all(), slug);
        found.filter_map(|slot| slot.row.place()).collect()
    }

    /// The memories that are hidden at this moment.
    pub(crate) fn expired(&self, now: Timestamp) -> Vec<MemoryPath> {
        let now = row::nanoseconds(now);
        let expired = self.rows.all().iter().filter(|slot| slot.has_expired(now));
        expired.filter_map(|slot| slot.row.place()).collect()
    }

    /// The files of memories that could not be understood.
    pub(crate) fn faults(&self) -> impl Iterator<Item = &Row> {
        self.rows.all().iter().map(|slot| &*slot.row).filter(|row| row.fault)
    }

    /// What looks as if it were meant to be a memory or a category, but is none. Nobody remembers
    /// them: the folders are listed.
    pub(crate) fn strays(&self) -> io::Result<Vec<Stray>> {
        let mut strays = Vec::new();
        for category in [Category::default()].iter().chain(&self.categories) {
            let folder = match survey::open(&self.folder, category.as_str()) {
                Err(error) if survey::is_closed(&error) => {
                    let path = category.to_string();
                    strays.push(Stray { path, why: "it may not be read" });
                    None
                }
                opened => opened?,
            };
            if let Some(folder) = folder
                && let Some(shelf) = Shelf::read(&folder, category)?
            {
                strays.extend(shelf.strays);
            }
        }
        strays.sort();
        Ok(strays)
    }

    /// Looks at what the news name.
    fn look_where(&mut self, changes: BTreeSet<FolderChange>) -> io::Result<()> {
        let errands = Errands::after(changes, &self.categories);
        for category in &errands.categories {
            self.look_below(category)?;
        }
        let paths = errands.memories.into_iter().collect::<Vec<_>>();
        let sought = paths.iter().map(|path| Sought { path, known: None }).collect::<Vec<_>>();
        let slots = read(&self.folder, &sought)?;
        self.rows.amend(&paths, slots);
        survey::check_size(self.rows.all().len() + self.categories.len())
    }

    /// Looks at a category and everything below: folders are listed, and files read that do not
    /// look as they did.
    fn look_below(&mut self, top: &Category) -> io::Result<()> {
        self.watch.mark_stale(top.as_str());
        let survey = Survey::take(&self.folder, top, &mut self.watch)?;
        self.watch.drop_stale();
        let range = self.rows.range(top);
        let known = self.rows.known(range.clone(), &survey.memories).into_iter();
        let sought = survey.memories.iter().zip(known);
        let sought = sought.map(|(path, known)| Sought { path, known }).collect::<Vec<_>>();
        let slots = read(&self.folder, &sought)?;
        self.rows.replace(range, slots.into_iter().flatten().collect());
        self.categories.retain(|category| !top.contains(category));
        self.categories.extend(survey.categories.into_iter().filter(|one| !one.is_empty()));
        survey::check_size(self.rows.all().len() + self.categories.len())
    }
}
