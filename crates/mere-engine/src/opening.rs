//! How a session is opened, and why one is not.

use mere_core::category::CategoryModeError;
use mere_core::name::{AgentName, ModName};

use mere_host::TypedPath;

/// Whether extra folders are part of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mods {
    /// As configured.
    #[default]
    Configured,
    /// None at all.
    Off,
}

/// Whether anything is remembered between two calls.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SessionState {
    /// The home root, under a session id: one client for the life of the process.
    #[default]
    Kept,
    /// Nothing: many clients, each call for itself.
    Stateless,
}

/// What a session is opened for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// Anything.
    #[default]
    Any,
    /// To run a tool: what that needs is made ready at once.
    Run,
}

/// How a session is opened.
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
    /// What is remembered.
    pub state: SessionState,
    /// `--store`: the store that calls are about.
    pub store: Option<ModName>,
    /// What for.
    pub purpose: Purpose,
}

/// What an operator chose of what is configured.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperatorChoice {
    pub(crate) mods: Mods,
    pub(crate) store: Option<ModName>,
}

/// Why there is no session. For people.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no working directory, or a variable names no folder.
    #[error("the surroundings cannot be read: {0}")]
    Environment(std::io::Error),
    /// There is no project.
    #[error("{0}")]
    Project(String),
    /// The project is where keys and approvals are kept.
    #[error("the project lies in a folder where keys or approvals are kept")]
    Private,
    /// `MERE_AGENT` is no name.
    #[error("`MERE_AGENT` is not a name: {0}")]
    Agent(mere_core::name::NameError),
    /// `MERE_CATEGORY_MODE` is no mode.
    #[error("`MERE_CATEGORY_MODE` is not a mode: {0}")]
    Mode(CategoryModeError),
    /// `--store` names none that is configured.
    #[error("no store is called `{name}`: {}", known_stores(.known))]
    Store {
        /// What was asked for.
        name: ModName,
        /// Those that are there.
        known: Vec<ModName>,
    },
}

fn known_stores(known: &[ModName]) -> String {
    if known.is_empty() {
        return "there is none (`mere where` says what does not count)".to_owned();
    }
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    format!("there is {}", known.join(", "))
}
