//! The sentences with which search explains its own results: what could not be searched, and how.
//!
//! Agents read them, so they name no address and no path. A search that fails is worded elsewhere.

use super::embed::embedding_error::EmbeddingError;
use super::update::coverage::IndexGap;
use mere_host::HttpError;

/// Says that there is nothing to search.
pub(crate) const NO_ITEMS_NOTE: &str =
    "There are no items here yet. Ask a person to run `mere init`.";

/// Says that memories were not searched.
pub(crate) const NO_STORE_NOTE: &str =
    "Memories were not searched, because their store cannot be served: `list_stores` says why.";

/// Says why not all items were searched, and what to do.
pub(crate) fn incomplete_note(gap: IndexGap) -> String {
    match gap {
        IndexGap::Unchecked | IndexGap::Contended => {
            "Another process is still updating the search index: items and recent changes may be missing. Search again in a moment."
                .to_owned()
        }
        IndexGap::Unfinished(count) => format!(
            "The search index is still being made: about {count} {} not in it yet. Search again in a moment.",
            if count == 1 { "item is" } else { "items are" }
        ),
        IndexGap::Unreadable(count) => format!(
            "{count} {} could not be read and not be searched: a person can correct the permissions.",
            if count == 1 { "file or folder" } else { "files and folders" }
        ),
    }
}

/// Says that the index could not be stored.
pub(crate) const TEMPORARY_INDEX_NOTE: &str = "The search index cannot be stored in the cache folder and was built for this session only, so the first search is slower.";

/// Explains why a search found items by their words alone.
pub(crate) fn keyword_only_note(error: &EmbeddingError) -> String {
    format!("{}: items were found by keywords only.", describe_embedding_error(error))
}

/// Explains why items have no vectors.
pub(crate) fn no_vectors_note(error: &EmbeddingError) -> String {
    format!("{}: items are found by keywords only.", describe_embedding_error(error))
}

/// Says that not all items could be found by meaning.
pub(crate) fn embedding_backlog_note(count: u64) -> String {
    let items = if count == 1 { "item has" } else { "items have" };
    format!("{count} {items} no vector yet and could only be found by keywords.")
}

fn describe_embedding_error(error: &EmbeddingError) -> String {
    match error {
        EmbeddingError::Disabled => "No embedding model is configured".into(),
        EmbeddingError::Missing => {
            "The model `minilm` is not installed (a person can install it with `mere model fetch minilm`)"
                .to_owned()
        }
        EmbeddingError::Damaged => {
            "The model `minilm` cannot be read (a person can fetch it again with `mere model fetch minilm`)"
                .to_owned()
        }
        EmbeddingError::MissingKey(variable) => {
            format!("The environment variable `{variable}`, which should hold the endpoint's key, is not set")
        }
        EmbeddingError::Http(HttpError::Unreachable) => {
            "The embedding endpoint cannot be reached".into()
        }
        EmbeddingError::Http(HttpError::Untrusted) => {
            "The embedding endpoint has no trusted certificate".into()
        }
        EmbeddingError::Http(HttpError::Timeout) => "The embedding endpoint took too long".into(),
        EmbeddingError::Http(HttpError::Status(401 | 403)) => {
            "The embedding endpoint rejected the key".into()
        }
        EmbeddingError::Http(HttpError::Status(status)) => {
            format!("The embedding endpoint answered with status {status}")
        }
        EmbeddingError::Http(HttpError::TooLarge | HttpError::InvalidResponse)
        | EmbeddingError::InvalidResponse => {
            "The embedding endpoint did not return usable vectors".into()
        }
        EmbeddingError::Http(HttpError::InvalidKey) => {
            "The embedding endpoint's key contains characters that cannot be sent".into()
        }
    }
}
