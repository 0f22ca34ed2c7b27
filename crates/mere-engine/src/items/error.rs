//! Errors of calls about items.
//!
//! They carry addresses, never host paths. The sentences for people and agents are written
//! elsewhere.

use mere_core::address::Address;
use mere_core::item::{ItemFault, ItemRef, ItemType, Scope, ScopedPath, Version};
use mere_core::schema::{Problem, SchemaError};
use serde_json::Value;

use super::checked_item::{BrokenItem, UntrustedItem};
use crate::files::error::FileError;
use crate::memory::StoreError;
use crate::space::{BareScript, ItemChangeError};
use crate::trust::approvals::records::RecordError;
use crate::trust::keys::KeyFault;
use crate::trust::signers::SignerFault;
use crate::trust::{PinError, RosterTrouble, TeamRefusal};
use crate::world::ResolveError;

/// The reason why a call about an item failed. Its ids and addresses were parsed, so they are safe
/// to repeat in a reply.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemError {
    #[error("there is no such {}", .kind.noun())]
    Missing {
        kind: ItemType,
        item: Box<ItemRef>,
        scopes: Vec<Scope>,
        suggestions: Vec<String>,
        /// A script of that name that is no tool because it has no manifest.
        script: Option<Box<BareScript>>,
    },
    #[error("no item matches")]
    NoMatch { wanted: String, suggestions: Vec<String> },
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
    Signer(Box<SignerFault>),
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
    #[error(transparent)]
    File(#[from] FileError),
    /// A rule for categories, or a memory.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl ItemError {
    pub(crate) fn unreadable(address: &Address, cause: std::io::Error) -> Self {
        FileError::unreadable(address, cause).into()
    }
}

impl From<ResolveError> for ItemError {
    fn from(error: ResolveError) -> Self {
        Self::File(error.into())
    }
}

impl From<TeamRefusal> for ItemError {
    fn from(fault: TeamRefusal) -> Self {
        Self::TeamRefused(Box::new(fault))
    }
}

impl From<PinError> for ItemError {
    fn from(error: PinError) -> Self {
        match error {
            PinError::Record(error) => Self::Record(error),
            PinError::Stale(trouble) => Self::Team(trouble),
        }
    }
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
