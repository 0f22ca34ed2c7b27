//! Categories: who may make and delete them, which are protected, and what they ask of memories.
//!
//! [`Rules`] decide; a [`Permit`] is the decision and the change in one. The same rules serve the
//! memories of a store and the items of a space. Nothing here touches a disk.

mod change;
mod description;
mod hierarchy;
mod mode;
mod policy;
mod refusal;
mod rules;
#[cfg(test)]
mod tests;

pub use change::{Change, Depth, Permit};
pub use description::{Description, DescriptionError};
pub use hierarchy::{Defined, Hierarchy};
pub use mode::{Mode, ModeError};
pub use policy::{MAX_DAYS, Operation, Permissions, Policy};
pub use refusal::{Contents, Denial, Flaw, Realm, Refusal};
pub use rules::{Asking, Force, Ground, Rules};
