//! What is permitted: with `mere_core::category` and `run/{lock,ready}.rs` the only code that denies.
//!
//! Every decision is a value with private fields that only this room makes, and that the next step
//! demands: a forgotten question does not compile. A permit that is a change, or is spent on one,
//! cannot be copied.

mod categories;
mod directive_runs;
mod file_changes;
mod grants;
mod item_changes;
mod item_use;
mod path_reach;
mod registry_use;
mod signing;

use mere_core::address::{Address, RepositoryName};

pub use categories::CategoryPermit;
pub(crate) use categories::{
    StoreChangeContext, permit_category, permit_lockfile_category, permit_store_change,
};
pub use directive_runs::RunPermit;
pub(crate) use directive_runs::{RunBond, RunLimits, RunRefusal, permit_call};
pub use file_changes::{EntryPermit, Permit};
pub(crate) use file_changes::{
    MoveEffect, MovePermit, PermittedEntryChange, permit, permit_entry_change, permit_move,
};
pub use grants::GrantedPermissions;
pub(crate) use grants::permit_grants;
pub(crate) use item_changes::{
    ChangeRoute, ItemChange, ItemOperation, SignatureState, permit_install, permit_item,
    permit_publish,
};
pub use item_changes::{InstallPermit, ItemPermit, PublishPermit};
pub use item_use::{CountedLockfile, Runnable, Usable};
pub(crate) use item_use::{
    RunContext, RunDenied, SignatureRequirement, permit_lockfile, permit_run, permit_use,
};
pub(crate) use path_reach::RunCoverage;
pub use registry_use::RegistryPermit;
pub(crate) use registry_use::RegistryUse;
pub use signing::SigningPermit;
pub(crate) use signing::{SigningContext, SigningReason, permit_rotation, permit_signing};

/// A refusal by policy.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Denied {
    /// Carries the address in the workspace where the agent may write instead.
    #[error("agents may only write in their workspace")]
    OutsideWorkspace(Address),
    /// Carries the address in the workspace that the agent could delete or move instead.
    #[error("agents may only delete and move what is in their workspace")]
    NotInWorkspace(Address),
    /// A move must not show what is hidden or masked at its present address.
    #[error("the move would show what is hidden")]
    Reveals,
    /// A version control program executes what a repository configures, as the person who runs it
    /// there.
    #[error("agents may not create repositories")]
    Repository(RepositoryName),
    /// The run of a directive that the agent follows does not permit it.
    #[error(transparent)]
    OutsideRun(#[from] RunRefusal),
    /// The user's config does not let agents install items.
    #[error("agents may not install items")]
    Install,
    /// The user's config does not let agents publish items.
    #[error("agents may not publish items")]
    Publish,
    /// No person is present who could intend the signature.
    #[error("nobody is present to sign")]
    Sign,
}
