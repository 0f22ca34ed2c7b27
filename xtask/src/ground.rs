//! The temporary folder that everything happens in: a home that is empty, and a corpus beside it.

use std::path::{Path, PathBuf};

use tempfile::TempDir;

const HOME: &str = "home";

/// The folder and what is in it; it goes when this is dropped.
pub(crate) struct BenchFolder {
    base: TempDir,
}

impl BenchFolder {
    pub(crate) fn create() -> Self {
        let base = tempfile::tempdir().expect("a temporary folder");
        std::fs::create_dir(base.path().join(HOME)).expect("a folder");
        Self { base }
    }

    /// A new folder for a corpus.
    pub(crate) fn create_folder(&self, name: &str) -> PathBuf {
        let folder = self.base.path().canonicalize().expect("the folder").join(name);
        std::fs::create_dir(&folder).expect("a folder");
        folder
    }
}

/// The home of whatever is run in a corpus: empty, so that nobody's settings count.
pub(crate) fn home_for(folder: &Path) -> PathBuf {
    folder.with_file_name(HOME)
}
