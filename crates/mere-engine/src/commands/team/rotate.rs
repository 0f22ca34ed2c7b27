//! `mere team rotate`: a member's new key takes the place of the old one.
//!
//! The proof is signed by both keys, so nobody else decides that a member has another key; an admin
//! still decides that it counts. The old key stays in the team under another name, without its role,
//! so that what it signed still verifies. A change of the admins counts only if the admins before and
//! after it have signed, so somebody whose own key is replaced signs with both.

use mere_core::reply::{Content, Draft, Prose};
use mere_core::request::PersonFile;
use mere_core::trust::{Fingerprint, PublicKey, Roster, RosterMember, Rotation};

use super::change::change_reply;
use super::publish::{joined_roster, publish_roster};
use super::show::written_roster_fields;
use crate::commands::signers::read_rotation;
use crate::error::tool_error::ToolError;
use crate::items::item_signer::ItemSigner;
use crate::items::{ItemCall, ItemError};
use crate::policy::SigningReason;
use crate::trust::{TeamRefusal, keys};

/// Replaces the key that a proof names.
pub(super) fn rotate_key(call: &ItemCall<'_>, file: &PersonFile) -> Result<Draft, ToolError> {
    let rotation = read_rotation(&call.context.environment, file)
        .map_err(|fault| ItemError::Signer(Box::new(fault)))?;
    let base = joined_roster(call)?;
    let (next, name) = rotated_roster(base, &rotation)?;
    let signers = unlock_admin_keys(call, base, &next)?;
    let published = publish_roster(call, &signers, next)?;
    let data = written_roster_fields(call, &published.signed, published.status);
    let message = Prose::words("").content(Content::mention(name.as_str()));
    let message = message
        .and(" has the new key from now on; what the old one signed counts until it is removed.");
    Ok(change_reply(&published, message, data))
}

/// Returns the roster with the new key in the place of the old one, and the name of its owner.
fn rotated_roster(base: &Roster, rotation: &Rotation) -> Result<(Roster, String), ItemError> {
    let (old, new) = (rotation.old.fingerprint(), rotation.new.fingerprint());
    if let Some(member) = base.member(new) {
        return Err(TeamRefusal::KeyTaken(member.name.clone()).into());
    }
    let member = base.member(old);
    if member.is_none() && base.admin(old).is_none() {
        return Err(TeamRefusal::NoMember(old.to_string()).into());
    }
    let name = member.map_or_else(|| new.to_string(), |member| member.name.clone());
    let mut next = base.clone();
    for admin in &mut next.admins {
        if *admin == rotation.old {
            *admin = rotation.new.clone();
        }
    }
    let mut seen = Vec::new();
    next.admins.retain(|admin| {
        let is_new = !seen.contains(admin);
        seen.push(admin.clone());
        is_new
    });
    if let Some(member) = member {
        let former = RosterMember { name: old_name(base, &member.name), ..member.clone() };
        let current = RosterMember { key: rotation.new.clone(), ..member.clone() };
        next.members.retain(|one| one.key != rotation.old);
        next.members.extend([current, former]);
    }
    if next.threshold > next.admins.len() {
        let (admins, threshold) = (next.admins.len(), next.threshold);
        return Err(TeamRefusal::ThresholdTooHigh { admins, threshold }.into());
    }
    Ok((next, name))
}

/// Checks whether a name is one that [`old_name`] gives to an old key.
pub(super) fn is_former_name(name: &str, owner: &str) -> bool {
    let ending = name.strip_prefix(owner).and_then(|rest| rest.strip_prefix("-old"));
    ending.is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// Returns a name for an old key that nobody in the team has.
fn old_name(base: &Roster, name: &str) -> String {
    let is_taken = |name: &String| base.members.iter().any(|member| member.name == *name);
    let mut candidates = (1..).map(|number| match number {
        1 => format!("{name}-old"),
        _ => format!("{name}-old-{number}"),
    });
    candidates.find(|name| !is_taken(name)).unwrap_or_default()
}

/// Unlocks those of the user's keys that belong to admins before or after the change. Without one
/// from before, nobody would accept the change. The same is true if the threshold cannot be reached
/// without the old key or without the new one: nobody else can sign with these later, and a roster
/// that can never count would lock everybody out.
fn unlock_admin_keys(
    call: &ItemCall<'_>,
    base: &Roster,
    next: &Roster,
) -> Result<Vec<ItemSigner>, ItemError> {
    let own = keys::own_keys(&call.context.environment);
    let own_of = |admins: &[PublicKey]| -> Vec<Fingerprint> {
        let own = own.iter().filter(|key| admins.contains(&key.public));
        own.map(|key| key.public.fingerprint()).collect()
    };
    let (before, after) = (own_of(&base.admins), own_of(&next.admins));
    if before.is_empty() {
        let current = own.iter().find(|key| key.is_current).or(own.first());
        let current = current.map(|key| key.public.fingerprint());
        return Err(match base.admins.first().map(PublicKey::fingerprint) {
            Some(admin) => TeamRefusal::NotAdmin(current.unwrap_or(admin)).into(),
            None => TeamRefusal::LastAdmin.into(),
        });
    }
    for (roster, other, own) in [(base, next, &before), (next, base, &after)] {
        let keys = roster.admins.iter().map(PublicKey::fingerprint);
        let mut replaced = keys.filter(|key| other.admin(*key).is_none());
        if let Some(key) = replaced.find(|key| roster.needs_admin(*key) && !own.contains(key)) {
            return Err(TeamRefusal::KeyNeeded(key).into());
        }
    }
    let mut all = [before, after].concat();
    all.sort_by_key(ToString::to_string);
    all.dedup();
    let unlock = |key| ItemSigner::unlock_named(call, key, SigningReason::Requested);
    all.into_iter().map(unlock).collect()
}
