//! Errors of calls about items.
//!
//! They carry addresses, never host paths. The sentences for people and agents are written
//! elsewhere.

use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::{ItemFault, ItemRef, ItemType, Scope, ScopedPath, Version};
use mere_core::schema::{Problem, SchemaError};
use serde_json::Value;

use super::checked_item::{BrokenItem, UntrustedItem};
use crate::commands::TeamRefusal;
use crate::policy::Denied;
use crate::trust::RosterTrouble;
use crate::trust::approvals::records::RecordError;
use crate::trust::keys::KeyFault;

/// The reason why a call about an item failed. Its ids and addresses were parsed, so they are safe
/// to repeat in a reply.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemError {
    #[error("there is no such {kind}")]
    Missing { kind: ItemType, item: Box<ItemRef>, scopes: Vec<Scope>, suggestions: Vec<String> },
    #[error("the id means several items")]
    Ambiguous { kind: ItemType, item: Box<ItemRef>, candidates: Vec<ScopedPath> },
    #[error("two items have the same name")]
    Clash { kind: ItemType, item: Box<ItemRef>, candidates: Vec<ScopedPath> },
    #[error("{address} is not valid")]
    Faulty { address: Address, fault: Box<ItemFault> },
    #[error("{address} has another version")]
    WrongVersion { address: Address, has: Option<Version> },
    #[error("no registry is configured")]
    NoRegistry,
    #[error("items of type {0} cannot be run")]
    NotRunnable(ItemType),
    #[error("a schema is invalid")]
    InvalidSchema { address: Option<Address>, error: SchemaError },
    #[error("the inputs are invalid")]
    InvalidInputs(Box<WrongInputs>),
    #[error("the frontmatter is invalid")]
    InvalidFrontmatter { address: Option<Address>, problems: Vec<Problem> },
    #[error("the spaces cannot be searched")]
    Unsearchable(#[source] std::io::Error),
    #[error(transparent)]
    Key(KeyFault),
    #[error(transparent)]
    Team(RosterTrouble),
    #[error(transparent)]
    TeamRefused(Box<TeamRefusal>),
    #[error(transparent)]
    Record(RecordError),
    #[error("{} is broken: {}", .0.address, .0.failure.status())]
    Broken(Box<BrokenItem>),
    #[error("the item may not be used: {0}")]
    UseDenied(Box<UntrustedItem>),
    #[error(transparent)]
    Change(#[from] ItemChangeError),
}

impl From<TeamRefusal> for ItemError {
    fn from(fault: TeamRefusal) -> Self {
        Self::TeamRefused(Box::new(fault))
    }
}

/// The reason why an item was not created, changed or deleted. Nothing was changed in any of these
/// cases.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemChangeError {
    #[error("items of type {0} cannot be created this way")]
    UnsupportedType(ItemType),
    #[error("{0} already exists")]
    AlreadyExists(Address),
    #[error("{address} has changed")]
    Stale { address: Address, current: Option<Sha256> },
    #[error("what was given for {address} is not valid")]
    Invalid { address: Address, fault: Box<ItemFault> },
    #[error("the files are not allowed")]
    InvalidFiles(&'static str),
    #[error("nothing can be placed there")]
    InvalidPlace,
    #[error("the space was made by a newer version of this program")]
    NewerFormat,
    #[error("the change touches hidden parts of {0}")]
    TouchesMasked(Address),
    #[error("{0} took too long")]
    TimedOut(Address),
    #[error("{0} is signed by someone else")]
    SignedByOther(Address),
    #[error("{0} is a draft")]
    IsDraft(Address),
    #[error("memories are not signed")]
    MemoryNotSigned,
    #[error("there is no git repository")]
    NoGitRepository,
    #[error("the staged version of {0} differs from the file")]
    NotStaged(RelPath),
    #[error("the editor for {0} exited with an error")]
    EditorFailed(Address),
    #[error("{address} could not be written")]
    WriteFailed { address: Address, cause: std::io::Error },
    #[error(transparent)]
    Denied(#[from] Denied),
    #[error(transparent)]
    Proposal(#[from] ProposalError),
}

/// The reason why a proposal was not accepted.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProposalError {
    #[error("there is no such proposal")]
    Missing,
    #[error("the proposal has changed")]
    Changed,
    #[error("a proposal is broken: {0}")]
    Invalid(&'static str),
}

/// Inputs that do not match the schema of a directive or tool.
#[derive(Debug)]
pub(crate) struct WrongInputs {
    pub(crate) address: Address,
    pub(crate) problems: Vec<Problem>,
    pub(crate) schema: Value,
    /// Example inputs that would match, as far as they can be generated.
    pub(crate) example: Value,
}
