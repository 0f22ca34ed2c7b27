//! How a session is opened, and why opening one can fail.
//!
//! These are the operator's choices for one process. The configuration is not read here.

use mere_core::address::{AgentName, ModName};
use mere_core::category::CategoryModeError;

use mere_host::TypedPath;

/// Whether extra folders are part of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mods {
    /// The extra folders that are configured.
    #[default]
    Configured,
    /// No extra folders.
    Off,
}

/// Whether anything is remembered between two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionState {
    /// The home root is remembered under a session id: the process serves one client.
    #[default]
    Kept,
    /// Nothing is remembered: the process serves many clients, and each call stands alone.
    Stateless,
}

/// What a session is opened for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Any call.
    #[default]
    Any,
    /// Running a tool: what that needs is prepared at once.
    Run,
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
    /// What the session is for.
    pub purpose: Purpose,
}

/// What the operator selected from the configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperatorChoice {
    pub(crate) mods: Mods,
    pub(crate) store: Option<ModName>,
}

/// Why a session could not be opened. For people.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no working directory, or a variable does not name a folder.
    #[error("the environment cannot be read: {0}")]
    Environment(std::io::Error),
    /// No project was found.
    #[error("{0}")]
    Project(String),
    /// The project lies where keys and approvals are kept.
    #[error("the project lies in a folder where keys or approvals are kept")]
    Private,
    /// `MERE_AGENT` is not a valid name.
    #[error("`MERE_AGENT` is not a valid name: {0}")]
    Agent(mere_core::address::NameError),
    /// `MERE_CATEGORY_MODE` is not a valid mode.
    #[error("`MERE_CATEGORY_MODE` is not a valid mode: {0}")]
    Mode(CategoryModeError),
    /// `--store` names a store that is not configured.
    #[error("no store is called `{name}`; {}", known_stores(.known))]
    Store {
        /// The requested name.
        name: ModName,
        /// The stores that exist.
        known: Vec<ModName>,
    },
}

fn known_stores(known: &[ModName]) -> String {
    if known.is_empty() {
        return "no store is available (`mere where` shows what is being ignored)".to_owned();
    }
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    format!("available stores: {}", known.join(", "))
}
