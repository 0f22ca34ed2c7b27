//! Which files an agent may change: those of its workspace, and nothing else.
//!
//! A [`Permit`] is the change itself: it names the file and what happens to it, so it cannot be
//! spent on another.

use mere_core::address::{Address, RelPath, Root};
use mere_core::digest::Sha256;
use mere_core::request::{FileChange, FileChangeKind};

use super::Denied;

/// A change that policy allows.
pub struct Permit<'a> {
    address: Address,
    change: &'a FileChange,
}

/// Allows a change to a file in the workspace, and to nothing else. Does not check whether the file
/// exists.
pub(crate) fn permit(address: Address, change: &FileChange) -> Result<Permit<'_>, Denied> {
    if *address.root() != Root::Workspace {
        return Err(Denied::OutsideWorkspace(address.with_root(Root::Workspace)));
    }
    if address.path().names().any(|name| name.eq_ignore_ascii_case(".git")) {
        return Err(Denied::Repository);
    }
    Ok(Permit { address, change })
}

impl Permit<'_> {
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    pub(crate) fn path(&self) -> &RelPath {
        self.address.path()
    }

    /// Returns what happens to the file.
    pub(crate) fn kind(&self) -> &FileChangeKind {
        &self.change.kind
    }

    /// Returns the digest that the file must have before the change.
    pub(crate) fn expect(&self) -> Option<Sha256> {
        self.change.expect
    }
}
