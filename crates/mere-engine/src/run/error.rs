//! The reasons why a tool was not run, or why its result is not told. Except for the latter, nothing
//! was executed.
//!
//! Each one names the link, field or file at fault. The sentences for people and agents are written
//! elsewhere.

use mere_core::address::{Address, NetworkTarget};
use mere_core::chain::lock::LockMismatch;
use mere_core::chain::{
    ChainConfigFault, ChainFault, EntrypointFault, FillFault, ParametersFault, PrimitiveFault,
    ToolGrant,
};
use mere_core::item::{
    ItemFault, ItemId, ItemRef, ScopedPath, SecretName, ToolPermissions, Version,
};
use mere_core::mcp::PinnedPart;

use super::project_view::ProjectError;
use super::receipts::{ReceiptError, RunStage};
use super::replay::ReplayFault;
use crate::items::displaced_signature::DisplacedLockfile;
use crate::items::{ItemError, UntrustedItem, WrongInputs};
use crate::policy::RunRefusal;
use crate::search::SearchError;
use crate::trust::secret_store::SecretStoreError;
use mere_host::{PackagesError, RefusedHost, SandboxError, SweepReport};

/// A signed tool of which a newer version was seen.
#[derive(Debug)]
pub(crate) struct OlderTool {
    pub(crate) address: Address,
    pub(crate) place: ScopedPath,
    pub(crate) version: Option<Version>,
    pub(crate) newest: Version,
}

/// The reason why a tool was not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// The executor of a link was not found.
    #[error("`executor_id` of `{link}` is `{executor}`: {error}")]
    ExecutorNotFound { link: ItemId, executor: ItemId, error: Box<ItemError> },
    #[error(transparent)]
    Chain(ChainFault),
    #[error(transparent)]
    Config(ChainConfigFault),
    #[error(transparent)]
    Fill(FillFault),
    #[error(transparent)]
    Parameters(ParametersFault),
    /// The tool says nothing about parameters, so it takes none.
    #[error("`{tool}` takes no parameters")]
    TakesNoParameters { tool: ItemRef, wrong: Box<WrongInputs> },
    #[error(transparent)]
    Primitive(PrimitiveFault),
    #[error(transparent)]
    Entrypoint(EntrypointFault),
    /// The entrypoint is not one of the tool's files.
    #[error("`manifest.entrypoint` of `{0}` is not one of its files")]
    NoEntrypoint(ItemId),
    /// A file no longer matches what was just verified.
    #[error("{0} changed while it was read")]
    FileChanged(Address),
    #[error("nobody vouches for {}", .0.address)]
    Unsigned(Box<UntrustedItem>),
    #[error("{} is older than a version that was seen", .0.address)]
    Older(Box<OlderTool>),
    /// The record of the versions that were seen cannot be read.
    #[error("it is not known which versions of {0} were seen")]
    Unrecorded(Address),
    #[error("there is no lockfile for {tool}@{version}")]
    NoLockfile { tool: Box<ItemRef>, version: Version },
    #[error("nobody vouches for the lockfile {}", .0.address)]
    LockUnsigned(Box<UntrustedItem>),
    #[error("the lockfile {address} is not valid")]
    LockInvalid { address: Address, fault: Box<ItemFault> },
    #[error("the lockfile {0} belongs to another space")]
    LockOfOtherSpace(Address),
    #[error("the chain of {tool} is not what {lockfile} pins: {drift:?}")]
    Drift { tool: Box<ItemRef>, lockfile: Address, drift: Box<LockMismatch> },
    /// The tool asks for a variable, under a name of its own, that the user's config does not give
    /// to tools.
    #[error("the variable {1} is not given to tools")]
    VariableNotAllowed(String, String),
    #[error("the signature of a lockfile is not beside it")]
    LockDisplaced(Box<DisplacedLockfile>),
    /// A lockfile of the tool's name and version pins a tool that does not exist.
    #[error("the lockfile {lockfile} pins `{pinned}`, which does not exist")]
    LockLeftBehind { lockfile: Address, pinned: Box<ItemRef>, tool: Box<ItemRef> },
    /// The run of a directive that the agent follows does not permit the tool.
    #[error(transparent)]
    OutsideRun(RunRefusal),
    /// The tool asks for more than a person granted.
    #[error("`{tool}` was not granted what it asks for")]
    NotGranted { tool: Box<ItemRef>, missing: Box<ToolPermissions> },
    /// The URL of a request leads where the tool may not connect to.
    #[error("`{tool}` may not connect to {}", .refused.endpoint)]
    HostRefused {
        tool: Box<ItemRef>,
        refused: Box<RefusedHost>,
        /// What was granted of it.
        target: Option<Box<NetworkTarget>>,
    },
    /// A server does not describe its tool as it is pinned. Without parts, it has no such tool.
    #[error("`{tool}` is not what was imported")]
    RemoteToolChanged { tool: Box<ItemRef>, server: Box<ItemRef>, changed: Vec<PinnedPart> },
    /// A secret was granted, but has no value.
    #[error("the secret {0} has no value")]
    Secret(SecretName, Box<SecretStoreError>),
    #[error("the program `{program}` was not found")]
    NoProgram { program: String, runtime: Option<ItemId> },
    #[error("the interpreter of `{runtime}` cannot be used")]
    BadInterpreter { runtime: ItemId, cause: std::io::Error },
    #[error("the packages of `{tool}` have not been fetched")]
    PackagesNotFetched { tool: ItemRef },
    #[error(transparent)]
    Packages(#[from] PackagesError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// The receipt could not be written. For people: the cause may name a host path.
    #[error("the receipt cannot be written: {cause}")]
    NoReceipt { stage: RunStage, cause: ReceiptError },
    #[error(transparent)]
    Replay(ReplayFault),
    /// The project cannot be shown to the tool, or its proposal was not saved.
    #[error(transparent)]
    Project(#[from] ProjectError),
    /// The tool ran, and left repositories in the workspace that could not be disarmed.
    #[error("repositories in the workspace could not be disarmed")]
    ArmedWorkspace(SweepReport),
    /// The entries related to a knowledge entry could not be found.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// An item that was needed could not be found, read or used.
    #[error(transparent)]
    Item(Box<ItemError>),
}

impl RunError {
    /// Says that a tool may not connect to a host, and what was granted of it.
    pub(super) fn refused_host(tool: ItemRef, grant: &ToolGrant, refused: RefusedHost) -> Self {
        let endpoint = &refused.endpoint;
        let mut granted = grant.hosts.iter();
        let granted = granted.find(|one| one.target.covers(&endpoint.host, endpoint.port));
        let target = granted.map(|one| Box::new(one.target.clone()));
        Self::HostRefused { tool: Box::new(tool), refused: Box::new(refused), target }
    }
}

impl<E: Into<ItemError>> From<E> for RunError {
    fn from(error: E) -> Self {
        Self::Item(Box::new(error.into()))
    }
}
