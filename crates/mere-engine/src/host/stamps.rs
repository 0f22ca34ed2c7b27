//! Whether files have changed since they were looked at, without reading them.

use std::path::Path;

use cap_fs_ext::MetadataExt;

/// What some files looked like at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Stamps(Vec<Option<Stamp>>);

#[derive(Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    size: u64,
    modified: Option<std::time::SystemTime>,
}

impl Stamps {
    /// Adds a file; that it is not there is a stamp too.
    pub(super) fn add(&mut self, path: &Path) {
        self.0.push(path.symlink_metadata().ok().map(|metadata| Stamp {
            inode: metadata.ino(),
            size: metadata.len(),
            modified: metadata.modified().ok(),
        }));
    }
}
