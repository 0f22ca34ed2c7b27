//! `mere team remove`: a member's signatures are no longer trusted, and somebody else vouches for
//! their items.

use mere_core::digest::ShownDigest;
use mere_core::item::{Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, codes};
use mere_core::request::{ItemSelection, SelectedItems, ShownItem};
use mere_core::trust::{Checked, PublicKey, Roster, RosterMember, Sidecar};

use super::change::change_reply;
use super::publish::{current_roster, publish_roster, unlock_admin_key};
use super::rotate::is_former_name;
use super::show::{sentence_with_key, written_roster_fields};
use crate::commands::CommandCall;
use crate::commands::item_report::{ItemReport, verify_all};
use crate::commands::select::select;
use crate::commands::sign::{refusal_fields, write_sidecar};
use crate::error::tool_error::ToolError;
use crate::items::item_signer::ItemSigner;
use crate::items::{ItemCall, ItemError, ItemReader, LoadedItem, RawItem};
use crate::space::ItemChangeError;
use crate::trust::{TeamRefusal, TrustPolicy, now};

/// Shows which items would lose their last trusted signature.
pub(super) fn preview_removal(call: &CommandCall<'_>, member: &str) -> Result<Draft, ToolError> {
    let removal = MemberRemoval::from_roster(current_roster(call.change)?, member)?;
    let policy_change = PolicyChange::for_roster(call.items, &removal.next);
    let items = policy_change.newly_unverified(call)?;
    let count = items.len() as u64;
    let rows = items.iter().map(|one| {
        let digest = LoadedItem::read(call.items.view, one.place.clone())
            .ok()
            .map(|loaded| loaded.item_digest());
        Data::from(one.to_fields().with_some("digest", digest.map(ShownDigest::for_people)))
    });
    let data = Fields::default()
        .with("member", Content::mention(removal.name.as_str()))
        .with("key", Content::mention(removal.key.fingerprint().to_string()))
        .with("items", rows.collect::<Data>())
        .with("count", count);
    let words = match count {
        0 => " is not the last to vouch for any item.",
        _ => " is the last to vouch for some items.",
    };
    Ok(Draft::success(codes::TEAM_LEAVING, sentence_with_key("", &removal.name, words)).data(data))
}

/// Countersigns the items that the person chose, and removes the member. The removal happens even
/// if some items could not be countersigned.
pub(super) fn remove_member(
    call: &ItemCall<'_>,
    member: &str,
    chosen: &[ShownItem],
) -> Result<Draft, ToolError> {
    let base = current_roster(call)?;
    let removal = MemberRemoval::from_roster(base, member)?;
    let signer = unlock_admin_key(call, &base.admins)?;
    let policy_change = PolicyChange::for_roster(&call.items, &removal.next);
    let places = project_items(call)?;
    let (mut signed, mut left) = (Vec::new(), Vec::new());
    for one in chosen {
        let place = places.iter().find(|place| place.address().as_ref() == Some(&one.address));
        let done = match place {
            Some(place) => policy_change.countersign(call, &signer, (place, one)),
            None => {
                Err(ItemChangeError::Stale { address: one.address.clone(), current: None }.into())
            }
        };
        match done {
            Ok(()) => signed.push(Data::from(one.address.clone())),
            Err(error) => left.push(refusal_fields(&one.address, &error)),
        }
    }
    let published = publish_roster(call, &[signer], removal.next)?;
    let data = written_roster_fields(call, &published.signed, published.status)
        .with("countersigned", Data::List(signed))
        .with("left", Data::List(left));
    let message = sentence_with_key("", &removal.name, " is no longer in the team.");
    let message = match removal.former_key {
        Some(former) => message
            .and(" A key that they had before still counts: `mere team remove ")
            .content(Content::mention(former))
            .and("` removes it."),
        None => message,
    };
    Ok(change_reply(&published, message, data))
}

/// A roster without one member.
struct MemberRemoval {
    name: String,
    key: PublicKey,
    /// The new roster, still with the previous serial.
    next: Roster,
    /// The name under which a key that they had before a rotation is still a member.
    former_key: Option<String>,
}

