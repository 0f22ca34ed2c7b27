//! The reasons why something in a space was not changed.
//!
//! They carry addresses, never host paths. The sentences for people and agents are written
//! elsewhere.

use mere_core::address::{Address, RelPath};
use mere_core::digest::ShownDigest;
use mere_core::item::{ItemFault, ItemId, ItemType};

use crate::policy::Denied;
use crate::world::NoProject;
use mere_host::{WorkspaceLimits, WorkspaceSize};

/// The reason why an item was not created, changed or deleted. Nothing was changed in any of these
/// cases.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemChangeError {
    #[error("items of type {0} cannot be created this way")]
    UnsupportedType(ItemType),
    #[error("{0} already exists")]
    AlreadyExists(Address),
    #[error("{address} has changed")]
    Stale { address: Address, current: Option<ShownDigest> },
    #[error("the digest of {0} cannot be compared")]
    DigestKey(Address),
    #[error("what was given for {address} is not valid")]
    Invalid { address: Address, fault: Box<ItemFault> },
    /// The content of an item that is created or changed, with an example of a valid one.
    #[error("what was given for {address} is not valid")]
    InvalidContent { address: Address, fault: Box<ItemFault>, template: Option<String> },
    #[error("the files are not allowed")]
    InvalidFiles(&'static str),
    #[error("the chosen script is not possible: {what}")]
    ScriptChoice { what: &'static str, fix: &'static str },
    #[error("nothing can be placed there")]
    InvalidPlace,
    #[error("the space was made by a newer version of this program")]
    NewerFormat,
    #[error("the change touches hidden parts of {0}")]
    TouchesMasked(Address),
    #[error("the workspace cannot take {address}")]
    WorkspaceFull { address: Address, size: WorkspaceSize, limits: WorkspaceLimits },
    #[error("{0} took too long")]
    TimedOut(Address),
    #[error("{0} is signed by someone else")]
    SignedByOther(Address),
    #[error("{0} is a draft")]
    IsDraft(Address),
    #[error("{address} was made for another space")]
    LockfileOfOtherSpace { address: Address, tool: ItemId },
    #[error("the space has no id")]
    NoSpaceId,
    #[error("memories are not signed")]
    MemoryNotSigned,
    #[error("git left conflict markers in {file}")]
    ConflictMarkers { file: String, line: usize },
    #[error("there is no git repository")]
    NoGitRepository,
    #[error("git failed")]
    GitFailed(#[source] std::io::Error),
    #[error("the staged version of {0} differs from the file")]
    NotStaged(RelPath),
    #[error("the editor for {0} exited with an error")]
    EditorFailed(Address),
    #[error("{address} could not be written")]
    WriteFailed { address: Address, cause: std::io::Error },
    #[error(transparent)]
    NoProject(#[from] NoProject),
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
    /// Files of the project are not what the tool saw.
    #[error("files are not what the tool saw")]
    Conflict(Vec<RelPath>),
}
