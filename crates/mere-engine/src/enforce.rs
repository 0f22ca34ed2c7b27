//! What an agent may change: the only layer that denies.
//!
//! A [`Permit`] is made here alone, by the policy, and it is the change itself: it names the file
//! and what becomes of it, so it cannot be spent on another.

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::request::{Change, How};
use mere_core::root::Root;

/// A change that policy allows.
pub struct Permit<'a> {
    address: Address,
    change: &'a Change,
}

/// Policy says no.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Denied {
    /// Carries where the agent may write instead.
    #[error("agents write in their workspace only")]
    Elsewhere(Address),
    /// Git runs what such a folder says, as the person who runs git there.
    #[error("agents make no repositories")]
    Repository,
}

/// Allows a change of a file of the workspace, and of nothing else. Whether anything is there is
/// not looked at.
pub(crate) fn permit(address: Address, change: &Change) -> Result<Permit<'_>, Denied> {
    if *address.root() != Root::Workspace {
        return Err(Denied::Elsewhere(address.in_root(Root::Workspace)));
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

    /// What becomes of the file.
    pub(crate) fn how(&self) -> &How {
        &self.change.how
    }

    /// What it must be before.
    pub(crate) fn expect(&self) -> Option<Sha256> {
        self.change.expect
    }
}
