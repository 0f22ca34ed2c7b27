//! `mere team sign`: one more admin's signature on the change that lies in the space.

use mere_core::digest::Sha256;
use mere_core::reply::{Draft, Prose, codes};
use mere_core::trust::{PublicKey, SignedRoster};

use super::super::super::ItemError;
use super::super::Desk;
use super::TeamFault;
use super::change::report;
use super::published::{admin, check_admin, follow, write};
use super::show::{about, changes, told};
use crate::court::RosterTrouble;
use crate::tool_error::ToolError;

/// Shows what would be signed, and what it changes in the roster that counts.
pub(super) fn plan(desk: &Desk<'_>) -> Result<Draft, ToolError> {
    let waiting = waiting(desk)?;
    check_admin(desk, &admins(desk, waiting))?;
    let changes = desk.court.team().joined_roster().map(|joined| changes(joined, &waiting.roster));
    let data = about(desk, &waiting.roster, Some(&waiting.envelope));
    let words = match changes {
        Some(_) => "A change of the team waits for signatures.",
        None => "A new team waits for signatures.",
    };
    Ok(Draft::success(codes::TEAM_SIGN_PLAN, words).data(data.with_some("changes", changes)))
}

/// Signs exactly what was shown.
pub(super) fn sign(desk: &Desk<'_>, shown: Sha256) -> Result<Draft, ToolError> {
    let waiting = waiting(desk)?;
    if waiting.roster.digest() != shown {
        return Err(ItemError::from(TeamFault::Other).into());
    }
    let admins = admins(desk, waiting);
    let sealer = admin(desk, &admins)?;
    if waiting.envelope.is_signed_by(sealer.public()) {
        return Err(ItemError::from(TeamFault::Signed(sealer.key())).into());
    }
    let mut signed = waiting.clone();
    // Whoever wrote the file may have put there as many signatures as it holds.
    signed.envelope.retain_signed_by(&admins);
    sealer.sign(&mut signed.envelope)?;
    write(desk, &signed)?;
    let published = follow(desk, signed)?;
    let data = told(desk, &published.signed, published.counts);
    if desk.court.team().joined_roster().is_none() && published.signed.is_complete() {
        let message = "The team's roster is signed by as many admins as it needs.";
        return Ok(Draft::success(codes::TEAM_CHANGED, message)
            .hint("Commit it; whoever has it, you too, runs `mere join`.")
            .data(data));
    }
    Ok(report(&published, Prose::words("You signed the team's roster."), data))
}

/// The roster that lies there and lacks signatures.
fn waiting<'a>(desk: &'a Desk<'_>) -> Result<&'a SignedRoster, ItemError> {
    let team = desk.court.team();
    let signed = team.signed_roster().map_err(ItemError::Team)?;
    match team.roster_trouble() {
        Some(RosterTrouble::Incomplete { .. } | RosterTrouble::UnknownAdmins) => Ok(signed),
        Some(trouble) => Err(ItemError::Team(trouble)),
        None if team.joined_roster().is_none() => Err(TeamFault::NotJoined.into()),
        None => Err(TeamFault::Settled.into()),
    }
}

/// Whose signatures count on it: its own admins', and those of the roster that counts.
fn admins(desk: &Desk<'_>, waiting: &SignedRoster) -> Vec<PublicKey> {
    let joined = desk.court.team().joined_roster();
    let before = joined.map_or(&[][..], |joined| &joined.admins);
    waiting.roster.admins.iter().chain(before).cloned().collect()
}
