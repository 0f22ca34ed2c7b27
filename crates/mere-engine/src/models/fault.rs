//! Why a model was not fetched, or not removed.

use mere_core::embed::minilm::PackError;

use mere_host::{PipError, WriteError};

/// Something that keeps a person from a model. File names are for people.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelCommandError {
    #[error("there is no folder for models: no home is known")]
    NoFolder,
    #[error("the model is not there")]
    NotFetched,
    #[error(transparent)]
    Pip(#[from] PipError),
    #[error("{file} cannot be read: {cause}")]
    Unreadable { file: String, cause: std::io::Error },
    /// Other bytes than those that were looked at when this program was made.
    #[error("that is not the package of the model")]
    Checksum,
    #[error("the package has no `{0}`")]
    MissingFile(&'static str),
    #[error("the package cannot be packed: {0}")]
    Pack(#[from] PackError),
    #[error(transparent)]
    Write(#[from] WriteError),
}
