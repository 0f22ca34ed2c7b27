//! Why meanings cannot be found by the model that is configured.

use crate::web::HttpError;

/// A model that cannot be used now. It names no path and no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EmbeddingError {
    /// The config wants none.
    #[error("there is no model")]
    Disabled,
    #[error("the model is not there")]
    Missing,
    #[error("the model cannot be read")]
    Damaged,
    #[error("the variable `{0}` is not set")]
    MissingKey(String),
    #[error("the endpoint cannot be used: {0}")]
    Http(#[from] HttpError),
    #[error("the endpoint did not answer with a vector for each text")]
    InvalidResponse,
}
