//! Directories that no root shows: keys, trust, state, data, caches, and all workspaces.
//!
//! They are recognised by device and inode, so no name, link or mount makes them visible, even when
//! the project contains them.

use mere_host::FolderIdentity;

/// The identities of the hidden directories at one moment.
#[derive(Debug, Default)]
pub(crate) struct HiddenFolders(Vec<FolderIdentity>);

impl HiddenFolders {
    pub(crate) fn new(identities: Vec<FolderIdentity>) -> Self {
        Self(identities)
    }

    pub(crate) fn contains(&self, identity: FolderIdentity) -> bool {
        self.0.contains(&identity)
    }
}
