//! Whether files have changed since they were looked at, without reading them.

use cap_fs_ext::MetadataExt;

use super::Folder;

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
    /// Adds a file of a folder; that it is not there is a stamp too.
    pub(crate) fn add(&mut self, folder: Option<&Folder>, name: &str) {
        let metadata = folder.and_then(|folder| folder.dir().symlink_metadata(name).ok());
        self.0.push(metadata.map(|metadata| Stamp {
            inode: metadata.ino(),
            size: metadata.len(),
            modified: metadata.modified().ok().map(cap_std::time::SystemTime::into_std),
        }));
    }
}
