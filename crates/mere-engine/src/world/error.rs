//! The errors that prevent a session's roots from being built.

use std::io;
use std::sync::Arc;

use crate::config::ConfigError;
use crate::trust::approvals::project::EffectiveConfigError;
use crate::trust::approvals::rule_floor::FloorError;

/// The reason why the roots of a session could not be built.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum WorldError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The machine failed while the world was put together. What cannot be recognised as private
    /// must not be shown, so nothing is.
    #[error("reading or writing failed: {0}")]
    Io(Arc<io::Error>),
    /// What this machine has seen of the project's rules cannot be read, so nobody knows what must
    /// hold.
    #[error(transparent)]
    RuleFloor(#[from] FloorError),
}

impl From<EffectiveConfigError> for WorldError {
    fn from(error: EffectiveConfigError) -> Self {
        match error {
            EffectiveConfigError::Config(error) => Self::Config(error),
            EffectiveConfigError::Floor(error) => Self::RuleFloor(error),
        }
    }
}

impl From<io::Error> for WorldError {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}
