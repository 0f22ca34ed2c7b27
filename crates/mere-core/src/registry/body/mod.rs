//! The bodies of requests and answers, as JSON.
//!
//! All of them come from outside for one of the two sides, so each has a largest size, no unknown
//! fields and no duplicate keys, and its names are parsed into their types. [`parse_body`] is the
//! one way to read them.

mod as_text;
mod listing;
mod registry_info;
#[cfg(test)]
mod tests;
mod version_info;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::problem::ProblemDetails;
use crate::text::json;

pub use listing::{
    PublishedRelationship, RegistryItemInfo, RegistryItemPage, RegistryItemRow, RelationshipList,
    VersionSummary,
};
pub use registry_info::{NamespaceInfo, NamespaceKey, RegistryInfo};
pub use version_info::{PublishRequest, VersionInfo};

/// A body of a request or an answer.
pub trait ApiBody: Serialize + DeserializeOwned {
    /// How many bytes it may have.
    const MAX_BYTES: usize;

    /// Checks what the form alone does not show.
    fn check(&self) -> Result<(), BodyError> {
        Ok(())
    }
}

/// A body that is too large, malformed or inconsistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the body is not what it should be")]
pub struct BodyError;

impl ApiBody for ProblemDetails {
    const MAX_BYTES: usize = 16 * 1024;
}

/// Parses a body.
pub fn parse_body<T: ApiBody>(bytes: &[u8]) -> Result<T, BodyError> {
    if bytes.len() > T::MAX_BYTES {
        return Err(BodyError);
    }
    let value = json::parse(bytes).map_err(|_| BodyError)?;
    let body = serde_json::from_value::<T>(value).map_err(|_| BodyError)?;
    body.check().map(|()| body)
}

/// Writes a body.
pub fn format_body<T: ApiBody>(body: &T) -> Result<Vec<u8>, BodyError> {
    serde_json::to_vec(body).map_err(|_| BodyError)
}
