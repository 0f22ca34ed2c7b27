//! Running tools: the chain of tools that run each other, pinned by a lockfile, down to the sandbox
//! cell.
//!
//! There is one path, and each step has its own type: `CheckedItem` (who vouches for each link),
//! [`links::Linked`] (the links fit together), [`lock::Locked`] (they match the lockfile), `Config`, `Filled`
//! and `Subprocess` (what is run, and with which values), `Plan` (the cell). Each step fails closed
//! and names the link and the field at fault.

pub(crate) mod directive;
mod error;
mod execution;
mod links;
mod lock;
mod prepare;
mod ready;
mod show;

pub(crate) use error::RunError;
pub(super) use execution::{RunRequest, run_tool};
pub(super) use lock::lock;
pub(super) use prepare::prepare;
pub(super) use show::show_chain;
