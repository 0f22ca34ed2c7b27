//! What an agent may change: the only layer that denies.
//!
//! A [`Permit`] is made here alone, by the policy, and it is the change itself: it names the file
//! and what becomes of it, so it cannot be spent on another.

use mere_core::address::{Address, RelPath};
use mere_core::category::{self, CategoryRules, ChangeContext, Force, Refusal, StoreView};
use mere_core::digest::Sha256;
use mere_core::item::{Category, Scope, ScopedPath};
use mere_core::request::{FileChange, FileChangeKind, Reader};
use mere_core::root::Root;

use crate::config::{AgentsConfig, WriteMode};
use crate::items::{CheckedItem, TrustStatus};

/// A change that policy allows.
pub struct Permit<'a> {
    address: Address,
    change: &'a FileChange,
}

/// Policy says no.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Denied {
    /// Carries where the agent may write instead.
    #[error("agents write in their workspace only")]
    OutsideWorkspace(Address),
    /// Git runs what such a folder says, as the person who runs git there.
    #[error("agents make no repositories")]
    Repository,
    /// Copying an item into a space is for a person.
    #[error("agents install nothing")]
    Install,
    /// Nobody is there who could mean it.
    #[error("nobody is there to sign")]
    Sign,
}

/// Who is there when something is to be signed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SigningContext {
    pub(crate) reader: Reader,
    /// Whether the process has a controlling terminal.
    pub(crate) has_terminal: bool,
    /// Whether the key is held by ssh-agent, which asks in its own way.
    pub(crate) is_in_agent: bool,
    /// Whether the user's own config lets the key sign where nobody is asked.
    pub(crate) is_unattended: bool,
}

/// What is to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SigningReason {
    /// What a person asked for.
    Requested,
    /// The examples that this program has just written itself.
    Examples,
    /// Where an item lies that an agent may install.
    Install,
}

/// Whether the user's key may sign. Agents never can, but for a place in which the user lets them
/// install.
pub(crate) fn permit_signing(
    presence: SigningContext,
    errand: SigningReason,
) -> Result<(), Denied> {
    let is_meant = presence.has_terminal || presence.is_in_agent || presence.is_unattended;
    match (presence.reader, errand) {
        (_, SigningReason::Install) | (Reader::Person, SigningReason::Examples) => Ok(()),
        (Reader::Person, SigningReason::Requested) if is_meant => Ok(()),
        (Reader::Person | Reader::Agent, _) => Err(Denied::Sign),
    }
}

/// Allows a change of a file of the workspace, and of nothing else. Whether anything is there is
/// not looked at.
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

    /// What becomes of the file.
    pub(crate) fn how(&self) -> &FileChangeKind {
        &self.change.kind
    }

    /// What it must be before.
    pub(crate) fn expect(&self) -> Option<Sha256> {
        self.change.expect
    }
}

/// A change to an item.
pub(crate) struct ItemChange {
    pub(crate) place: ScopedPath,
    pub(crate) operation: ItemOperation,
}

/// What becomes of an item.
pub(crate) enum ItemOperation {
    /// It has these files, each by its path from the main file's folder, the main one last.
    Put { files: Vec<(RelPath, Vec<u8>)>, before: ExpectedState },
    /// It goes. All of it must be this.
    Remove { whole: Sha256 },
    /// It has this sidecar. All of it must be this.
    Seal { sidecar: Vec<u8>, whole: Sha256 },
}

/// What must be there before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedState {
    /// Nothing of that name.
    Nothing,
    /// An item with this digest of all it is.
    Whole(Sha256),
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
    /// In the agent's workspace, for a person to decide.
    Propose,
}

/// A change to an item that policy allows, and how.
pub struct ItemPermit {
    change: ItemChange,
    way: ChangeRoute,
}

