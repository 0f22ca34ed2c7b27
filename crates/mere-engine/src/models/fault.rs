//! Why a model was not fetched, or not removed.

use mere_core::embed::minilm::PackError;

use mere_host::{PipError, WriteError};

/// Something that keeps a person from a model. File names are for people.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ModelFault {
    #[error("there is no folder for models: no home is known")]
    NoPlace,
    #[error("the model is not there")]
    Absent,
    #[error(transparent)]
    Pip(#[from] PipError),
    #[error("{file} cannot be read: {cause}")]
    Unreadable { file: String, cause: std::io::Error },
    /// Other bytes than those that were looked at when this program was made.
    #[error("that is not the package of the model")]
    Checksum,
    #[error("the package has no `{0}`")]
    Part(&'static str),
    #[error("the package cannot be packed: {0}")]
    Pack(#[from] PackError),
    #[error(transparent)]
    Unwritten(#[from] WriteError),
}
