//! Programs of the machine that Merestone starts for a person, and the ssh-agent that it asks.
//!
//! A tool never runs here; it runs in the sandbox.

pub(crate) mod editor;
pub(crate) mod fetcher;
pub(crate) mod git;
pub(crate) mod git_history;
pub(crate) mod git_merge;
pub(crate) mod packages;
pub(crate) mod pip;
pub(crate) mod secret_command;
pub(crate) mod server_process;
pub(crate) mod ssh_agent;
