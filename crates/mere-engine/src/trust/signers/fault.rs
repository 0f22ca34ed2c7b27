//! Why the trust store was not changed.
//!
//! The sentences that people read about these faults are in `crate::error`.

use mere_core::trust::Fingerprint;

use crate::trust::approvals::records::RecordError;
use mere_host::KeyFileError;

/// What went wrong with somebody else's key. For people: it may name a file of theirs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignerFault {
    #[error("no trusted key is called that")]
    Unknown,
    #[error("several trusted keys are called that")]
    Ambiguous(Vec<Fingerprint>),
    #[error("{0} is revoked")]
    Revoked(Fingerprint),
    #[error("{0} is not trusted, so nothing can come in its place")]
    Untrusted(Fingerprint),
    #[error("{file} holds no public key: {cause}")]
    Form { file: String, cause: String },
    #[error("{file} is no rotation: {cause}")]
    Rotation { file: String, cause: &'static str },
    #[error(transparent)]
    File(#[from] KeyFileError),
    #[error("{0} is damaged")]
    Damaged(String),
    #[error("it could not be kept: {0}")]
    NotSaved(String),
}

impl From<RecordError> for SignerFault {
    fn from(error: RecordError) -> Self {
        match error {
            RecordError::Damaged(file) => Self::Damaged(file),
            other => Self::NotSaved(other.to_string()),
        }
    }
}
