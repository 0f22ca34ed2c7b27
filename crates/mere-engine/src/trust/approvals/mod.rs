//! What a person has approved: widening configurations, sensitive files, what tools ask for, and wide
//! folders that are meant as projects; and the floor below which the rules of a project do not fall without that.
//!
//! Approvals are kept in the user's own folders, each for one project, where no agent can write.

pub(crate) mod files;
pub(crate) mod grants;
pub(crate) mod project;
pub(crate) mod records;
pub(crate) mod rule_floor;
pub(crate) mod wide_roots;