/// Allows a change to an item. A person may do it at once; for an agent the user's `agents.write`
/// decides, and what is signed, or lies in the user's own space, is never written over.
pub(crate) fn permit_item(
    who: Reader,
    agents: &AgentsConfig,
    change: ItemChange,
    seal: SignatureState,
) -> ItemPermit {
    let is_open = seal == SignatureState::Unsigned && change.place.scope == Scope::Project;
    let way = match (who, agents.write_mode(change.place.kind)) {
        (Reader::Person, _) => ChangeRoute::Direct,
        (Reader::Agent, WriteMode::Direct) if is_open => ChangeRoute::Direct,
        (Reader::Agent, _) => ChangeRoute::Propose,
    };
    ItemPermit { change, way }
}

/// Allows a change to categories or memories, by the rules of their store. Agents never override
/// its mode.
pub(crate) fn permit_store_change<G: StoreView>(
    who: Reader,
    rules: &CategoryRules,
    change: category::StoreChange,
    (ground, asking): (&G, ChangeContext),
) -> Result<category::Permit, Refusal<G::Error>> {
    let force = match who {
        Reader::Agent => Force::No,
        Reader::Person => asking.force,
    };
    rules.permit(change, ground, ChangeContext { force, ..asking })
}

/// Allows an item in a category, which is made if it is not there. People keep to it as well.
pub(crate) fn permit_category<G: StoreView>(
    rules: &CategoryRules,
    category: &Category,
    ground: &G,
) -> Result<(), Refusal<G::Error>> {
    rules.check_item_category(category, ground)
}

/// An item that must be signed, and is not by a key that counts.
#[derive(Debug, thiserror::Error)]
#[error("{address} is {}", .standing.status())]
pub(crate) struct UntrustedItem {
    pub(crate) address: Address,
    pub(crate) place: ScopedPath,
    pub(crate) standing: TrustStatus,
}

/// What an item must have before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureRequirement {
    /// A signature by a key that counts.
    Required,
    /// Nothing.
    Optional,
}

/// Allows the use of an item. Where its type must be signed, nobody uses what no key that counts
/// has signed; a draft is the exception a person made.
pub(crate) fn permit_use(
    opened: &CheckedItem,
    demand: SignatureRequirement,
) -> Result<(), Box<UntrustedItem>> {
    match opened.trust_status {
        TrustStatus::Unsigned | TrustStatus::UnknownKey(_)
            if demand == SignatureRequirement::Required =>
        {
            Err(untrusted_item(opened))
        }
        _ => Ok(()),
    }
}

/// Allows a tool to be run: signed by a key that counts, unless a person at a terminal means it.
pub(crate) fn permit_run(opened: &CheckedItem, is_meant: bool) -> Result<(), Box<UntrustedItem>> {
    match opened.trust_status {
        TrustStatus::Verified(_) => Ok(()),
        _ if is_meant => Ok(()),
        _ => Err(untrusted_item(opened)),
    }
}

/// Lets a lockfile count: signed by a key that counts, whoever asks.
pub(crate) fn permit_lockfile(opened: &CheckedItem) -> Result<(), Box<UntrustedItem>> {
    match opened.trust_status {
        TrustStatus::Verified(_) => Ok(()),
        _ => Err(untrusted_item(opened)),
    }
}

fn untrusted_item(opened: &CheckedItem) -> Box<UntrustedItem> {
    Box::new(UntrustedItem {
        address: opened.loaded.address.clone(),
        place: opened.loaded.place.clone(),
        standing: opened.trust_status.clone(),
    })
}

/// Whether someone may copy items between spaces at all: before anything is read for it.
pub(crate) fn check_install(who: Reader, agents: &AgentsConfig) -> Result<(), Denied> {
    match who {
        Reader::Agent if agents.may_install != Some(true) => Err(Denied::Install),
        Reader::Agent | Reader::Person => Ok(()),
    }
}

/// Allows a copy of an item into another space.
pub(crate) fn permit_install(
    who: Reader,
    agents: &AgentsConfig,
    change: ItemChange,
) -> Result<ItemPermit, Denied> {
    check_install(who, agents)?;
    Ok(ItemPermit { change, way: ChangeRoute::Direct })
}

impl ItemPermit {
    pub(crate) fn place(&self) -> &ScopedPath {
        &self.change.place
    }

    pub(crate) fn operation(&self) -> &ItemOperation {
        &self.change.operation
    }

    pub(crate) fn route(&self) -> ChangeRoute {
        self.way
    }
}
