//! The sentences for prompts, resources and skills that are not served.

use mere_core::reply::{Draft, ParsedName, Prose, codes};

use super::item::item_error_reply;
use crate::offers::OfferError;

/// Answers a call about something that is not offered.
pub(super) fn offer_error_reply(error: &OfferError) -> Draft {
    match error {
        OfferError::Item(error) => item_error_reply(error),
        OfferError::NotASkill { place, reason } => {
            let message = Prose::words("The directive `")
                .name(ParsedName::from(&place.reference()))
                .and(format!("` is not served as a skill: {reason}."));
            Draft::invalid(codes::OFFER_NOT_A_SKILL, message)
                .hint("`load` and prompts/get return it.")
        }
        OfferError::NoFile => {
            Draft::invalid(codes::OFFER_NO_FILE, "No skill has such a file or folder.")
                .hint("skills/list shows every file of every skill.")
        }
    }
}
