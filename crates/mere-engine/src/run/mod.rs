//! Running tools: the chain of tools that run each other, pinned by a lockfile, down to the sandbox
//! cell.
//!
//! There is one path, and each step has its own type: `CheckedItem` (who vouches for each link),
//! [`Linked`] (the links may be run and fit together), [`Locked`] (they match the lockfile),
//! [`Ready`] (what is run, and with which values), `RunPlan` (the cell). Each step takes the one
//! before, fails closed, and names the link and the field at fault. A [`ShownChain`] is none of
//! them: it is only looked at.

mod call;
mod directive;
mod error;
mod execution;
pub(crate) mod grants;
mod inputs;
mod links;
pub(crate) mod lock;
mod prepare;
mod progress;
pub(crate) mod project_fields;
pub(crate) mod project_proposal;
mod project_view;
mod ready;
pub(crate) mod receipts;
pub(crate) mod replay;
mod request;
mod run_item;
mod runtime_needs;
mod server_session;
pub(crate) mod show;
mod variables;

pub(crate) use call::RunCall;
pub(crate) use error::{OlderTool, RunError};
pub(super) use execution::{RunRequest, run_tool};
pub(crate) use inputs::check_inputs;
pub(crate) use links::{DrawnChain, DrawnLink, builtin_links};
pub use links::{Linked, ShownChain};
pub use lock::Locked;
pub(super) use prepare::prepare;
pub(crate) use project_view::ProjectError;
pub use ready::{Ready, ReadyRequest, ReadySession};
pub(super) use replay::replay;
pub(crate) use run_item::run_item;
