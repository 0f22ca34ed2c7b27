//! The error of any tool call.
//!
//! One type for all tools, so that every failure is put into words in one place: `crate::error`.

use mere_core::address::Address;

use crate::files::error::FileError;
use crate::items::ItemError;
use crate::memory::StoreError;
use crate::offers::OfferError;
use crate::registry::RegistryError;
use crate::run::RunError;
use crate::search::SearchError;
use crate::space::ItemChangeError;
use crate::world::{NoProject, ResolveError, WorldError};

/// A call that failed. It carries addresses, never paths; what the machine reported goes to the
/// log.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ToolError {
    #[error(transparent)]
    File(#[from] FileError),
    #[error(transparent)]
    Item(ItemError),
    #[error(transparent)]
    Store(StoreError),
    #[error(transparent)]
    Search(#[from] SearchError),
    #[error(transparent)]
    Run(Box<RunError>),
    #[error(transparent)]
    Offer(OfferError),
    #[error(transparent)]
    Registry(Box<RegistryError>),
    /// `cd` was given something that is no root of this session.
    #[error("there is no such root")]
    NotARoot,
    /// The call names a run that is not open, or that belongs to another agent.
    #[error("there is no such run")]
    UnknownRun,
}

impl From<WorldError> for ToolError {
    fn from(error: WorldError) -> Self {
        Self::File(error.into())
    }
}

impl From<ResolveError> for ToolError {
    fn from(error: ResolveError) -> Self {
        Self::File(error.into())
    }
}

impl From<NoProject> for ToolError {
    fn from(error: NoProject) -> Self {
        Self::File(error.into())
    }
}

/// An error that came up from a lower room is stored as what it is, so that each error has one form
/// here.
impl From<StoreError> for ToolError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::File(error) => Self::File(error),
            StoreError::Change(error) => error.into(),
            error => Self::Store(error),
        }
    }
}

impl From<ItemError> for ToolError {
    fn from(error: ItemError) -> Self {
        match error {
            ItemError::File(error) => Self::File(error),
            ItemError::Store(error) => error.into(),
            error => Self::Item(error),
        }
    }
}

impl From<RunError> for ToolError {
    fn from(error: RunError) -> Self {
        match error {
            RunError::Item(error) => (*error).into(),
            RunError::Search(error) => Self::Search(error),
            error => Self::Run(Box::new(error)),
        }
    }
}

impl From<OfferError> for ToolError {
    fn from(error: OfferError) -> Self {
        match error {
            OfferError::Item(error) => (*error).into(),
            error => Self::Offer(error),
        }
    }
}

impl From<RegistryError> for ToolError {
    fn from(error: RegistryError) -> Self {
        match error {
            RegistryError::Item(error) => error.into(),
            RegistryError::Run(error) => (*error).into(),
            error => Self::Registry(Box::new(error)),
        }
    }
}

impl From<ItemChangeError> for ToolError {
    fn from(error: ItemChangeError) -> Self {
        Self::Item(error.into())
    }
}

impl ToolError {
    pub(crate) fn unreadable(address: &Address, cause: std::io::Error) -> Self {
        FileError::unreadable(address, cause).into()
    }
}
