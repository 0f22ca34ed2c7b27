//! What an agent may change: the only layer that denies.
//!
//! A [`Permit`] is made only here, by the policy, and it is the change itself: it names the file
//! and what happens to it, so it cannot be spent on another.

use mere_core::address::{Address, RelPath, Root};
use mere_core::category::{self, CategoryRules, ChangeContext, Force, Refusal, StoreView};
use mere_core::digest::Sha256;
use mere_core::item::{Category, Scope, ScopedPath};
use mere_core::request::{FileChange, FileChangeKind, Reader};

use crate::config::{AgentsConfig, WriteMode};
use crate::items::{CheckedItem, TrustStatus};

/// A change that policy allows.
pub struct Permit<'a> {
    address: Address,
    change: &'a FileChange,
}

/// A refusal by policy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Denied {
    /// Carries the address in the workspace where the agent may write instead.
    #[error("agents may only write in their workspace")]
    OutsideWorkspace(Address),
    /// Git executes what such a folder configures, as the person who runs git there.
    #[error("agents may not create repositories")]
    Repository,
    /// Only a person may copy an item into a space.
    #[error("agents may not install items")]
    Install,
    /// No person is present who could intend the signature.
    #[error("nobody is present to sign")]
    Sign,
}

/// The circumstances in which something is to be signed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SigningContext {
    pub(crate) reader: Reader,
    /// Whether the process has a controlling terminal.
    pub(crate) has_terminal: bool,
    /// Whether ssh-agent holds the key. It asks for confirmation in its own way.
    pub(crate) is_in_agent: bool,
    /// Whether the user's own configuration lets the key sign without asking anybody.
    pub(crate) is_unattended: bool,
}

/// Why something is to be signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SigningReason {
    /// A person asked for it.
    Requested,
    /// These are the examples that this program has just written itself.
    Examples,
    /// It is the placement of an item that an agent may install.
    Install,
}

/// Checks whether the user's key may sign. An agent can never cause a signature, except for a
/// placement where the user lets agents install.
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
    pub(crate) fn how(&self) -> &FileChangeKind {
        &self.change.kind
    }

    /// Returns the digest that the file must have before the change.
    pub(crate) fn expect(&self) -> Option<Sha256> {
        self.change.expect
    }
}

/// A change to an item.
pub(crate) struct ItemChange {
    pub(crate) place: ScopedPath,
    pub(crate) operation: ItemOperation,
}

/// What happens to an item.
pub(crate) enum ItemOperation {
    /// The item gets these files, each with its path from the main file's folder, the main file
    /// last.
    Put { files: Vec<(RelPath, Vec<u8>)>, before: ExpectedState },
    /// The item is deleted. The digest of the whole item must be this.
    Remove { whole: Sha256 },
    /// The item gets this sidecar. The digest of the whole item must be this.
    Seal { sidecar: Vec<u8>, whole: Sha256 },
}

/// What must be there before a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedState {
    /// Nothing of that name.
    Nothing,
    /// An item whose digest, over all its files, is this.
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
    /// As a proposal in the agent's workspace, which a person accepts or rejects.
    Propose,
}

/// A change to an item that policy allows, and how it is made.
pub struct ItemPermit {
    change: ItemChange,
    way: ChangeRoute,
}

/// Allows a change to an item. A person changes it directly. For an agent the user's `agents.write`
/// decides, and items that are signed, or lie in the user's own space, are never overwritten.
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

/// Allows an item in a category, which is created if it does not exist. The rule holds for people
/// as well.
pub(crate) fn permit_category<G: StoreView>(
    rules: &CategoryRules,
    category: &Category,
    ground: &G,
) -> Result<(), Refusal<G::Error>> {
    rules.check_item_category(category, ground)
}

/// An item that must be signed but has no signature by a trusted key.
#[derive(Debug, thiserror::Error)]
#[error("{address} is {}", .standing.status())]
pub(crate) struct UntrustedItem {
    pub(crate) address: Address,
    pub(crate) place: ScopedPath,
    pub(crate) standing: TrustStatus,
}

/// Whether an item must be signed before it is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SignatureRequirement {
    /// It must be signed by a trusted key.
    Required,
    /// It need not be signed.
    Optional,
}

/// Allows the use of an item. Where its type must be signed, nobody uses an item without a
/// signature by a trusted key, except a draft, which a person declared.
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

/// Allows a tool to be run: a trusted key must have signed it, unless a person at a terminal asked
/// for it explicitly.
pub(crate) fn permit_run(opened: &CheckedItem, is_meant: bool) -> Result<(), Box<UntrustedItem>> {
    match opened.trust_status {
        TrustStatus::Verified(_) => Ok(()),
        _ if is_meant => Ok(()),
        _ => Err(untrusted_item(opened)),
    }
}

/// Lets a lockfile count: a trusted key must have signed it, no matter who asks.
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

/// Checks whether someone may copy items between spaces at all, before anything is read for it.
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
