//! What the registry refuses, and what can fail in it.
//!
//! Every refusal has a stable code. Details are our own words, and at most name a file of the
//! caller's own statement.

use mere_core::registry::ProblemCode;

use crate::blobs::BlobError;
use crate::database::DatabaseError;

/// The reasons why a request or a command is not carried out.
#[derive(Debug, thiserror::Error)]
pub enum RegistryError {
    /// It is not there, or the caller may not know that it is.
    #[error("there is nothing of that name here")]
    NotFound,
    /// What the operator named is not there. Only the operator is told what is missing.
    #[error("there is no {0}")]
    Missing(String),
    /// The request needs a token.
    #[error("a token is required")]
    TokenRequired,
    /// The token is unknown, expired or revoked.
    #[error("the token is not valid")]
    TokenInvalid,
    /// The token does not permit the request.
    #[error("the token does not permit this")]
    NotPermitted,
    /// The request cannot be understood.
    #[error("{0}")]
    Malformed(&'static str),
    /// A name is not valid.
    #[error("{0}")]
    InvalidName(String),
    /// A name is taken, or can be mistaken for one that is.
    #[error("the name is taken, or too similar to one that is")]
    NameTaken,
    /// The version was published before. It is never replaced, not even after a yank.
    #[error("this version was published before, and a version is never replaced")]
    VersionExists,
    /// The version was withdrawn before.
    #[error("this version is yanked already")]
    AlreadyYanked,
    /// The statement of the author is not valid.
    #[error("the statement is not valid: {0}")]
    InvalidStatement(&'static str),
    /// No key of the namespace has signed.
    #[error("the statement is not signed by a key that is registered for the namespace")]
    WrongSigner,
    /// A file was not uploaded, or has another size.
    #[error("the blob of a file is missing or has another size: {0}")]
    MissingBlob(String),
    /// The files do not make the item that was signed.
    #[error("the item is not valid: {0}")]
    InvalidItem(String),
    /// The bytes are not those of the digest.
    #[error("the bytes do not have that digest")]
    WrongDigest,
    /// The database failed.
    #[error(transparent)]
    Database(#[from] DatabaseError),
    /// The blob store failed.
    #[error(transparent)]
    Blobs(#[from] BlobError),
    /// The log is damaged or cannot be signed.
    #[error("the log cannot be continued: {0}")]
    Log(&'static str),
    /// A file of the operator cannot be read or written.
    #[error("a file cannot be used: {0}")]
    File(String),
    /// Something was published by a server of an older version, which records no files.
    #[error(
        "a version was published by an older mere, which does not record its files: stop that \
         server, and run `mere registry audit`"
    )]
    Unrecorded,
    /// The system gives no random numbers.
    #[error("the system gives no random numbers")]
    Random,
}

impl RegistryError {
    /// Returns the stable code.
    pub fn code(&self) -> ProblemCode {
        match self {
            Self::NotFound | Self::Missing(_) => ProblemCode::NotFound,
            Self::TokenRequired | Self::TokenInvalid => ProblemCode::InvalidToken,
            Self::NotPermitted => ProblemCode::NotPermitted,
            Self::Malformed(_) | Self::InvalidName(_) => ProblemCode::InvalidRequest,
            Self::NameTaken => ProblemCode::ConfusableName,
            Self::VersionExists => ProblemCode::VersionExists,
            Self::AlreadyYanked => ProblemCode::AlreadyYanked,
            Self::InvalidStatement(_) => ProblemCode::InvalidStatement,
            Self::WrongSigner => ProblemCode::UnknownSigner,
            Self::MissingBlob(_) => ProblemCode::MissingBlob,
            Self::InvalidItem(_) => ProblemCode::InvalidItem,
            Self::WrongDigest => ProblemCode::DigestMismatch,
            Self::Database(_)
            | Self::Blobs(_)
            | Self::Log(_)
            | Self::File(_)
            | Self::Unrecorded
            | Self::Random => ProblemCode::Internal,
        }
    }

    /// Reports whether the registry is to blame, and not the caller.
    pub fn is_failure(&self) -> bool {
        self.code() == ProblemCode::Internal
    }
}

impl From<getrandom::Error> for RegistryError {
    fn from(_: getrandom::Error) -> Self {
        Self::Random
    }
}
