//! `mere team sign`: adds one more admin's signature to the change that waits in the space.
//!
//! The roster is bound to the digest that was shown; a roster that has changed since is not signed.

use mere_core::digest::Sha256;
use mere_core::reply::{Draft, Prose, codes};
use mere_core::trust::{PublicKey, SignedRoster};

use super::change::change_reply;
use super::publish::{check_admin, pin_successor, unlock_admin_key, write_roster};
use super::show::{roster_changes, roster_fields, written_roster_fields};
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemError, ItemReader};
use crate::trust::{RosterTrouble, TeamRefusal};

/// Shows what would be signed, and what it changes in the roster in force.
pub(super) fn plan_signing(call: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let waiting = pending_roster(&call.items)?;
    check_admin(call.context, &eligible_admins(&call.items, waiting))?;
    let changes = call
        .items
        .trust_policy
        .team()
        .joined_roster()
        .map(|joined| roster_changes(joined, &waiting.roster));
    let data = roster_fields(call, &waiting.roster, Some(&waiting.envelope));
    let words = match changes {
        Some(_) => "A change to the team is waiting for signatures.",
        None => "A new team is waiting for signatures.",
    };
    Ok(Draft::success(codes::TEAM_SIGN_PLAN, words).data(data.with_some("changes", changes)))
}

/// Signs exactly what was shown.
pub(super) fn sign_shown(call: &ItemCall<'_>, shown: Sha256) -> Result<Draft, ToolError> {
    let waiting = pending_roster(&call.items)?;
    if waiting.roster.digest() != shown {
        return Err(ItemError::from(TeamRefusal::RosterChanged).into());
    }
    let admins = eligible_admins(&call.items, waiting);
    let signer = unlock_admin_key(call, &admins)?;
    if waiting.envelope.is_signed_by(signer.public_key()) {
        return Err(ItemError::from(TeamRefusal::AlreadySigned(signer.fingerprint())).into());
    }
    let mut signed = waiting.clone();
    // Whoever wrote the file may have filled it up with other signatures, so those are dropped.
    signed.envelope.retain_signed_by(&admins);
    signer.sign_envelope(&mut signed.envelope)?;
    write_roster(call, &signed)?;
    let published = pin_successor(call, signed)?;
    let data = written_roster_fields(call, &published.signed, published.status);
    if call.items.trust_policy.team().joined_roster().is_none() && published.signed.is_complete() {
        let message = "The team's roster is signed by as many admins as it needs.";
        return Ok(Draft::success(codes::TEAM_CHANGED, message)
            .hint("Commit it. Everyone who works here, including you, must then run `mere join`.")
            .data(data));
    }
    Ok(change_reply(&published, Prose::words("You signed the team's roster."), data))
}

/// Returns the roster in the space that lacks signatures.
fn pending_roster<'a>(items: &'a ItemReader<'_>) -> Result<&'a SignedRoster, ItemError> {
    let team = items.trust_policy.team();
    let signed = team.signed_roster().map_err(ItemError::Team)?;
    match team.roster_trouble() {
        Some(RosterTrouble::Incomplete { .. } | RosterTrouble::UnknownAdmins) => Ok(signed),
        Some(trouble) => Err(ItemError::Team(trouble)),
        None if team.joined_roster().is_none() => Err(TeamRefusal::NotJoined.into()),
        None => Err(TeamRefusal::AlreadyInForce.into()),
    }
}

/// Returns the admins whose signatures count on it: its own, and those of the roster in force.
fn eligible_admins(items: &ItemReader<'_>, waiting: &SignedRoster) -> Vec<PublicKey> {
    let joined = items.trust_policy.team().joined_roster();
    let before = joined.map_or(&[][..], |joined| &joined.admins);
    waiting.roster.admins.iter().chain(before).cloned().collect()
}
