//! Why a tool was not run. Nothing was executed in any of these.

use mere_core::address::Address;
use mere_core::chain::pin::LockMismatch;
use mere_core::chain::{
    ChainConfigFault, ChainFault, EntrypointFault, FillFault, ParametersFault, SubprocessFault,
};
use mere_core::item::{ItemFault, ItemId, ItemRef, Version};

use super::super::ItemError;
use crate::enforce::UntrustedItem;
use mere_host::{PackagesError, SandboxError};

/// A tool that was not run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RunError {
    /// What runs a tool cannot be found.
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
    #[error(transparent)]
    Subprocess(SubprocessFault),
    #[error(transparent)]
    Entrypoint(EntrypointFault),
    /// The file that is to be run is not one of the tool's.
    #[error("`manifest.entrypoint` of `{0}` is not one of its files")]
    NoEntrypoint(ItemId),
    /// A file was not what had just been verified.
    #[error("{0} changed while it was read")]
    FileChanged(Address),
    #[error("nobody vouches for {}", .0.address)]
    Unsigned(Box<UntrustedItem>),
    #[error("there is no lockfile for {tool}@{version}")]
    NoLockfile { tool: ItemId, version: Version },
    #[error("nobody vouches for the lockfile {}", .0.address)]
    LockUnsigned(Box<UntrustedItem>),
    #[error("the lockfile {address} is not valid")]
    LockInvalid { address: Address, fault: Box<ItemFault> },
    #[error("the lockfile {0} is another space's")]
    LockOfOtherSpace(Address),
    #[error("the chain of {tool} is not what {lockfile} pins: {drift:?}")]
    Drift { tool: ItemId, lockfile: Address, drift: Box<LockMismatch> },
    /// What a tool asks for by a name of its own, and the user's config does not let tools have.
    #[error("the variable {1} is not given to tools")]
    VariableNotAllowed(String, String),
    #[error("the secret {1} was not granted")]
    SecretNotGranted(String, String),
    #[error("the program `{program}` is not there")]
    NoProgram { program: String, runtime: Option<ItemId> },
    #[error("the interpreter of `{runtime}` cannot be used")]
    BadInterpreter { runtime: ItemId, cause: std::io::Error },
    #[error("the packages of `{tool}` are not there")]
    PackagesNotFetched { tool: ItemRef },
    #[error(transparent)]
    Packages(#[from] PackagesError),
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
}
