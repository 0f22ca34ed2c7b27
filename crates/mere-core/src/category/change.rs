//! What is to become of a store's categories and memories, and the proof that policy allows it.

use crate::digest::Sha256;
use crate::item::{Category, MemoryPath, MemoryText};

use super::Description;

/// One change to a store.
#[derive(Clone, Debug)]
pub enum StoreChange {
    /// A category is there, with its ancestors.
    CreateCategory {
        /// Which.
        path: Category,
        /// What it is for, where it is new.
        description: Description,
    },
    /// A category goes.
    DeleteCategory {
        /// Which.
        path: Category,
        /// What may be in it.
        deletable: DeletableContents,
    },
    /// A category is described so.
    DescribeCategory {
        /// Which.
        path: Category,
        /// What it is for; empty for nothing.
        description: Description,
    },
    /// A memory is made.
    CreateMemory {
        /// Where.
        path: MemoryPath,
        /// What it says.
        memory: MemoryText,
    },
    /// A memory is changed.
    UpdateMemory {
        /// Which.
        path: MemoryPath,
        /// What it says from now on.
        memory: MemoryText,
        /// What its file is before.
        before: Sha256,
    },
    /// A memory lies elsewhere.
    MoveMemory {
        /// Where it lies.
        from: MemoryPath,
        /// Where it goes.
        to: MemoryPath,
        /// What it says: it must fit where it goes.
        memory: MemoryText,
        /// What its file is.
        before: Sha256,
    },
    /// A memory goes because its time is over.
    PruneMemory {
        /// Which.
        path: MemoryPath,
        /// What it says: that it has expired.
        memory: MemoryText,
        /// What its file is.
        before: Sha256,
    },
    /// A memory goes.
    RemoveMemory {
        /// Which.
        path: MemoryPath,
        /// What its file is.
        before: Sha256,
    },
}

/// What may be in a category that is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletableContents {
    /// Nothing.
    Nothing,
    /// Memories and categories: they go too.
    Memories,
    /// Anything that may be seen.
    Visible,
    /// Anything at all, for a person who says so.
    Everything,
}

/// A change that policy allows. It is the change itself, so it cannot be spent on another.
#[derive(Debug)]
pub struct Permit {
    change: StoreChange,
}

impl Permit {
    /// Only [`super::Rules::permit`] makes one.
    pub(super) fn new(change: StoreChange) -> Self {
        Self { change }
    }

    /// What is allowed; this spends it.
    pub fn spend(self) -> StoreChange {
        self.change
    }
}
