//! Whatever happens to a store, its ledger is what a fresh reading finds.

mod chance;
mod changes;
mod pages;

use cap_std::fs::Dir;
use jiff::Timestamp;
use tempfile::TempDir;

use super::{Ledger, Row};
use mere_host::{FolderWatcher, Interest};

/// Makes an empty folder, which is removed with its guard.
#[expect(clippy::disallowed_methods, reason = "a test makes its own folder")]
pub(in crate::store) fn temporary_folder() -> (TempDir, Dir) {
    let held = tempfile::tempdir().expect("a temporary folder");
    let folder = Dir::open_ambient_dir(held.path(), cap_std::ambient_authority());
    (held, folder.expect("its handle"))
}

/// A store, and a folder beside it.
struct Scene {
    top: Dir,
    _held: TempDir,
}

impl Scene {
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

    fn watched(&self) -> Ledger {
        Ledger::open(self.store(), FolderWatcher::new(Interest::Contents)).expect("a ledger")
    }

    fn unwatched(&self) -> Ledger {
        Ledger::open(self.store(), FolderWatcher::new_disabled()).expect("a ledger")
    }

    /// Whether a ledger is what a fresh reading finds.
    fn check(&self, ledger: &mut Ledger, what: &str) {
        ledger.refresh().expect("a refreshed ledger");
        assert_eq!(told(ledger), told(&self.unwatched()), "{what}");
    }
}

type Told = (String, String, Vec<String>, Timestamp, Option<Timestamp>, u64, bool);

fn told(ledger: &Ledger) -> (Vec<Told>, Vec<String>) {
    let rows = ledger.rows.all().iter().map(|slot| {
        let row = Row::clone(&slot.row);
        (row.path, row.title, row.tags, row.updated_at, row.expires_at, row.bytes, row.fault)
    });
    (rows.collect(), ledger.categories().iter().map(ToString::to_string).collect())
}
