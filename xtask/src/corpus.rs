//! The tree that is looked at, the same in every run.

use std::path::Path;

use tempfile::TempDir;

/// A folder of 483 entries.
pub(crate) const WIDE: &str = "wide";
/// A folder of 10 entries.
pub(crate) const NARROW: &str = "narrow";

/// Makes the tree in a temporary folder.
pub(crate) fn make() -> TempDir {
    let base = tempfile::tempdir().expect("a temporary folder");
    std::fs::create_dir(base.path().join(".git")).expect("a folder");
    fill(&base.path().join(WIDE), 483);
    fill(&base.path().join(NARROW), 10);
    base
}

/// Every tenth entry is a folder, the others are files.
fn fill(folder: &Path, entries: usize) {
    std::fs::create_dir(folder).expect("a folder");
    for number in 0..entries {
        let path = folder.join(format!("entry-{number:04}.txt"));
        if number % 10 == 0 {
            std::fs::create_dir(path).expect("a folder");
        } else {
            std::fs::write(path, format!("entry {number}\n")).expect("a file");
        }
    }
}
