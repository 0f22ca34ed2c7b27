//! What a person has approved: widening configurations and sensitive files.
//!
//! Approvals are kept in the user's own folders, each for one project, where no agent can write.

pub(crate) mod files;
pub(crate) mod project;
pub(crate) mod records;
