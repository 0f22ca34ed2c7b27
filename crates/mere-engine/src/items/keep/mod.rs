//! What a person does with items. No agent can ask for any of this.

mod anchor;
mod config;
mod index;
mod init;
mod links;
mod list;
mod review;
mod waiting;
mod why;

use mere_core::reply::Draft;
use mere_core::request::Keep;

use super::change::Desk;
use crate::tool_error::ToolError;

pub(super) use anchor::copy;
pub(crate) use config::check as check_config;

/// Does what a person asks for.
pub(crate) fn keep(desk: &Desk<'_>, asked: &Keep) -> Result<Draft, ToolError> {
    match asked {
        Keep::Init { scope, example } => init::init(desk, *scope, *example),
        Keep::New { kind, item, scope, form } => {
            anchor::new(desk, (*kind, item), (desk.scope(*scope), *form))
        }
        Keep::List(listing) => list::list(desk, listing),
        Keep::Move { kind, item, category, source } => {
            anchor::change_category(desk, (*kind, item), category, desk.source(*source))
        }
        Keep::Rename { kind, item, id, source } => {
            anchor::rename(desk, (*kind, item), id, desk.source(*source))
        }
        Keep::Why { kind, item } => why::why(desk, *kind, item),
        Keep::Index(how) => index::index(desk, *how),
        Keep::Proposals => review::list(desk),
        Keep::Review { proposal, verdict } => review::review(desk, proposal, *verdict),
        Keep::CheckConfig => Ok(check_config(desk.context)),
        Keep::Keys(_) | Keep::Trust(_) => Ok(crate::wording::panicked()),
    }
}
