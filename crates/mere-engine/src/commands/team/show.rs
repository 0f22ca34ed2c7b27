//! `mere team show`: shows who is in the team, and whether the roster is in force for the user.
//!
//! It also builds the fields that other team commands report about a roster.

use mere_core::digest::ShownDigest;
use mere_core::item::{Category, ItemType};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::trust::{Envelope, PublicKey, Roster, RosterMember, SignedRoster};

use crate::error::describe_roster_trouble;
use crate::error::tool_error::ToolError;
use crate::items::reply_fields::own_text;
use crate::items::{ItemCall, ItemError, ItemReader};
use crate::trust::{RosterTrouble, project_key};

/// Shows the roster in force, or the one that could be joined.
pub(super) fn show_team(call: &ItemCall<'_>) -> Result<Draft, ToolError> {
    let team = call.items.trust_policy.team();
    let there = team.signed_roster();
    let (roster, envelope) = match (team.joined_roster(), &there) {
        (Some(joined), Ok(signed)) if signed.roster == *joined => (joined, Some(&signed.envelope)),
        (Some(joined), _) => (joined, None),
        (None, Ok(signed)) => (&signed.roster, Some(&signed.envelope)),
        (None, Err(RosterTrouble::Missing)) => {
            return Ok(Draft::success(codes::TEAM_SHOWN, "The space has no team.")
                .hint("`mere team init` makes one."));
        }
        (None, Err(trouble)) => return Err(ItemError::Team(trouble.clone()).into()),
    };
    let (words, state) = match team.joined_roster() {
        Some(_) => ("You have joined this team.", "joined"),
        None => ("You have not joined this team: its signatures do not count for you.", "open"),
    };
    let trouble = team.roster_trouble().map(|trouble| describe_roster_trouble(&trouble));
    let data = roster_fields(call, roster, envelope).with("state", state);
    let data = match &trouble {
        Some((what, fix)) => data
            .with("trouble", Content::mention(what.render_for_person()))
            .with("fix", Content::mention(fix.render_for_person())),
        None => data,
    };
    let draft = Draft::success(codes::TEAM_SHOWN, words).data(data);
    Ok(match (state, trouble) {
        ("open", None) => draft.hint("`mere join` lets them count."),
        _ => draft,
    })
}

/// Whether a roster that was written counts yet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RosterStatus {
    InForce,
    /// More admins have to sign it.
    Pending,
}

/// Returns the fields that a reply reports about a roster that was written into the space.
pub(super) fn written_roster_fields(
    call: &ItemCall<'_>,
    signed: &SignedRoster,
    status: RosterStatus,
) -> Fields {
    let counts = status == RosterStatus::InForce;
    roster_fields(call, &signed.roster, Some(&signed.envelope)).with("counts", counts)
}

/// Returns everything in a roster, and who signed it.
pub(super) fn roster_fields(
    call: &ItemCall<'_>,
    roster: &Roster,
    signed: Option<&Envelope>,
) -> Fields {
    let space = call.context.space().ok().flatten();
    let name = space.and_then(|space| project_key::space_name(space.dir()));
    let admins = roster.admins.iter().map(|key| admin_fields(&call.items, roster, (key, signed)));
    let members =
        roster.members.iter().map(|member| self::member_fields(&call.items, roster, member));
    Fields::default()
        .with_some("space", name.map(Content::mention))
        .with("space_id", Content::mention(roster.space_id.as_str()))
        .with("serial", roster.serial)
        .with("threshold", roster.threshold as u64)
        .with("admins", admins.collect::<Data>())
        .with("members", members.collect::<Data>())
        .with("require_signed", kind_list(&roster.require_signed))
        .with("digest", ShownDigest::for_people(roster.digest()))
}

fn admin_fields(
    items: &ItemReader<'_>,
    roster: &Roster,
    (key, signed): (&PublicKey, Option<&Envelope>),
) -> Data {
    let name = roster.member(key.fingerprint()).map(|member| member.name.as_str());
    Fields::default()
        .with("key", Content::mention(key.fingerprint().to_string()))
        .with_some("name", name.map(Content::mention))
        .with("you", items.trust_policy.is_own_key(key.fingerprint()))
        .with_some("signed", signed.map(|envelope| envelope.is_signed_by(key)))
        .into()
}

fn member_fields(items: &ItemReader<'_>, roster: &Roster, member: &RosterMember) -> Data {
    let key = member.key.fingerprint();
    let categories = member.categories.iter().map(|one: &Category| own_text(one)).collect::<Data>();
    let last = member.not_after.map(|last| Data::Words(last.to_string().into()));
    Fields::default()
        .with("name", Content::mention(member.name.as_str()))
        .with("key", Content::mention(key.to_string()))
        .with("you", items.trust_policy.is_own_key(key))
        .with("admin", roster.admin(key).is_some())
        .with_some("types", (!member.types.is_empty()).then(|| kind_list(&member.types)))
        .with_some("categories", (!member.categories.is_empty()).then_some(categories))
        .with_some("not_after", last)
        .into()
}

fn kind_list(kinds: &[ItemType]) -> Data {
    kinds.iter().map(|kind| Data::from(kind.name())).collect()
}

/// Describes the changes from one roster to another, in one sentence each.
pub(super) fn roster_changes(old: &Roster, new: &Roster) -> Data {
    let mut changes = Vec::new();
    let named = |of: &Roster, key: &PublicKey| {
        let name = of.member(key.fingerprint()).map(|member| format!(" ({})", member.name));
        format!("{}{}", key.fingerprint(), name.unwrap_or_default())
    };
    for key in old.admins.iter().filter(|key| !new.admins.contains(key)) {
        changes.push(format!("no longer an admin: {}", named(old, key)));
    }
    for key in new.admins.iter().filter(|key| !old.admins.contains(key)) {
        changes.push(format!("a new admin: {}", named(new, key)));
    }
    for one in old.members.iter().filter(|one| new.member(one.key.fingerprint()).is_none()) {
        changes.push(format!("no longer a member: {} {}", one.name, one.key.fingerprint()));
    }
    for one in &new.members {
        let words = match old.member(one.key.fingerprint()) {
            None => "a new member",
            Some(before) if before == one => continue,
            Some(_) => "a member with other limits or another name",
        };
        changes.push(format!("{words}: {} {}", one.name, one.key.fingerprint()));
    }
    if old.threshold != new.threshold {
        changes.push(format!("{} admins must sign, not {}", new.threshold, old.threshold));
    }
    if old.require_signed != new.require_signed {
        let kinds = new.require_signed.iter().map(|kind| kind.name()).collect::<Vec<_>>();
        changes.push(format!("types that must be signed: {}", kinds.join(", ")));
    }
    changes.into_iter().map(|words| Data::from(Content::mention(words))).collect()
}

/// Builds a sentence that contains a key.
pub(super) fn sentence_with_key(
    before: &'static str,
    key: &impl ToString,
    after: &'static str,
) -> Prose {
    Prose::words(before).content(Content::mention(key.to_string())).and(after)
}
