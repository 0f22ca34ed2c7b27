//! Sharing items: the real client with the real server, and with one that lies.

mod agent_runs;
mod agents;
pub(crate) mod fixture;
mod guide;
mod installs;
mod lying;
mod lying_server;
