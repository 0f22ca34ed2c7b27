//! What a listing leaves out and counts, each kind apart.

use super::walk::{Landing, WalkError};

/// How many entries were left out, by the reason.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Omitted {
    /// Their names cannot be part of an address.
    pub(crate) unaddressable: u64,
    /// Their names differ from another one in the same folder only in invisible characters.
    pub(crate) lookalikes: u64,
    /// They are links with an absolute target inside the root, which is followed by nobody: the
    /// same link would lead elsewhere on another machine.
    pub(crate) absolute_links: u64,
    /// They are links that lead out of the root.
    pub(crate) outside_links: u64,
}

impl Omitted {
    /// Counts a link by where it leads.
    pub(super) fn note_link(&mut self, walked: &Result<Landing, WalkError>) {
        match walked {
            Err(WalkError::LeavesRoot) => self.outside_links += 1,
            Err(WalkError::AbsoluteLink) => self.absolute_links += 1,
            Ok(_) | Err(WalkError::NotVisible | WalkError::Io(_)) => {}
        }
    }
}

impl std::ops::AddAssign for Omitted {
    fn add_assign(&mut self, other: Self) {
        self.unaddressable += other.unaddressable;
        self.lookalikes += other.lookalikes;
        self.absolute_links += other.absolute_links;
        self.outside_links += other.outside_links;
    }
}
