//! What a registry answers when it refuses: problem details as JSON (RFC 9457).
//!
//! A code is stable: clients decide by it, and never by the words.

use serde::{Deserialize, Serialize};

/// The media type of a problem.
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";
/// What the `type` of a problem begins with.
const TYPE_PREFIX: &str = "urn:merestone:problem:";

/// Why a request was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ProblemCode {
    /// The request is malformed.
    InvalidRequest,
    /// There is no token where one is needed, or it is unknown, expired or revoked.
    InvalidToken,
    /// The token does not permit it.
    NotPermitted,
    /// There is nothing there, or nothing that the caller may know of.
    NotFound,
    /// The method cannot be used here.
    MethodNotAllowed,
    /// The client cannot be given a form that it accepts.
    NotAcceptable,
    /// The request took too long.
    RequestTimeout,
    /// The version exists, or existed before.
    VersionExists,
    /// The version is yanked already.
    AlreadyYanked,
    /// The name looks like one that exists.
    ConfusableName,
    /// The name is reserved.
    ReservedName,
    /// The body is too large.
    TooLarge,
    /// The body has the wrong media type.
    UnsupportedMediaType,
    /// The bytes do not have the digest that they were sent under.
    DigestMismatch,
    /// The statement is malformed.
    InvalidStatement,
    /// No key that is registered for the namespace signed the statement.
    UnknownSigner,
    /// A file of the statement was not sent.
    MissingBlob,
    /// The item is malformed, or is not what the statement says.
    InvalidItem,
    /// There were too many requests.
    RateLimited,
    /// The registry failed.
    Internal,
    /// The registry cannot answer now.
    Unavailable,
}

impl ProblemCode {
    /// All codes.
    pub const ALL: [Self; 21] = [
        Self::InvalidRequest,
        Self::InvalidToken,
        Self::NotPermitted,
        Self::NotFound,
        Self::MethodNotAllowed,
        Self::NotAcceptable,
        Self::RequestTimeout,
        Self::VersionExists,
        Self::AlreadyYanked,
        Self::ConfusableName,
        Self::ReservedName,
        Self::TooLarge,
        Self::UnsupportedMediaType,
        Self::DigestMismatch,
        Self::InvalidStatement,
        Self::UnknownSigner,
        Self::MissingBlob,
        Self::InvalidItem,
        Self::RateLimited,
        Self::Internal,
        Self::Unavailable,
    ];

    /// Returns its name, as in the field `code`.
    pub fn name(self) -> &'static str {
        match self {
            Self::InvalidRequest => "invalid-request",
            Self::InvalidToken => "invalid-token",
            Self::NotPermitted => "not-permitted",
            Self::NotFound => "not-found",
            Self::MethodNotAllowed => "method-not-allowed",
            Self::NotAcceptable => "not-acceptable",
            Self::RequestTimeout => "request-timeout",
            Self::VersionExists => "version-exists",
            Self::AlreadyYanked => "already-yanked",
            Self::ConfusableName => "confusable-name",
            Self::ReservedName => "reserved-name",
            Self::TooLarge => "too-large",
            Self::UnsupportedMediaType => "unsupported-media-type",
            Self::DigestMismatch => "digest-mismatch",
            Self::InvalidStatement => "invalid-statement",
            Self::UnknownSigner => "unknown-signer",
            Self::MissingBlob => "missing-blob",
            Self::InvalidItem => "invalid-item",
            Self::RateLimited => "rate-limited",
            Self::Internal => "internal",
            Self::Unavailable => "unavailable",
        }
    }

    /// Returns the HTTP status that it is answered with.
    pub fn status(self) -> u16 {
        match self {
            Self::InvalidRequest => 400,
            Self::InvalidToken => 401,
            Self::NotPermitted => 403,
            Self::NotFound => 404,
            Self::MethodNotAllowed => 405,
            Self::NotAcceptable => 406,
            Self::RequestTimeout => 408,
            Self::VersionExists
            | Self::AlreadyYanked
            | Self::ConfusableName
            | Self::ReservedName => 409,
            Self::TooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::DigestMismatch
            | Self::InvalidStatement
            | Self::UnknownSigner
            | Self::MissingBlob
            | Self::InvalidItem => 422,
            Self::RateLimited => 429,
            Self::Internal => 500,
            Self::Unavailable => 503,
        }
    }

    /// Returns what it means, in a few words that are the same for every request.
    pub fn title(self) -> &'static str {
        match self {
            Self::InvalidRequest => "The request is malformed",
            Self::InvalidToken => "The token is missing or not valid",
            Self::NotPermitted => "The token does not permit this",
            Self::NotFound => "There is nothing here",
            Self::MethodNotAllowed => "The method cannot be used here",
            Self::NotAcceptable => "There is no form that the client accepts",
            Self::RequestTimeout => "The request took too long",
            Self::VersionExists => "The version was published before",
            Self::AlreadyYanked => "The version is already yanked",
            Self::ConfusableName => "The name looks like one that exists",
            Self::ReservedName => "The name is reserved",
            Self::TooLarge => "The body is too large",
            Self::UnsupportedMediaType => "The body has the wrong media type",
            Self::DigestMismatch => "The bytes do not have this digest",
            Self::InvalidStatement => "The statement is malformed",
            Self::UnknownSigner => "No key of the namespace signed the statement",
            Self::MissingBlob => "A file of the item was not sent",
            Self::InvalidItem => "The item is not what the statement says",
            Self::RateLimited => "There were too many requests",
            Self::Internal => "The registry failed",
            Self::Unavailable => "The registry cannot answer now",
        }
    }
}

/// A refusal of the registry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ProblemDetails {
    /// A URN for the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// What the code means.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// What is wrong with this request.
    pub detail: String,
    /// The stable code.
    pub code: ProblemCode,
}

impl ProblemDetails {
    /// Describes a refusal.
    pub fn new(code: ProblemCode, detail: impl Into<String>) -> Self {
        Self {
            kind: format!("{TYPE_PREFIX}{}", code.name()),
            title: code.title().to_owned(),
            status: code.status(),
            detail: detail.into(),
            code,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_one_name() {
        for code in ProblemCode::ALL {
            let name = serde_json::to_value(code).expect("a name");
            assert_eq!(name, code.name());
            assert!((400..600).contains(&code.status()));
            let problem = ProblemDetails::new(code, "the file `x` is missing");
            let value = serde_json::to_value(&problem).expect("a body");
            assert_eq!(value["status"], code.status());
            assert_eq!(value["type"], format!("urn:merestone:problem:{}", code.name()));
            assert_eq!(serde_json::from_value::<ProblemDetails>(value).ok(), Some(problem));
        }
    }
}
