//! Why a tool that looks at files, or writes them, has nothing to show.

use mere_core::address::Address;

use crate::change::ChangeError;
use crate::items::{ItemError, RunError, Unmade};
use crate::search::SearchError;
use crate::snapshot::WorldError;
use crate::store::StoreError;
use crate::world::{LookError, ResolveError};

/// A call that came to nothing. Carries addresses, never paths; what the machine said is for the
/// log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Path(#[from] ResolveError),
    #[error("{0} is a file")]
    NotADirectory(Address),
    #[error("{0} is a directory")]
    NotAFile(Address),
    #[error("the cursor belongs to another call")]
    Cursor,
    #[error("the regular expression is none")]
    Expression,
    #[error("{address} cannot be read")]
    Unreadable { address: Address, cause: std::io::Error },
    #[error(transparent)]
    Change(#[from] ChangeError),
    #[error(transparent)]
    Item(#[from] ItemError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Run(Box<RunError>),
    #[error("cancelled")]
    Cancelled,
    #[error("{0} took too long")]
    Late(Address),
}

impl From<RunError> for ToolError {
    fn from(error: RunError) -> Self {
        Self::Run(Box::new(error))
    }
}

impl From<Unmade> for ToolError {
    fn from(error: Unmade) -> Self {
        Self::Item(error.into())
    }
}

impl ToolError {
    /// What became of looking at `address`.
    pub(crate) fn looking(error: LookError, address: &Address) -> Self {
        match error {
            LookError::Cancelled => Self::Cancelled,
            LookError::Late => Self::Late(address.clone()),
            LookError::Unreadable(cause) => Self::unreadable(address, cause),
        }
    }

    pub(crate) fn unreadable(address: &Address, cause: std::io::Error) -> Self {
        Self::Unreadable { address: address.clone(), cause }
    }
}
