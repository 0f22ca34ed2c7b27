//! Tools that run, and tools that must not.

pub(crate) mod chain;
mod displaced_elsewhere;
pub(crate) mod displaced_lock;
pub(crate) mod ends;
mod environment;
pub(crate) mod escape;
pub(crate) mod escape_hoards;
pub(crate) mod escape_limits;
pub(crate) mod functions;
mod grants;
pub(crate) mod layers;
pub(crate) mod lock;
pub(crate) mod network_names;
pub(crate) mod network_requests;
pub(crate) mod packages;
mod pinned;
mod project_changes;
mod project_copy;
mod project_crash;
mod project_view;
pub(crate) mod races;
mod receipts;
mod repositories;
mod secrets;
pub(crate) mod tamper;
pub(crate) mod tools;
pub(crate) mod unsigned;
