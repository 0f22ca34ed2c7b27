//! Why the trust store was not changed.
//!
//! The sentences that people read about these faults are in `crate::error`.

use mere_core::trust::Fingerprint;

use crate::trust::approvals::records::RecordError;
use mere_host::KeyFileError;

/// What went wrong with somebody else's key. For people: it may name a file of theirs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SignerFault {
    #[error("no trusted key has that name")]
    Unknown,
    #[error("several trusted keys have that name")]
    Ambiguous(Vec<Fingerprint>),
    #[error("{0} is revoked")]
    Revoked(Fingerprint),
    #[error("{0} is an admin's, and {1} teams cannot be changed without it")]
    NeededAdmin(Fingerprint, usize),
    #[error("{0} is not trusted, so it cannot be rotated")]
    Untrusted(Fingerprint),
    #[error("{file} does not contain a public key: {cause}")]
    Form { file: String, cause: String },
    #[error("{file} is not a rotation: {cause}")]
    Rotation { file: String, cause: &'static str },
    #[error(transparent)]
    File(#[from] KeyFileError),
    #[error("{0} is damaged")]
    Damaged(String),
    #[error("{0}")]
    Exposed(String),
    #[error("it could not be saved: {0}")]
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
