//! Why a tool has nothing to show.
//!
//! One type for all tools, so that every failure is put into words in one place: `crate::error`.

use mere_core::address::Address;

use crate::files::file_change::ChangeError;
use crate::items::{ItemChangeError, ItemError};
use crate::memory::StoreError;
use crate::run::RunError;
use crate::search::SearchError;
use crate::world::{ResolveError, TraversalError, WorldError};

/// A call that failed. It carries addresses, never paths; what the machine reported goes to the
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
    WrongCursor,
    #[error("the regular expression is not valid")]
    InvalidExpression,
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
    TimedOut(Address),
}

impl From<RunError> for ToolError {
    fn from(error: RunError) -> Self {
        Self::Run(Box::new(error))
    }
}

impl From<ItemChangeError> for ToolError {
    fn from(error: ItemChangeError) -> Self {
        Self::Item(error.into())
    }
}

impl ToolError {
    /// Converts the failure of a traversal that started at `address`.
    pub(crate) fn from_traversal(error: TraversalError, address: &Address) -> Self {
        match error {
            TraversalError::Cancelled => Self::Cancelled,
            TraversalError::TimedOut => Self::TimedOut(address.clone()),
            TraversalError::Unreadable(cause) => Self::unreadable(address, cause),
        }
    }

    pub(crate) fn unreadable(address: &Address, cause: std::io::Error) -> Self {
        Self::Unreadable { address: address.clone(), cause }
    }
}
