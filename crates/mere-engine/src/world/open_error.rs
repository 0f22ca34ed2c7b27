//! Why a session cannot be opened.

use mere_core::address::ModName;
use mere_core::category::CategoryModeError;
use mere_host::EnvironmentError;

/// Why a session could not be opened. For people.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// There is no working directory, or a variable does not name a folder.
    #[error(transparent)]
    Environment(#[from] EnvironmentError),
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
    /// `--store` names a store that cannot be served.
    #[error("{0}")]
    UnavailableStore(String),
}

fn known_stores(known: &[ModName]) -> String {
    if known.is_empty() {
        return "no store is available (`mere where` shows what is being ignored)".to_owned();
    }
    let known = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>();
    format!("available stores: {}", known.join(", "))
}
