//! How an item may be changed: directly, or as a proposal that a person decides on.
//!
//! An [`ItemPermit`] is the change itself, so it cannot be spent on another. A new item needs the
//! permit of its category, and a copy in another space the permit to install.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::{Scope, ScopedPath};
use mere_core::request::Reader;

use super::{CategoryPermit, Denied};
use crate::config::{AgentsConfig, WriteMode};

/// A change to an item.
pub(crate) struct ItemChange {
    place: ScopedPath,
    operation: ItemOperation,
}

/// What happens to an item. A file has its path from the main file's folder, and the main file is
/// the last one.
pub(crate) enum ItemOperation {
    /// The item is created with these files. There must be nothing of its name.
    Create { files: Vec<(RelPath, Vec<u8>)> },
    /// The item gets these files. The digest of the whole item must be this.
    Replace { files: Vec<(RelPath, Vec<u8>)>, digest: Sha256 },
    /// The item gets these files and has no others. The digest of the whole item must be this.
    ReplaceWhole { files: Vec<(RelPath, Vec<u8>)>, digest: Sha256 },
    /// The item is deleted. The digest of the whole item must be this.
    Remove { digest: Sha256 },
    /// The item gets this sidecar. The digest of the whole item must be this.
    AddSidecar { sidecar: Vec<u8>, digest: Sha256 },
}

impl ItemChange {
    /// Creates the item at the place that a permit is for.
    pub(crate) fn create(permit: CategoryPermit, files: Vec<(RelPath, Vec<u8>)>) -> Self {
        Self { place: permit.into_place(), operation: ItemOperation::Create { files } }
    }

    /// Replaces files of the item whose whole digest is given.
    pub(crate) fn replace(
        place: ScopedPath,
        files: Vec<(RelPath, Vec<u8>)>,
        digest: Sha256,
    ) -> Self {
        Self { place, operation: ItemOperation::Replace { files, digest } }
    }

    /// Deletes the item whose whole digest is given.
    pub(crate) fn remove(place: ScopedPath, digest: Sha256) -> Self {
        Self { place, operation: ItemOperation::Remove { digest } }
    }

    /// Puts a sidecar beside the item whose whole digest is given.
    pub(crate) fn add_sidecar(place: ScopedPath, sidecar: Vec<u8>, digest: Sha256) -> Self {
        Self { place, operation: ItemOperation::AddSidecar { sidecar, digest } }
    }

    /// Returns the paths of the files that are written, relative to the main file's folder.
    pub(crate) fn file_paths(&self) -> impl Iterator<Item = &RelPath> {
        let files = match &self.operation {
            ItemOperation::Create { files }
            | ItemOperation::Replace { files, .. }
            | ItemOperation::ReplaceWhole { files, .. } => &files[..],
            ItemOperation::Remove { .. } | ItemOperation::AddSidecar { .. } => &[],
        };
        files.iter().map(|(path, _)| path)
    }

    /// Returns where the item lies or will lie.
    pub(crate) fn place(&self) -> &ScopedPath {
        &self.place
    }
}

/// Whether a signature lies beside an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureState {
    Signed,
    Unsigned,
}

/// How a change is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChangeRoute {
    /// In place.
    Direct,
    /// As a proposal in the agent's workspace, which a person accepts or rejects.
    Propose,
}

/// A change to an item that policy allows, and how it is made.
pub struct ItemPermit {
    change: ItemChange,
    route: ChangeRoute,
}

impl ItemPermit {
    pub(crate) fn place(&self) -> &ScopedPath {
        &self.change.place
    }

    pub(crate) fn operation(&self) -> &ItemOperation {
        &self.change.operation
    }

    pub(crate) fn route(&self) -> ChangeRoute {
        self.route
    }
}

/// Allows a change to an item. A person changes it directly. For an agent the user's `agents.write`
/// decides, and items that are signed, or lie in the user's own space, are never overwritten.
pub(crate) fn permit_item(
    reader: Reader,
    agents: &AgentsConfig,
    change: ItemChange,
    signature_state: SignatureState,
) -> ItemPermit {
    let is_open =
        signature_state == SignatureState::Unsigned && change.place.scope == Scope::Project;
    let route = match (reader, agents.write_mode(change.place.kind)) {
        (Reader::Person, _) => ChangeRoute::Direct,
        (Reader::Agent, WriteMode::Direct) if is_open => ChangeRoute::Direct,
        (Reader::Agent, _) => ChangeRoute::Propose,
    };
    ItemPermit { change, route }
}

/// Permission for one caller to copy one item into another space.
#[derive(Debug)]
pub struct InstallPermit {
    reader: Reader,
}

/// Allows someone to copy an item between spaces, before anything is read for it.
pub(crate) fn permit_install(
    reader: Reader,
    agents: &AgentsConfig,
) -> Result<InstallPermit, Denied> {
    match reader {
        Reader::Agent if agents.may_install != Some(true) => Err(Denied::Install),
        Reader::Agent | Reader::Person => Ok(InstallPermit { reader }),
    }
}

impl InstallPermit {
    /// Returns whom the permit is for.
    pub(super) fn reader(&self) -> Reader {
        self.reader
    }

    /// Spends the permit on a copy with these files, which is written directly.
    #[expect(clippy::unused_self, reason = "a permit is spent once")]
    pub(crate) fn spend(
        self,
        destination: CategoryPermit,
        files: Vec<(RelPath, Vec<u8>)>,
    ) -> ItemPermit {
        ItemPermit { change: ItemChange::create(destination, files), route: ChangeRoute::Direct }
    }

    /// Spends the permit on another version of an installed item, whose whole digest is given. It is
    /// written directly.
    #[expect(clippy::unused_self, reason = "a permit is spent once")]
    pub(crate) fn spend_on_update(
        self,
        place: ScopedPath,
        files: Vec<(RelPath, Vec<u8>)>,
        digest: Sha256,
    ) -> ItemPermit {
        let operation = ItemOperation::ReplaceWhole { files, digest };
        ItemPermit { change: ItemChange { place, operation }, route: ChangeRoute::Direct }
    }
}

/// Permission for one caller to publish one item.
#[derive(Debug)]
pub struct PublishPermit(());

/// Allows someone to publish an item, before anything is read for it.
pub(crate) fn permit_publish(
    reader: Reader,
    agents: &AgentsConfig,
) -> Result<PublishPermit, Denied> {
    match reader {
        Reader::Agent if agents.may_publish != Some(true) => Err(Denied::Publish),
        Reader::Agent | Reader::Person => Ok(PublishPermit(())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_publishes_only_if_the_user_lets_agents_publish() {
        for (may_publish, expected) in [(None, false), (Some(false), false), (Some(true), true)] {
            let agents = AgentsConfig { may_publish, ..AgentsConfig::default() };
            assert_eq!(permit_publish(Reader::Agent, &agents).is_ok(), expected);
            assert!(permit_publish(Reader::Person, &agents).is_ok());
        }
    }
}
