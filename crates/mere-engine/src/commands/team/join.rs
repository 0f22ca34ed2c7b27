//! `mere join`: a person accepts, once, the admins who decide who may sign in a space.
//!
//! A replacement of admins that the known admins did not sign needs the person's explicit consent.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::Scope;
use mere_core::reply::{Draft, Fields, codes};
use mere_core::request::{JoinCommand, JoinConsent};
use mere_core::trust::{RosterMember, SignedRoster};

use super::show::{roster_changes, roster_fields};
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemError};
use crate::trust;
use crate::trust::{Quorum, RosterTrouble, TeamRefusal};
use mere_host::{GitRepository, SPACE_FOLDER};

/// How many earlier rosters are looked through.
const MAX_ROSTERS: usize = 100;

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
    trust::pin(environment, signed).map_err(ItemError::from)?;
    if let Some(folder) = call.context.project()?.canonical_text() {
        let id = &signed.roster.space_id;
        trust::remember_folder(environment, folder, id).map_err(ItemError::Record)?;
    }
    remember_former(call, signed);
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

/// Remembers the members of earlier rosters that the admins of this one signed, so that a signature
/// of theirs is not reported as that of a stranger. Without it only the name is missing, so a
/// failure is only logged.
fn remember_former(call: &ItemCall<'_>, signed: &SignedRoster) {
    let members = earlier_members(call, signed).unwrap_or_default();
    let environment = &call.context.environment;
    if let Err(error) = trust::remember_former_members(environment, &members, &signed.roster) {
        tracing::warn!(%error, "the former members of a team could not be remembered");
    }
}

/// Returns the members of the rosters in the history of the project that an admin of this one
/// signed.
fn earlier_members(call: &ItemCall<'_>, signed: &SignedRoster) -> Option<Vec<RosterMember>> {
    let space = RelPath::default().child(SPACE_FOLDER)?;
    let (file, sidecar) = (space.child(trust::ROSTER_FILE)?, space.child(trust::ROSTER_SIDECAR)?);
    let git = GitRepository::discover(call.context.project_folder()?)?;
    let versions = git.file_history(&file, MAX_ROSTERS).ok()?.into_iter();
    let rosters = versions.filter_map(|version| {
        let signatures = git.read_at(&version.commit, &sidecar)?;
        let earlier = SignedRoster::parse(&version.bytes, &signatures).ok()?;
        let is_own = earlier.roster.space_id == signed.roster.space_id
            && earlier.count_signatures_by(&signed.roster.admins) > 0;
        is_own.then_some(earlier.roster.members)
    });
    Some(rosters.flatten().collect())
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
