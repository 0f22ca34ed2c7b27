//! `mere team init`: makes the first roster of a space.
//!
//! A space that has a team, or whose team the user has joined, gets no second one.

use mere_core::reply::{Draft, Prose, codes};
use mere_core::request::NewTeam;
use mere_core::trust::{PublicKey, Roster, RosterMember};

use super::publish::{ensure_project_space_id, read_public_key, sign_roster, write_roster};
use super::show::{RosterStatus, written_roster_fields};
use crate::error::tool_error::ToolError;
use crate::items::item_signer::ItemSigner;
use crate::items::{ItemCall, ItemError};
use crate::policy::SigningReason;
use crate::trust;
use crate::trust::{DEFAULT_SIGNED_TYPES, RosterFile, RosterTrouble, TeamRefusal};

/// The name in the roster of whoever creates the team, if they give none.
const DEFAULT_FOUNDER_NAME: &str = "admin";

/// Creates a team with the person as its only member, and with the admins that they name.
pub(super) fn init(call: &ItemCall<'_>, new_team: &NewTeam) -> Result<Draft, ToolError> {
    check_no_team(call)?;
    let others = new_team.admins.iter().map(|key| read_public_key(call.context, key));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let signer = ItemSigner::unlock(call, SigningReason::Requested)?;
    let own_key = signer.public_key().clone();
    let admins = distinct_admins(&own_key, others);
    if new_team.threshold > admins.len() {
        let (admins, threshold) = (admins.len(), new_team.threshold);
        return Err(ItemError::from(TeamRefusal::ThresholdTooHigh { admins, threshold }).into());
    }
    let name = new_team.name.as_ref().map_or(DEFAULT_FOUNDER_NAME, |name| name.as_str()).to_owned();
    let founder = RosterMember {
        name,
        key: own_key,
        types: Vec::new(),
        categories: Vec::new(),
        not_after: None,
    };
    let required = call.items.trust_policy.required_types();
    let roster = Roster {
        space_id: ensure_project_space_id(call)?,
        serial: 1,
        threshold: new_team.threshold,
        admins,
        members: vec![founder],
        require_signed: if required.is_empty() { &DEFAULT_SIGNED_TYPES } else { required }.to_vec(),
    };
    let signed = sign_roster(&[signer], roster)?;
    write_roster(call, &signed)?;
    let counts = signed.is_complete();
    if counts {
        trust::pin(&call.context.environment, &signed).map_err(ItemError::from)?;
    }
    let message = Prose::words("The space now has a team, with you as its first member.");
    let draft = Draft::success(codes::TEAM_MADE, message).data(written_roster_fields(
        call,
        &signed,
        if counts { RosterStatus::InForce } else { RosterStatus::Pending },
    ));
    Ok(draft.hint(if counts {
        "Commit .ai/signers.json and its .sig; whoever clones it runs `mere join`."
    } else {
        "It is not in force yet: commit it, let other admins run `mere team sign`, and then \
         `mere join`."
    }))
}

/// Checks that the space has no team and that none was joined.
fn check_no_team(call: &ItemCall<'_>) -> Result<(), ItemError> {
    let team = call.items.trust_policy.team();
    let is_free = matches!(team.roster_file(), RosterFile::None | RosterFile::SignaturesOnly);
    match team.roster_trouble() {
        _ if call.context.is_home() => Err(TeamRefusal::UserSpace.into()),
        _ if !is_free => Err(TeamRefusal::RosterExists.into()),
        Some(RosterTrouble::Damaged) => Err(ItemError::Team(RosterTrouble::Damaged)),
        _ if team.joined_roster().is_some() => Err(ItemError::Team(RosterTrouble::Missing)),
        _ => Ok(()),
    }
}

fn distinct_admins(own_key: &PublicKey, others: Vec<PublicKey>) -> Vec<PublicKey> {
    let mut admins = vec![own_key.clone()];
    for key in others {
        if !admins.contains(&key) {
            admins.push(key);
        }
    }
    admins
}
