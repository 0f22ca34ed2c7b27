//! The reasons why a model was not fetched or removed.
//!
//! This file only names them; the sentences that people read are written with those of all other
//! errors.

use mere_core::embed::minilm::PackError;

use mere_host::{PipError, WriteError};

/// An error of `mere model`. Only people read it, so it may name files.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelCommandError {
    #[error("there is no folder for models because the home folder is unknown")]
    NoFolder,
    #[error("the model has not been fetched")]
    NotFetched,
    #[error(transparent)]
    Pip(#[from] PipError),
    #[error("{file} cannot be read: {cause}")]
    Unreadable { file: String, cause: std::io::Error },
    /// The bytes differ from those that were checked when this program was made.
    #[error("this is not the model's package")]
    Checksum,
    #[error("the package does not contain `{0}`")]
    MissingFile(&'static str),
    #[error("the model cannot be packed: {0}")]
    Pack(#[from] PackError),
    #[error(transparent)]
    Write(#[from] WriteError),
}
