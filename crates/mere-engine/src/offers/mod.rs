//! What clients are offered besides tools: directives as prompts, skills, knowledge entries and
//! memories as resources, and values that complete what a person types.
//!
//! Nothing is offered that could not be loaded: every item is found, verified and permitted as
//! `load` does it. An item that may not be used is left out of lists.

mod completion;
mod error;
mod listing;
mod media;
mod offered_item;
mod prompt;
mod served_skill;
mod skill_files;

use mere_core::reply::Draft;
use mere_core::request::OfferCall;

use crate::run::RunCall;

pub(crate) use error::OfferError;

/// Answers a call about what is offered.
pub(crate) fn answer(call: &RunCall<'_>, offer: &OfferCall) -> Result<Draft, OfferError> {
    let items = &call.items;
    match offer {
        OfferCall::List { list, cursor } => listing::list(items, *list, cursor.as_ref()),
        OfferCall::Prompt { directive, inputs } => prompt::prompt(items, directive, inputs),
        OfferCall::InputValues { directive, input, typed } => {
            completion::input_values(items, directive, (input, typed))
        }
        OfferCall::ItemNames { kind, typed } => completion::item_names(items, *kind, typed),
        OfferCall::Skill { skill } => skill_files::describe(items, skill),
        OfferCall::SkillFile { path } => skill_files::read(items, path),
        OfferCall::SkillFolder { path } => skill_files::list_folder(items, path),
    }
}
