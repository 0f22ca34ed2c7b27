//! Whatever happens to a store, its table equals what a fresh scan finds.
//!
//! This file holds the store that the tests work on.

mod changes;
mod pages;
mod random_changes;

use cap_std::fs::Dir;
use jiff::Timestamp;
use tempfile::TempDir;

use super::{MemoryRow, MemoryTable, StoreStray};
use mere_host::{FolderWatcher, Interest};

/// Makes an empty folder, which is removed with its guard.
#[expect(clippy::disallowed_methods, reason = "a test makes its own folder")]
pub(in crate::memory) fn temporary_folder() -> (TempDir, Dir) {
    let held = tempfile::tempdir().expect("a temporary folder");
    let folder = Dir::open_ambient_dir(held.path(), cap_std::ambient_authority());
    (held, folder.expect("its handle"))
}

/// A store, and a folder beside it.
struct TestStore {
    top: Dir,
    _held: TempDir,
}

impl TestStore {
    fn new() -> Self {
        let (held, top) = temporary_folder();
        for name in ["store", "outside"] {
            top.create_dir(name).expect("a folder");
        }
        Self { top, _held: held }
    }

    fn store(&self) -> Dir {
        self.top.open_dir("store").expect("the store")
    }

    fn write(&self, path: &str, text: &str) {
        let path = format!("store/{path}.md");
        if let Some((folder, _)) = path.rsplit_once('/') {
            self.top.create_dir_all(folder).expect("a category");
        }
        self.top.write(&path, text).expect("a memory");
    }

    fn watched_table(&self) -> MemoryTable {
        MemoryTable::open(self.store(), FolderWatcher::new(Interest::Contents)).expect("a ledger")
    }

    fn unwatched_table(&self) -> MemoryTable {
        MemoryTable::open(self.store(), FolderWatcher::new_disabled()).expect("a ledger")
    }

    /// Checks that a table equals what a fresh scan finds.
    fn check_matches_disk(&self, table: &mut MemoryTable, what: &str) {
        table.refresh().expect("a refreshed ledger");
        assert_eq!(table_contents(table), table_contents(&self.unwatched_table()), "{what}");
    }
}

type RowFields = (String, String, Vec<String>, Timestamp, Option<Timestamp>, u64, bool);

fn table_contents(table: &MemoryTable) -> (Vec<RowFields>, Vec<String>, Vec<(String, StoreStray)>) {
    let rows = table.rows.all().iter().map(|slot| {
        let row = MemoryRow::clone(&slot.row);
        (row.path, row.title, row.tags, row.updated_at, row.expires_at, row.bytes, row.is_faulty)
    });
    let strays = table.strays().iter().map(|(path, stray)| (path.clone(), *stray)).collect();
    (rows.collect(), table.categories().iter().map(ToString::to_string).collect(), strays)
}
