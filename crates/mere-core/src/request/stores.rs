//! The `list_stores` tool, which takes no arguments, and the commands of people about stores.

use super::arguments::Parameter;
use crate::address::{ModName, RelPath};
use crate::category::{CategoryMode, Description, Force};
use crate::item::{Category, MemoryPath, Scope};

pub(super) const ABOUT: &str =
    "The stores of memories, their modes, and the categories that the configuration defines.";

pub(super) const PARAMETERS: &[Parameter] = &[];

/// One command about stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreCommand {
    /// Adds a store to the configuration, and creates its categories.
    Init(NewStore),
    /// Creates the categories that the configurations name.
    Sync,
    /// Reads every memory of the served store again, and reports the invalid ones.
    Reindex,
    /// Gives a file or a folder of the served store a name that a memory or a category can have.
    Rename(StrayRename),
    /// Deletes the expired memories of the served store.
    Prune(DryRun),
    /// Adds a category of the served store to its configuration.
    Define {
        /// The category.
        path: Category,
        /// The description of the category.
        description: Option<Description>,
    },
    /// Removes a category of the served store from its configuration. Its folder stays.
    Undefine {
        /// The category.
        path: Category,
    },
}

/// A file or a folder to rename.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StrayRename {
    /// Its path from the folder of the store.
    pub from: RelPath,
    /// The path of the memory or the category that it becomes.
    pub to: MemoryPath,
    /// Tells whether the person overrides the mode of the store.
    pub force: Force,
}

/// A store to create.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStore {
    /// The name of the store.
    pub name: ModName,
    /// The scope whose configuration names it.
    pub scope: Scope,
    /// The path as the configuration states it, or `None` for `./NAME`.
    pub path: Option<String>,
    /// The template that it begins with.
    pub template: StoreTemplate,
    /// The category mode, or `None` for that of the template.
    pub mode: Option<CategoryMode>,
}

/// The template of a new store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreTemplate {
    /// An empty store.
    Blank,
    /// A store for one project.
    Project,
    /// A store for several people.
    Team,
}

/// Tells whether something is done or only reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DryRun {
    /// It is done.
    No,
    /// It is only reported.
    Yes,
}
