//! The reasons why the configured model cannot embed texts.
//!
//! None of them makes a search fail: it goes on with words alone, and the reply says why.

use mere_host::HttpError;

/// An error of the embedding model. It names no path and no address, because agents read it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EmbeddingError {
    /// The config asks for no model.
    #[error("no embedding model is configured")]
    Disabled,
    #[error("the model has not been fetched")]
    Missing,
    #[error("the model cannot be read")]
    Damaged,
    #[error("the variable `{0}` is not set")]
    MissingKey(String),
    #[error("the endpoint cannot be used: {0}")]
    Http(#[from] HttpError),
    #[error("the endpoint did not return one vector for each text")]
    InvalidResponse,
}
