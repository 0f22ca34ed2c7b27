//! The members who left a team, by the rosters that this machine has seen.
//!
//! A roster lists who is in a team, not who was. Their names are remembered so that a signature of
//! theirs is not reported as that of a stranger. Nothing is decided by them.

use mere_core::trust::{Fingerprint, Roster, RosterMember};
use serde_json::{Value, json};

use super::approvals::records::{self, RecordError};
use super::pinned_rosters::FILE;
use super::team::Membership;
use mere_host::Environment;

/// How many are remembered for one team.
const MAX_REMEMBERED: usize = 256;

/// Somebody who was in a team.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FormerMember {
    name: String,
    key: Fingerprint,
}

/// How somebody who signed an item relates to the team of its space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SignerStanding {
    /// How the user relates to the team.
    pub(crate) membership: Membership,
    /// The signer's name, if they were a member and are not any more.
    pub(crate) former: Option<String>,
}

impl FormerMember {
    fn parse(value: &Value) -> Option<Self> {
        let key = value["key"].as_str()?.parse().ok()?;
        Some(Self { name: value["name"].as_str()?.to_owned(), key })
    }
}

/// Reads the former members of the team of a space.
pub(super) fn read(environment: &Environment, space_id: &str) -> Vec<FormerMember> {
    let records = records::parse_or_empty(environment.read_config_or_none(FILE));
    let record = records.iter().find(|record| record["space_id"] == space_id);
    let former = record.and_then(|record| record["former"].as_array());
    former.into_iter().flatten().filter_map(FormerMember::parse).collect()
}

/// Returns the name of whoever had a key.
pub(super) fn name_of(former: &[FormerMember], key: Fingerprint) -> Option<&str> {
    former.iter().find(|member| member.key == key).map(|member| member.name.as_str())
}

/// Returns the former members for the record of a roster, given the record that it replaces.
pub(super) fn after_change(before: Option<&Value>, roster: &Roster) -> Value {
    let known = before.and_then(|record| record["former"].as_array()).cloned();
    let mut former = known.unwrap_or_default();
    let last =
        before.and_then(|record| Roster::parse(record["roster"].to_string().as_bytes()).ok());
    add_former(&mut former, last.as_ref().map_or(&[][..], |last| &last.members), roster);
    Value::Array(former)
}

/// Remembers members of earlier rosters of a team that the user joined.
pub(crate) fn remember_former_members(
    environment: &Environment,
    members: &[RosterMember],
    roster: &Roster,
) -> Result<(), RecordError> {
    records::update(environment.lock_config(), FILE, |records| {
        let record = records.iter_mut().find(|record| record["space_id"] == roster.space_id);
        if let Some(record) = record {
            let mut former = record["former"].as_array().cloned().unwrap_or_default();
            add_former(&mut former, members, roster);
            record["former"] = Value::Array(former);
        }
    })
}

/// Adds those who are not in the roster. Whoever is in it again is no former member.
fn add_former(former: &mut Vec<Value>, members: &[RosterMember], roster: &Roster) {
    for member in members {
        let key = member.key.fingerprint();
        let is_known = former.iter().any(|one| one["key"] == key.to_string());
        if roster.member(key).is_none() && !is_known {
            former.push(json!({ "name": member.name, "key": key.to_string() }));
        }
    }
    former
        .retain(|one| FormerMember::parse(one).is_some_and(|one| roster.member(one.key).is_none()));
    let surplus = former.len().saturating_sub(MAX_REMEMBERED);
    former.drain(..surplus);
}

/// Counts the joined teams that could not be changed any more without this key.
pub(crate) fn count_teams_needing(environment: &Environment, key: Fingerprint) -> usize {
    let records = records::parse_or_empty(environment.read_config_or_none(FILE));
    let rosters = records
        .iter()
        .filter_map(|record| Roster::parse(record["roster"].to_string().as_bytes()).ok());
    rosters.filter(|roster| roster.needs_admin(key)).count()
}
