//! Why a call about files failed.
//!
//! The errors carry addresses, never paths. Their sentences are in the room `error`.

use mere_core::address::Address;

use super::file_change::ChangeError;
use crate::world::{NoProject, ResolveError, TraversalError, WorldError};

/// A call about files that failed. What the machine reported is for the log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error(transparent)]
    World(#[from] WorldError),
    #[error(transparent)]
    Path(#[from] ResolveError),
    #[error(transparent)]
    NoProject(#[from] NoProject),
    #[error("the folder of the project was deleted")]
    ProjectDeleted,
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
    #[error("cancelled")]
    Cancelled,
    #[error("{0} took too long")]
    TimedOut(Address),
}

impl FileError {
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