impl MemberRemoval {
    /// Finds somebody by name or fingerprint and removes them. An admin need not be a member.
    fn from_roster(base: &Roster, name_or_key: &str) -> Result<Self, ItemError> {
        let is_named = |key: &PublicKey| key.fingerprint().to_string() == name_or_key;
        let member: Option<&RosterMember> =
            base.members.iter().find(|one| one.name == name_or_key || is_named(&one.key));
        let key = member.map(|member| &member.key);
        let key = key.or_else(|| base.admins.iter().find(|key| is_named(key)));
        let key = key.ok_or_else(|| TeamRefusal::NoMember(name_or_key.to_owned()))?.clone();
        let mut next = base.clone();
        next.members.retain(|member| member.key != key);
        next.admins.retain(|admin| *admin != key);
        let (admins, threshold) = (next.admins.len(), next.threshold);
        if admins == 0 {
            return Err(TeamRefusal::LastAdmin.into());
        }
        if admins < threshold {
            return Err(TeamRefusal::ThresholdTooHigh { admins, threshold }.into());
        }
        let name = member.map_or_else(|| name_or_key.to_owned(), |member| member.name.clone());
        let is_former = |other: &&RosterMember| is_former_name(&other.name, &name);
        let former_key = next.members.iter().find(is_former).map(|member| member.name.clone());
        Ok(Self { name, key, next, former_key })
    }
}

/// The trust policy before and after somebody leaves.
struct PolicyChange {
    before: TrustPolicy,
    after: TrustPolicy,
}

impl PolicyChange {
    fn for_roster(items: &ItemReader<'_>, next: &Roster) -> Self {
        let before = items.trust_policy.without_drafts();
        let after = before.with_roster(next);
        Self { before, after }
    }

    /// Returns the items that verify now and would no longer verify.
    fn newly_unverified(&self, call: &CommandCall<'_>) -> Result<Vec<ItemReport>, ToolError> {
        let reports = verify_all(call, &self.before, &project_items(call.change)?).into_iter();
        let verified = reports.filter(ItemReport::is_verified).collect::<Vec<_>>();
        let places = verified.iter().map(|one| one.place.clone()).collect::<Vec<_>>();
        let after = verify_all(call, &self.after, &places);
        let both = verified.into_iter().zip(after);
        Ok(both.filter(|(_, after)| !after.is_verified()).map(|(now, _)| now).collect())
    }

    /// Adds the person's signatures to an item that verifies now and is what they were shown.
    fn countersign(
        &self,
        call: &ItemCall<'_>,
        signer: &ItemSigner,
        (place, chosen): (&ScopedPath, &ShownItem),
    ) -> Result<(), ToolError> {
        let raw = RawItem::read(call.items.view, place.clone())?;
        let Ok(Checked::Verified(verified)) = raw.verify(&call.items.with_policy(&self.before))?
        else {
            return Err(ItemError::from(TeamRefusal::ItemNotVerified).into());
        };
        let loaded = verified.item();
        if loaded.item_digest() != chosen.digest {
            let (address, current) =
                (chosen.address.clone(), Some(ShownDigest::for_people(loaded.sha256)));
            return Err(ItemChangeError::Stale { address, current }.into());
        }
        if !self.after.keyring(place.scope).is_trusted(signer.fingerprint(), place, now()) {
            return Err(ItemError::from(TeamRefusal::KeyNotAccepted).into());
        }
        let sidecar = loaded.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
        let sidecar = sidecar.ok_or(ItemError::from(TeamRefusal::ItemNotVerified))?;
        let text = signer.countersign(sidecar)?;
        // A sidecar has room for a limited number of signatures.
        Sidecar::parse(&text)
            .map_err(|error| ItemError::from(TeamRefusal::InvalidRoster(error.0)))?;
        write_sidecar(call, loaded, text)
    }
}

/// Returns the items of the project.
fn project_items(call: &ItemCall<'_>) -> Result<Vec<ScopedPath>, ToolError> {
    let scope = Some(Scope::Project);
    select(call, &ItemSelection { kind: None, scope, which: SelectedItems::All })
}
