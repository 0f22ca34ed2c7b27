//! How a session is opened.
//!
//! These are the operator's choices for one process. The configuration is not read here.

use std::sync::Arc;

use mere_core::address::{AgentName, ModName};
use mere_host::{CellPool, TypedPath};

use crate::world::Mods;

/// Whether anything is remembered between two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionState {
    /// The home root is remembered under a session id: the process serves one client.
    #[default]
    Kept,
    /// There is one call under a session id, and nothing is remembered after it.
    OneCall,
    /// Nothing is remembered: the process serves many clients, and each call stands alone.
    Stateless,
}

/// The options with which a session is opened.
#[derive(Debug, Default)]
pub struct SessionOptions {
    /// `--project`.
    pub project: Option<TypedPath>,
    /// `-C`: the working directory.
    pub directory: Option<TypedPath>,
    /// `--agent`.
    pub agent: Option<AgentName>,
    /// `--no-mods`.
    pub mods: Mods,
    /// Whether anything is remembered between calls.
    pub state: SessionState,
    /// `--store`: the store that calls refer to.
    pub store: Option<ModName>,
    /// The sandbox cells, of which one may be in the making already.
    pub cells: Arc<CellPool>,
}
