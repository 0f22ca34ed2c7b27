//! `mere join`: a person accepts, once, the admins who decide who may sign in a space.
//!
//! A replacement of admins that the known admins did not sign needs the person's explicit consent.

use mere_core::digest::Sha256;
use mere_core::item::Scope;
use mere_core::reply::{Draft, Fields, codes};
use mere_core::request::{JoinCommand, JoinConsent};
use mere_core::trust::SignedRoster;

use super::show::{roster_changes, roster_fields};
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemError};
use crate::trust;
use crate::trust::{Quorum, RosterTrouble, TeamRefusal};

/// Shows, joins or leaves a team.
pub(in crate::commands) fn join(
    call: &ItemCall<'_>,
    command: &JoinCommand,
) -> Result<Draft, ToolError> {
    match command {
        JoinCommand::Show => show_joinable(call),
        JoinCommand::Join { shown_digest: shown, consent } => pin_roster(call, *shown, consent),
        JoinCommand::Leave => leave(call),
    }
}

/// Shows the roster that joining would put in force.
fn show_joinable(call: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let signed = call.items.trust_policy.team().joinable_roster().map_err(ItemError::Team)?;
    let data = joinable_fields(call, signed);
    let Some(joined) = call.items.trust_policy.team().joined_roster() else {
        return Ok(Draft::success(codes::JOIN_PLAN, "Whose signatures would count.").data(data));
    };
    if signed.roster == *joined {
        return Ok(Draft::success(codes::JOIN_AGAIN, "You have joined this team.").data(data));
    }
    let message = "The team's admins have changed, and not enough of the admins you know have \
        signed the change.";
    let data = data.with("changes", roster_changes(joined, &signed.roster));
    Ok(Draft::success(codes::JOIN_PLAN, message).data(data))
}

/// Puts exactly the roster that was shown in force for this user.
fn pin_roster(
    call: &ItemCall<'_>,
    shown: Sha256,
    consent: &JoinConsent,
) -> Result<Draft, ToolError> {
    let team = call.items.trust_policy.team();
    let signed = team.joinable_roster().map_err(ItemError::Team)?;
    if signed.roster.digest() != shown {
        return Err(ItemError::from(TeamRefusal::RosterChanged).into());
    }
    let is_takeover = team.joined_roster().is_some_and(|joined| *joined != signed.roster);
    match consent {
        JoinConsent::Admins(admins) => {
            team.roster_signed_by(admins, Quorum::Threshold).map_err(ItemError::Team)?;
        }
        JoinConsent::Unchecked if is_takeover => {
            return Err(ItemError::from(TeamRefusal::AdminsReplaced).into());
        }
        JoinConsent::Asked | JoinConsent::Unchecked => {}
    }
    let environment = &call.context.environment;
    trust::pin(environment, signed).map_err(ItemError::Record)?;
    if let Some(folder) = call.context.project()?.canonical_text() {
        let id = &signed.roster.space_id;
        trust::remember_folder(environment, folder, id).map_err(ItemError::Record)?;
    }
    let message = "You have joined the team: what its members sign counts from now on.";
    let draft = Draft::success(codes::JOINED, message).data(joinable_fields(call, signed));
    let is_member = signed
        .roster
        .members
        .iter()
        .any(|one| call.items.trust_policy.is_own_key(one.key.fingerprint()));
    Ok(if is_member {
        draft
    } else {
        draft.hint(
            "Your own key is not a member's, so what you sign is not trusted here. Send an admin \
             what `mere keys export` prints.",
        )
    })
}

/// Leaves the team, so that only the keys that the person trusts themselves count again.
fn leave(call: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let Some(joined) = call.items.trust_policy.team().joined_roster() else {
        return match call.items.trust_policy.team().roster_trouble() {
            Some(RosterTrouble::Damaged) => Err(ItemError::Team(RosterTrouble::Damaged).into()),
            _ => Ok(Draft::success(codes::LEFT, "You have not joined a team in this space.")),
        };
    };
    let environment = &call.context.environment;
    if let Some(folder) = call.context.project()?.canonical_text() {
        trust::forget_folder(environment, folder).map_err(ItemError::Record)?;
    }
    // If the space has another id, only the record of the folder is removed.
    let is_same = |id: &&str| joined.space_id == **id;
    if let Some(id) = call.items.trust_policy.space_id(Scope::Project).filter(is_same) {
        trust::unpin(environment, id).map_err(ItemError::Record)?;
    }
    let message = "You have left the team: only keys that you trust yourself count here now.";
    Ok(Draft::success(codes::LEFT, message)
        .hint("The record of the last roster you saw is removed, too; `mere join` starts afresh."))
}

fn joinable_fields(call: &ItemCall<'_>, signed: &SignedRoster) -> Fields {
    roster_fields(call, &signed.roster, Some(&signed.envelope))
}
