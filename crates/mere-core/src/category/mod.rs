//! Categories: who may create and delete them, which are protected, and what they require of
//! memories.
//!
//! [`CategoryRules`] decide; a [`Permit`] is the decision and the change in one. The same rules
//! apply to the memories of a store and to the items of a space. Nothing here touches a disk.

mod change;
mod description;
mod hierarchy;
mod mode;
mod policy;
mod refusal;
mod rules;
#[cfg(test)]
mod tests;

pub use change::{DeletableContents, Permit, StoreChange};
pub use description::{Description, DescriptionError};
pub use hierarchy::{ConfiguredCategory, Hierarchy};
pub use mode::{CategoryMode, CategoryModeError};
pub use policy::{MAX_TTL_DAYS, MemoryOperation, MemoryPermissions, MemoryPolicy};
pub use refusal::{CategoryContents, CategoryOwner, Configured, Denial, InvalidChange, Refusal};
pub use rules::{CategoryRules, ChangeContext, Force, StoreView};
