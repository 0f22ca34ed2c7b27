//! What the operator of a process selects from the configuration.

use mere_core::address::ModName;

/// Whether extra folders are part of the session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mods {
    /// The extra folders that are configured.
    #[default]
    Configured,
    /// No extra folders.
    Off,
}

/// What the operator selected from the configuration.
#[derive(Clone, Debug, Default)]
pub(crate) struct OperatorChoice {
    pub(crate) mods: Mods,
    pub(crate) store: Option<ModName>,
}
