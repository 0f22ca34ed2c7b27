//! The sentences with which search explains its own results: what could not be searched, and how.
//!
//! Agents read them, so they name no address and no path. A search that fails is worded elsewhere.

use super::embed::embedding_error::EmbeddingError;
use mere_host::HttpError;

/// Says that there is nothing to search.
pub(crate) const NO_ITEMS_NOTE: &str =
    "There are no items here yet: a person begins with `mere init`.";

/// Says that the index could not be brought up to date.
pub(crate) const OUTDATED_NOTE: &str = "Another process changes the search index, and did not end: what \
     changed since may be missing. Search again in a moment.";

/// Says that the index could not be stored.
pub(crate) const TEMPORARY_INDEX_NOTE: &str = "The search index cannot be kept in the cache folder, and was made \
     for this session alone: searches begin slower.";

/// Explains why a search found items by their words alone.
pub(crate) fn keyword_only_note(trouble: &EmbeddingError) -> String {
    format!("{}: items were found by their words alone.", describe_trouble(trouble))
}

/// Explains why items have no vectors.
pub(crate) fn no_vectors_note(trouble: &EmbeddingError) -> String {
    format!("{}: items are found by their words alone.", describe_trouble(trouble))
}

/// Says that not all items could be found by meaning.
pub(crate) fn embedding_backlog_note(count: u64) -> String {
    let items = if count == 1 { "item has" } else { "items have" };
    format!("{count} {items} no vector yet, and could be found by words alone.")
}

fn describe_trouble(trouble: &EmbeddingError) -> String {
    match trouble {
        EmbeddingError::Disabled => "There is no model".into(),
        EmbeddingError::Missing => {
            "The model `minilm` is not there (a person fetches it with `mere model fetch minilm`)"
                .to_owned()
        }
        EmbeddingError::Damaged => {
            "The model `minilm` cannot be read (a person fetches it anew with `mere model fetch \
             minilm`)"
                .to_owned()
        }
        EmbeddingError::MissingKey(variable) => {
            format!("The environment variable `{variable}` with the endpoint's key is not set")
        }
        EmbeddingError::Http(HttpError::Unreachable) => {
            "The endpoint for vectors cannot be reached".into()
        }
        EmbeddingError::Http(HttpError::Untrusted) => {
            "The endpoint for vectors has no certificate that counts".into()
        }
        EmbeddingError::Http(HttpError::Timeout) => "The endpoint for vectors took too long".into(),
        EmbeddingError::Http(HttpError::Status(401 | 403)) => {
            "The endpoint for vectors does not take the key".into()
        }
        EmbeddingError::Http(HttpError::Status(status)) => {
            format!("The endpoint for vectors answered with status {status}")
        }
        EmbeddingError::Http(HttpError::TooLarge | HttpError::InvalidResponse)
        | EmbeddingError::InvalidResponse => {
            "The endpoint for vectors did not answer with vectors that can be used".into()
        }
        EmbeddingError::Http(HttpError::InvalidKey) => {
            "The endpoint's key cannot be sent as it is".into()
        }
    }
}
