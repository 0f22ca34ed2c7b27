//! The errors that prevent a session's roots from being built.

use std::io;
use std::sync::Arc;

use crate::config::ConfigError;

/// The reason why the roots of a session could not be built.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum WorldError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The machine failed while the world was put together. What cannot be recognised as private
    /// must not be shown, so nothing is.
    #[error("reading or writing failed: {0}")]
    Io(Arc<io::Error>),
}

impl From<io::Error> for WorldError {
    fn from(error: io::Error) -> Self {
        Self::Io(Arc::new(error))
    }
}
