//! `mere team init`: the first roster of a space.

use mere_core::reply::{Draft, Prose, codes};
use mere_core::request::NewTeam;
use mere_core::trust::{PublicKey, Roster, RosterMember};

use super::super::super::ItemError;
use super::super::super::sealer::Sealer;
use super::super::Desk;
use super::TeamFault;
use super::published::{public_key, signed, space_id, write};
use super::show::told;
use crate::court::{self, DEFAULT_SIGNED_TYPES, RosterFile, RosterTrouble};
use crate::enforce::SigningReason;
use crate::tool_error::ToolError;

/// What the team calls whoever makes it.
const FOUNDER: &str = "admin";

/// Makes a team of the person alone, with the admins they name.
pub(super) fn init(desk: &Desk<'_>, asked: &NewTeam) -> Result<Draft, ToolError> {
    check(desk)?;
    let others = asked.admins.iter().map(|key| public_key(desk, key));
    let others = others.collect::<Result<Vec<_>, _>>()?;
    let sealer = Sealer::unlock(desk, SigningReason::Requested)?;
    let mine = sealer.public().clone();
    let admins = distinct(&mine, others);
    if asked.threshold > admins.len() {
        let (admins, threshold) = (admins.len(), asked.threshold);
        return Err(ItemError::from(TeamFault::Threshold { admins, threshold }).into());
    }
    let name = asked.name.as_ref().map_or(FOUNDER, |name| name.as_str()).to_owned();
    let founder = RosterMember {
        name,
        key: mine,
        types: Vec::new(),
        categories: Vec::new(),
        not_after: None,
    };
    let required = desk.court.required_types();
    let roster = Roster {
        space_id: space_id(desk)?,
        serial: 1,
        threshold: asked.threshold,
        admins,
        members: vec![founder],
        require_signed: if required.is_empty() { &DEFAULT_SIGNED_TYPES } else { required }.to_vec(),
    };
    let signed = signed(&sealer, roster)?;
    write(desk, &signed)?;
    let counts = signed.is_complete();
    if counts {
        court::pin(&desk.context.environment, &signed).map_err(ItemError::Record)?;
    }
    let message = Prose::words("The space has a team now, with you as its first member.");
    let draft = Draft::success(codes::TEAM_MADE, message).data(told(desk, &signed, counts));
    Ok(draft.hint(if counts {
        "Commit .ai/signers.json and its .sig; whoever clones it runs `mere join`."
    } else {
        "It does not count yet: commit it, let other admins run `mere team sign`, and then \
         `mere join`."
    }))
}

/// A team is begun where there is none, and none was joined.
fn check(desk: &Desk<'_>) -> Result<(), ItemError> {
    let team = desk.court.team();
    let is_free = matches!(team.roster_file(), RosterFile::None | RosterFile::SignaturesOnly);
    match team.roster_trouble() {
        _ if desk.context.is_home() => Err(TeamFault::Home.into()),
        _ if !is_free => Err(TeamFault::Exists.into()),
        Some(RosterTrouble::Damaged) => Err(ItemError::Team(RosterTrouble::Damaged)),
        _ if team.joined_roster().is_some() => Err(ItemError::Team(RosterTrouble::Missing)),
        _ => Ok(()),
    }
}

fn distinct(mine: &PublicKey, others: Vec<PublicKey>) -> Vec<PublicKey> {
    let mut admins = vec![mine.clone()];
    for key in others {
        if !admins.contains(&key) {
            admins.push(key);
        }
    }
    admins
}
