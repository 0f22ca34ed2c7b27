//! Running tools: the chain of those that run each other, pinned by a lockfile, and the cell it ends in.
//!
//! One way, and each step is another type: `Opened` (who vouches for each link), [`Linked`] (they fit together),
//! [`Locked`] (they are what was pinned), `Config`, `Filled`, `Subprocess` (what is run and with what), `Plan`
//! (the cell). Each step fails closed, and says which link and which field.

mod error;
mod links;
mod lock;
mod prepare;
mod ready;
mod run;
mod show;

pub(crate) use error::RunError;
pub(super) use lock::lock;
pub(super) use prepare::prepare;
pub(super) use run::{RunRequest, run_tool};
pub(super) use show::show_chain;
