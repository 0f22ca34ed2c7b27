//! The `list_stores` tool, which takes nothing, and what people do with stores.

use super::arguments::Parameter;
use crate::category::{CategoryMode, Description};
use crate::item::{Category, Scope};
use crate::name::ModName;

pub(super) const ABOUT: &str =
    "The stores of memories, their modes, and the categories that the configuration defines.";

pub(super) const PARAMETERS: &[Parameter] = &[];

/// What a person does with stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreCommand {
    /// Write a store into the configuration, and make its categories.
    Init(NewStore),
    /// Make the categories that the configurations name.
    Sync,
    /// Read every memory of the served store again, and say what is wrong with any.
    Reindex,
    /// Delete the memories of the served store that have expired.
    Prune(DryRun),
    /// Name a category of the served store in its configuration.
    Define {
        /// Which.
        path: Category,
        /// What it is for.
        description: Option<Description>,
    },
    /// Take a category of the served store out of its configuration. Its folder stays.
    Undefine {
        /// Which.
        path: Category,
    },
}

/// A store that is to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewStore {
    /// Its name.
    pub name: ModName,
    /// Whose configuration names it.
    pub scope: Scope,
    /// Where it lies, as the configuration says it; `./NAME` if nothing is said.
    pub path: Option<String>,
    /// What it begins with.
    pub template: StoreTemplate,
    /// How strictly its hierarchy holds; the template says if nothing else does.
    pub mode: Option<CategoryMode>,
}

/// What a store begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreTemplate {
    /// Nothing.
    Blank,
    /// What one project needs.
    Project,
    /// What several people need.
    Team,
}

/// Whether something is done or only told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DryRun {
    /// It is done.
    No,
    /// It is told.
    Yes,
}
