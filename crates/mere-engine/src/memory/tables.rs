//! The memory tables of a session, each opened when it is first needed.
//!
//! A table belongs to the identity of a folder, so a store whose folder is replaced gets a new one.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};

use cap_std::fs::Dir;

use super::table::MemoryTable;
use mere_host::{FolderWatcher, Interest, reset_poisoned};

/// How many tables are kept. Each takes memory, and a store whose folder was replaced leaves an
/// unused one behind.
const MAX_OPEN: usize = 4;

/// The open tables, most recently used first.
#[derive(Default)]
pub(crate) struct MemoryTables {
    open: Mutex<Vec<MemoryTable>>,
    is_watching: AtomicBool,
}

impl MemoryTables {
    /// Makes tables that are opened from now on watch their folders for changes, because the
    /// session is a long one.
    pub(crate) fn start_watching(&self) {
        self.is_watching.store(true, Ordering::Relaxed);
    }

    /// Drops all tables, so that the next use reads its store from disk again.
    pub(crate) fn clear(&self) {
        self.lock().clear();
    }

    /// Calls `ask` with the table of the store in this folder, brought up to date with the disk.
    pub(crate) fn with_table<T>(
        &self,
        folder: &Dir,
        ask: impl FnOnce(&MemoryTable) -> T,
    ) -> io::Result<T> {
        let mut open = self.lock();
        for at in 0..open.len() {
            if open[at].belongs_to(folder)? {
                open[..=at].rotate_right(1);
                open[0].refresh()?;
                return Ok(ask(&open[0]));
            }
        }
        let is_watching = self.is_watching.load(Ordering::Relaxed);
        let watch = if is_watching {
            FolderWatcher::new(Interest::Contents)
        } else {
            FolderWatcher::new_disabled()
        };
        let table = MemoryTable::open(folder.try_clone()?, watch)?;
        open.insert(0, table);
        open.truncate(MAX_OPEN);
        Ok(ask(&open[0]))
    }

    /// Brings the tables that are watched up to date, and returns a number that changes whenever
    /// memories of a store that is in use may have changed.
    pub(crate) fn refresh_watched(&self) -> u64 {
        let mut open = self.lock();
        let watched = open.iter_mut().filter(|table| table.is_watched());
        watched
            .map(|table| {
                // Whoever asks for the memories is told why they cannot be read.
                let _ = table.refresh();
                table.revision()
            })
            .sum()
    }

    /// Locks the tables. Those that a call was changing when it panicked are read again.
    fn lock(&self) -> MutexGuard<'_, Vec<MemoryTable>> {
        self.open.lock().unwrap_or_else(|poisoned| reset_poisoned(&self.open, poisoned))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::table::tests::temporary_folder;

    #[test]
    fn a_store_has_one_table_as_long_as_it_has_its_folder() {
        let (_held, top) = temporary_folder();
        let tables = MemoryTables::default();
        tables.start_watching();
        let count = |name: &str| {
            let store = top.open_dir(name).expect("a store");
            tables.with_table(&store, |table| table.categories().len()).expect("a ledger")
        };
        for number in 0..=MAX_OPEN {
            top.create_dir_all(format!("s{number}/a")).expect("a store");
            assert_eq!(count(&format!("s{number}")), 1);
        }
        top.create_dir("s1/b").expect("a category");
        assert_eq!((count("s1"), count("s0")), (2, 1));
        top.rename("s1", &top, "s9").expect("moved");
        top.create_dir("s1").expect("another store");
        assert_eq!((count("s1"), count("s9")), (0, 2));
        assert_eq!(tables.open.lock().expect("ledgers").len(), MAX_OPEN);
    }
}
