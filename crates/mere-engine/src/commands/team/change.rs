//! `mere team add`, `threshold` and `require`: make a new roster from the one in force.
//!
//! Only an admin of that roster can make a change.

use mere_core::item::ItemType;
use mere_core::reply::{Content, Draft, Fields, Prose, codes};
use mere_core::request::{NewMember, TeamRole};
use mere_core::trust::{PublicKey, Roster, RosterMember};

use super::publish::{
    PublishedRoster, current_roster, publish_roster, read_public_key, unlock_admin_key,
};
use super::show::{RosterStatus, written_roster_fields};
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemError};
use crate::space::ItemChangeError;
use crate::trust::TeamRefusal;

/// Adds a member.
pub(super) fn add_member(call: &ItemCall<'_>, new_member: &NewMember) -> Result<Draft, ToolError> {
    let base = current_roster(call)?;
    let key = read_public_key(call.context, &new_member.key)?;
    check_kinds(&new_member.types)?;
    check_not_taken(base, new_member.name.as_str(), &key)?;
    let mut next = base.clone();
    if new_member.role == TeamRole::Admin && !next.admins.contains(&key) {
        next.admins.push(key.clone());
    }
    let mut types = new_member.types.clone();
    types.dedup();
    next.members.push(RosterMember {
        name: new_member.name.to_string(),
        key,
        types,
        categories: new_member.categories.clone(),
        not_after: new_member.not_after,
    });
    let message = Prose::words("").content(Content::mention(new_member.name.as_str()));
    publish_change(call, next, message.and(" is now a member of the team."))
}

/// Sets how many admins must sign each change.
pub(super) fn set_threshold(call: &ItemCall<'_>, threshold: usize) -> Result<Draft, ToolError> {
    let base = current_roster(call)?;
    let admins = base.admins.len();
    if threshold > admins {
        return Err(ItemError::from(TeamRefusal::ThresholdTooHigh { admins, threshold }).into());
    }
    let next = Roster { threshold, ..base.clone() };
    let words = if threshold == 1 { "1 admin signs" } else { "admins sign" };
    let count = if threshold == 1 { String::new() } else { format!("{threshold} ") };
    publish_change(call, next, Prose::words(format!("{count}{words} each change from now on.")))
}

/// Sets which types of items must be signed.
pub(super) fn set_required(call: &ItemCall<'_>, kinds: &[ItemType]) -> Result<Draft, ToolError> {
    let base = current_roster(call)?;
    check_kinds(kinds)?;
    let mut kinds = kinds.to_vec();
    kinds.sort();
    kinds.dedup();
    let names = kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>().join(", ");
    let next = Roster { require_signed: kinds, ..base.clone() };
    publish_change(
        call,
        next,
        Prose::words(format!("These types must be signed from now on: {names}.")),
    )
}

fn publish_change(call: &ItemCall<'_>, next: Roster, message: Prose) -> Result<Draft, ToolError> {
    let signer = unlock_admin_key(call, &current_roster(call)?.admins)?;
    let published = publish_roster(call, &[signer], next)?;
    let data = written_roster_fields(call, &published.signed, published.status);
    Ok(change_reply(&published, message, data))
}

/// Reports whether a change is in force or waits for other admins.
pub(super) fn change_reply(published: &PublishedRoster, message: Prose, data: Fields) -> Draft {
    if published.status == RosterStatus::InForce {
        return Draft::success(codes::TEAM_CHANGED, message)
            .hint(
                "Commit .ai/signers.json and its .sig: it takes effect for others once they have \
                 it.",
            )
            .data(data);
    }
    let message = message.and(" It waits for the signatures of other admins.");
    Draft::success(codes::TEAM_WAITS, message)
        .hint(
            "Commit it on a branch; other admins run `mere team sign`. Until enough of them have \
             signed, the previous roster applies.",
        )
        .data(data)
}

fn check_not_taken(base: &Roster, name: &str, key: &PublicKey) -> Result<(), ItemError> {
    if base.members.iter().any(|member| member.name == name) {
        return Err(TeamRefusal::NameTaken(name.to_owned()).into());
    }
    match base.member(key.fingerprint()) {
        Some(member) => Err(TeamRefusal::KeyTaken(member.name.clone()).into()),
        None => Ok(()),
    }
}

/// Refuses memories, because they are never signed.
fn check_kinds(kinds: &[ItemType]) -> Result<(), ItemError> {
    match kinds.iter().find(|kind| **kind == ItemType::Memory) {
        Some(kind) => Err(ItemChangeError::UnsupportedType(*kind).into()),
        None => Ok(()),
    }
}
