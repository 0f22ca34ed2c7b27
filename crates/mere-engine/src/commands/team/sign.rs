//! `mere team sign`: adds one more admin's signature to the change that waits in the space.
//!
//! The roster is bound to the digest that was shown; a roster that has changed since is not signed.

use mere_core::digest::Sha256;
use mere_core::reply::{Draft, Prose, codes};
use mere_core::trust::{PublicKey, SignedRoster};

use super::change::change_reply;
use super::publish::{check_admin, pin_successor, unlock_admin_key, write_roster};
use super::show::{roster_changes, roster_fields, written_roster_fields};
use crate::commands::ItemCall;
use crate::error::tool_error::ToolError;
use crate::items::ItemError;
use crate::trust::{RosterTrouble, TeamRefusal};

/// Shows what would be signed, and what it changes in the roster in force.
pub(super) fn plan_signing(desk: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let waiting = pending_roster(desk)?;
    check_admin(desk, &eligible_admins(desk, waiting))?;
    let changes = desk
        .trust_policy
        .team()
        .joined_roster()
        .map(|joined| roster_changes(joined, &waiting.roster));
    let data = roster_fields(desk, &waiting.roster, Some(&waiting.envelope));
    let words = match changes {
        Some(_) => "A change to the team is waiting for signatures.",
        None => "A new team is waiting for signatures.",
    };
    Ok(Draft::success(codes::TEAM_SIGN_PLAN, words).data(data.with_some("changes", changes)))
}

/// Signs exactly what was shown.
pub(super) fn sign_shown(desk: &ItemCall<'_>, shown: Sha256) -> Result<Draft, ToolError> {
    let waiting = pending_roster(desk)?;
    if waiting.roster.digest() != shown {
        return Err(ItemError::from(TeamRefusal::RosterChanged).into());
    }
    let admins = eligible_admins(desk, waiting);
    let sealer = unlock_admin_key(desk, &admins)?;
    if waiting.envelope.is_signed_by(sealer.public_key()) {
        return Err(ItemError::from(TeamRefusal::AlreadySigned(sealer.fingerprint())).into());
    }
    let mut signed = waiting.clone();
    // Whoever wrote the file may have filled it up with other signatures, so those are dropped.
    signed.envelope.retain_signed_by(&admins);
    sealer.sign_envelope(&mut signed.envelope)?;
    write_roster(desk, &signed)?;
    let published = pin_successor(desk, signed)?;
    let data = written_roster_fields(desk, &published.signed, published.status);
    if desk.trust_policy.team().joined_roster().is_none() && published.signed.is_complete() {
        let message = "The team's roster is signed by as many admins as it needs.";
        return Ok(Draft::success(codes::TEAM_CHANGED, message)
            .hint("Commit it; whoever has it, you too, runs `mere join`.")
            .data(data));
    }
    Ok(change_reply(&published, Prose::words("You signed the team's roster."), data))
}

/// Returns the roster in the space that lacks signatures.
fn pending_roster<'a>(desk: &'a ItemCall<'_>) -> Result<&'a SignedRoster, ItemError> {
    let team = desk.trust_policy.team();
    let signed = team.signed_roster().map_err(ItemError::Team)?;
    match team.roster_trouble() {
        Some(RosterTrouble::Incomplete { .. } | RosterTrouble::UnknownAdmins) => Ok(signed),
        Some(trouble) => Err(ItemError::Team(trouble)),
        None if team.joined_roster().is_none() => Err(TeamRefusal::NotJoined.into()),
        None => Err(TeamRefusal::AlreadyInForce.into()),
    }
}

/// Returns the admins whose signatures count on it: its own, and those of the roster in force.
fn eligible_admins(desk: &ItemCall<'_>, waiting: &SignedRoster) -> Vec<PublicKey> {
    let joined = desk.trust_policy.team().joined_roster();
    let before = joined.map_or(&[][..], |joined| &joined.admins);
    waiting.roster.admins.iter().chain(before).cloned().collect()
}
