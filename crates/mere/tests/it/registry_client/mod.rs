//! Sharing items: the real client with the real server, and with one that lies.

mod agent_runs;
mod agents;
pub(crate) mod fixture;
mod guide;
mod guide_commands;
mod installs;
mod locks;
mod logins;
mod lying;
mod lying_server;
mod private;
mod witnesses;
