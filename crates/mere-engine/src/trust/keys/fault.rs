//! Why a key cannot be used, or a signature could not be made.
//!
//! The sentences that people read about these faults are in `crate::error`.

use mere_core::trust::Fingerprint;

use crate::policy::Denied;
use crate::trust::approvals::records::RecordError;
use mere_host::{KeyFileError, SshAgentError};

/// What went wrong with a key. For people: it may name a file of theirs.
#[derive(Debug, thiserror::Error)]
pub(crate) enum KeyFault {
    #[error("there is no key")]
    NoKey,
    #[error(transparent)]
    Denied(Denied),
    #[error("{0} is not one of the user's keys")]
    Unknown(Fingerprint),
    #[error("{0} was revoked")]
    Revoked(Fingerprint),
    #[error("{key} is an admin's, and {teams} teams cannot be changed without it")]
    NeededAdmin { key: Fingerprint, teams: usize },
    #[error("{0} is locked with a passphrase")]
    Locked(Fingerprint),
    #[error("{0} is locked with a passphrase of its own")]
    NextLocked(Fingerprint),
    #[error("that is not the passphrase of {0}")]
    WrongPassphrase(Fingerprint),
    #[error("{file} can be opened by other users: its mode is {mode:o}")]
    UnsafeMode { file: String, mode: u32 },
    #[error("{file} does not exist")]
    Missing { file: String },
    #[error("{file} is a link")]
    Link { file: String },
    #[error("{file} cannot be read: {cause}")]
    Unreadable { file: String, cause: String },
    #[error("{file} is not a key: {cause}")]
    InvalidFormat { file: String, cause: &'static str },
    #[error("{file} is not an Ed25519 key")]
    NotEd25519 { file: String },
    #[error("{file} no longer holds {key}")]
    Changed { file: String, key: Fingerprint },
    #[error("{0} already exists")]
    AlreadyExists(String),
    #[error("{0}")]
    Agent(String),
    #[error("ssh-agent does not hold {0}")]
    NotInAgent(Fingerprint),
    #[error("it could not be saved: {0}")]
    NotSaved(String),
    #[error("the system did not provide random bytes")]
    Random,
}

impl From<KeyFileError> for KeyFault {
    fn from(error: KeyFileError) -> Self {
        match error {
            KeyFileError::Missing(file) => Self::Missing { file },
            KeyFileError::Link(file) => Self::Link { file },
            KeyFileError::ModeTooOpen { file, mode } => Self::UnsafeMode { file, mode },
            KeyFileError::Unreadable { file, cause } => Self::Unreadable { file, cause },
            KeyFileError::AlreadyExists(file) => Self::AlreadyExists(file),
            KeyFileError::Unwritable { .. } => Self::NotSaved(error.to_string()),
        }
    }
}

impl From<RecordError> for KeyFault {
    fn from(error: RecordError) -> Self {
        Self::NotSaved(error.to_string())
    }
}

impl From<SshAgentError> for KeyFault {
    fn from(error: SshAgentError) -> Self {
        Self::Agent(error.to_string())
    }
}

impl From<getrandom::Error> for KeyFault {
    fn from(_: getrandom::Error) -> Self {
        Self::Random
    }
}
