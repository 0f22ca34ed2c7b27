//! Changes to a store's categories and memories, and the proof that policy allows one.
//!
//! Nothing is changed here: a [`StoreChange`] only describes the change, and a [`Permit`] can be
//! made by [`super::CategoryRules::permit`] alone.

use crate::address::RelPath;
use crate::digest::Sha256;
use crate::item::{Category, MemoryPath, MemoryText};

use super::Description;

/// One change to a store.
#[derive(Clone, Debug)]
pub enum StoreChange {
    /// Creates a category and its missing ancestors.
    CreateCategory {
        /// The category to create.
        path: Category,
        /// What the category is for, if it is new.
        description: Description,
    },
    /// Deletes a category.
    DeleteCategory {
        /// The category to delete.
        path: Category,
        /// The contents that the category may have.
        deletable: DeletableContents,
    },
    /// Sets the description of a category.
    DescribeCategory {
        /// The category to describe.
        path: Category,
        /// What it is for; empty removes the description.
        description: Description,
    },
    /// Makes a category of a folder in the store whose name is not that of a category.
    AdoptFolder {
        /// The path of the folder from the store.
        from: RelPath,
        /// The category that it becomes.
        path: Category,
    },
    /// Makes a memory of a file in the store whose name is not that of a memory.
    AdoptFile {
        /// The path of the file from the store.
        from: RelPath,
        /// The path of the memory that it becomes.
        path: MemoryPath,
        /// Its text.
        memory: MemoryText,
    },
    /// Creates a memory.
    CreateMemory {
        /// The path of the new memory.
        path: MemoryPath,
        /// Its text.
        memory: MemoryText,
    },
    /// Changes a memory.
    UpdateMemory {
        /// The memory to change.
        path: MemoryPath,
        /// Its new text.
        memory: MemoryText,
        /// The digest of the file before the change.
        before: Sha256,
    },
    /// Moves or renames a memory.
    MoveMemory {
        /// The current path.
        from: MemoryPath,
        /// The new path.
        to: MemoryPath,
        /// Its text, which must satisfy the policy of the new category.
        memory: MemoryText,
        /// The digest of the file.
        before: Sha256,
    },
    /// Deletes a memory because it has expired.
    PruneMemory {
        /// The memory to delete.
        path: MemoryPath,
        /// Its text, which says that it has expired.
        memory: MemoryText,
        /// The digest of the file.
        before: Sha256,
    },
    /// Deletes a memory.
    RemoveMemory {
        /// The memory to delete.
        path: MemoryPath,
        /// The digest of the file.
        before: Sha256,
    },
}

/// The contents that a category may have when it is deleted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeletableContents {
    /// Nothing: the category must be empty.
    Nothing,
    /// Anything that may be seen. Memories and subcategories are deleted; what is neither stays,
    /// and so does its folder.
    Memories,
    /// Anything at all, if a person asks for that.
    Everything,
}

/// A change that policy allows. The permit is the change itself, so it cannot be spent on another.
#[derive(Debug)]
pub struct Permit {
    change: StoreChange,
}

impl Permit {
    /// Creates a permit. Only [`super::CategoryRules::permit`] calls this.
    pub(super) fn new(change: StoreChange) -> Self {
        Self { change }
    }

    /// Returns the permitted change and consumes the permit.
    pub fn spend(self) -> StoreChange {
        self.change
    }
}
