//! `mere team restore`: writes the roster that was seen last back into a space that has an older
//! one.

use mere_core::item::Scope;
use mere_core::reply::{Draft, Prose, codes};

use super::publish::write_roster;
use super::show::{RosterStatus, written_roster_fields};
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemError};
use crate::trust;
use crate::trust::RosterTrouble;

/// Restores the roster. It was already signed, so nothing is signed here and nobody gains trust.
pub(super) fn restore_roster(call: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let id = call.items.trust_policy.space_id(Scope::Project);
    let seen = id.and_then(|id| trust::last_pinned(&call.context.environment, id));
    let seen = seen.ok_or(ItemError::Team(RosterTrouble::Missing))?;
    write_roster(call, &seen)?;
    let message =
        format!("The roster with serial {} was restored to the space.", seen.roster.serial);
    let draft = Draft::success(codes::TEAM_RESTORED, Prose::words(message));
    Ok(draft.hint("Commit .ai/signers.json and its .sig.").data(written_roster_fields(
        call,
        &seen,
        RosterStatus::InForce,
    )))
}
