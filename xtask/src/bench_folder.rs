//! The temporary folder of a benchmark: an empty home, and the corpora beside it.
//!
//! Nothing of the user's own home or settings is used.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

const HOME: &str = "home";

/// The folder; it is deleted when this is dropped.
pub(crate) struct BenchFolder {
    base: TempDir,
}

impl BenchFolder {
    pub(crate) fn create() -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(base.path().join(HOME)).expect("a folder");
        Self { base }
    }

    /// Creates a folder for a corpus.
    pub(crate) fn create_folder(&self, name: &str) -> PathBuf {
        let folder = self.base.path().canonicalize().expect("the folder").join(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder
    }
}

/// Returns the home of every program that runs in a corpus. It is empty, so that nobody's settings
/// count.
pub(crate) fn home_for(folder: &Path) -> PathBuf {
    folder.with_file_name(HOME)
}
