//! The errors of calls about stores, categories and memories.
//!
//! This file only lists them; the error room turns them into replies.

use std::io;

use jiff::Timestamp;
use mere_core::address::{Address, ModName};
use mere_core::category::{Denial, InvalidChange, Refusal};
use mere_core::item::{ItemFault, ItemType, MemoryPath};

use super::NoServedStore;
use super::configure::ConfigureError;
use super::rename::RenameError;
use crate::files::error::FileError;
use crate::space::ItemChangeError;
use crate::world::{ResolveError, WorldError};

/// Why a call about categories or memories failed. The paths in it were parsed, so a reply may
/// repeat them.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error(transparent)]
    NoServedStore(#[from] NoServedStore),
    #[error(transparent)]
    Denied(Denial),
    /// A category is not deleted because of what it contains, which is named as far as the caller
    /// may see it.
    #[error("{denial}")]
    CategoryKept { denial: Denial, left: Vec<String> },
    #[error(transparent)]
    Invalid(InvalidChange),
    /// With the memories of that slug in other categories.
    #[error("there is no memory at '{path}'")]
    Missing { path: MemoryPath, elsewhere: Vec<MemoryPath> },
    #[error("the memory at '{path}' has expired")]
    Expired { path: MemoryPath, at: Timestamp },
    #[error("a memory already exists at '{0}'")]
    MemoryExists(MemoryPath),
    #[error("the folder of the store `{0}` does not exist")]
    NoFolder(ModName),
    #[error("the folder of the store `{0}` is a link or a file")]
    Obstructed(ModName),
    #[error("the store `{store}` cannot be read")]
    Unreadable { store: ModName, cause: io::Error },
    #[error("the store `{store}` could not be changed")]
    WriteFailed { store: ModName, cause: io::Error },
    #[error("the categories of `{}` cannot be read", .kind.folder())]
    CategoriesUnreadable { kind: ItemType, cause: io::Error },
    #[error("the categories of `{}` could not be created", .kind.folder())]
    CategoriesNotCreated { kind: ItemType, cause: io::Error },
    #[error("the space was made by a newer version of this program")]
    NewerFormat,
    #[error("the store `{0}` is busy")]
    LockTimeout(ModName),
    #[error(transparent)]
    Configure(#[from] ConfigureError),
    #[error(transparent)]
    Rename(#[from] RenameError),
    #[error("the file is not a valid memory")]
    InvalidFile(Box<ItemFault>),
    #[error("the cursor belongs to a different call")]
    ForeignCursor,
    #[error("{address} is not valid")]
    Faulty { address: Address, fault: Box<ItemFault> },
    #[error(transparent)]
    Change(#[from] ItemChangeError),
    #[error(transparent)]
    File(#[from] FileError),
}

impl From<WorldError> for StoreError {
    fn from(error: WorldError) -> Self {
        Self::File(error.into())
    }
}

impl From<ResolveError> for StoreError {
    fn from(error: ResolveError) -> Self {
        Self::File(error.into())
    }
}

impl StoreError {
    pub(super) fn unreadable(address: &Address, cause: io::Error) -> Self {
        FileError::unreadable(address, cause).into()
    }

    /// Converts the refusal of a permit for a store.
    pub(super) fn from_refusal(store: &ModName, refusal: Refusal<io::Error>) -> Self {
        match refusal {
            Refusal::Denied(denial) => Self::Denied(denial),
            Refusal::Invalid(invalid) => Self::Invalid(invalid),
            Refusal::Unreadable(cause) => Self::Unreadable { store: store.clone(), cause },
        }
    }

    /// Converts the refusal of a permit for the categories of items.
    pub(super) fn from_item_refusal(kind: ItemType, refusal: Refusal<io::Error>) -> Self {
        match refusal {
            Refusal::Denied(denial) => Self::Denied(denial),
            Refusal::Invalid(invalid) => Self::Invalid(invalid),
            Refusal::Unreadable(cause) => Self::CategoriesUnreadable { kind, cause },
        }
    }
}
