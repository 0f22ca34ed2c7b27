//! Compares an item with the newest version that this machine has seen of it, and remembers what
//! it sees.
//!
//! An item is remembered when somebody loads, runs, signs or verifies it. A failure to write never
//! fails the call; the log says so.

use mere_core::digest::Sha256;
use mere_core::item::{ScopedPath, Version};
use mere_core::reply::{Content, Fields, Prose};
use mere_core::trust::{Checked, Sidecar, VersionAge};

use super::reply_fields::own_text;
use super::{CheckedItem, LoadedItem, item_advice, item_name, trust_status_fields};
use crate::trust::TrustPolicy;

/// Compares an item with what was seen of it, and remembers it if it is newer and trusted keys
/// signed it.
pub(crate) fn note_version(trust_policy: &TrustPolicy, checked: &CheckedItem) -> VersionAge {
    let (age, is_new) = look_up(trust_policy, checked);
    if is_new {
        remember(trust_policy, &[checked.item()]);
    }
    age
}

/// Compares an item with what was seen of it. Also returns whether it should be remembered.
pub(crate) fn look_up(trust_policy: &TrustPolicy, checked: &CheckedItem) -> (VersionAge, bool) {
    let loaded = checked.item();
    let Some(version) = loaded.item.version() else { return (VersionAge::Newest, false) };
    match trust_policy.seen_version(&loaded.place) {
        Ok(None) => (VersionAge::Newest, checked.counts_as_seen()),
        Ok(Some(seen)) => {
            let is_newer = seen.newest.is_older_than(version) && checked.counts_as_seen();
            // The statement decides only about an older version that trusted keys signed.
            let is_older = version.is_older_than(&seen.newest) && checked.counts_as_seen();
            let statement = if is_older { statement_digest(loaded) } else { None };
            (seen.compare(version, statement), is_newer)
        }
        Err(error) => {
            tracing::warn!(%error, "the versions that were seen cannot be read");
            (VersionAge::Unknown, false)
        }
    }
}

/// Remembers the versions of items that trusted keys signed.
pub(crate) fn remember(trust_policy: &TrustPolicy, items: &[&LoadedItem]) {
    let seen = items.iter().filter_map(|loaded| Some((&loaded.place, loaded.item.version()?)));
    remember_versions(trust_policy, &seen.collect::<Vec<_>>());
}

/// Does the same for items of which only the place and the version are at hand.
pub(crate) fn remember_versions(trust_policy: &TrustPolicy, seen: &[(&ScopedPath, &Version)]) {
    if let Err(error) = trust_policy.record_seen(seen) {
        tracing::warn!(%error, "the versions that were seen could not be remembered");
    }
}

/// Returns the digest of the author's statement about an item, whoever signed it.
pub(crate) fn statement_digest(loaded: &LoadedItem) -> Option<Sha256> {
    let sidecar = loaded.sidecar.bytes()?;
    Some(Sidecar::parse(sidecar).ok()?.placement.statement)
}

/// Returns the fields of `trust` in a reply, with the newer version that was seen.
pub(crate) fn trust_fields_with_age(checked: &CheckedItem, age: &VersionAge) -> Fields {
    item_trust_fields(checked).with_some("newest_seen", age.newest_seen().map(own_text))
}

/// Returns the fields of `trust` in a reply, with the registry version that the item came from.
pub(crate) fn item_trust_fields(checked: &CheckedItem) -> Fields {
    let origin = match checked {
        Checked::Verified(verified) => registry_origin(verified.item()),
        Checked::Draft(_) | Checked::Unsigned(_) | Checked::UnknownKey(..) => None,
    };
    trust_status_fields(checked).with_some("origin", origin.map(Content::mention))
}

/// Returns the registry version that an item came from, as whoever installed it signed.
fn registry_origin(loaded: &LoadedItem) -> Option<String> {
    let sidecar = Sidecar::parse(loaded.sidecar.bytes()?).ok()?;
    let origin = sidecar.placement.origin?;
    Some(format!("{}/{}@{}", origin.namespace, loaded.place.id, origin.version))
}

/// Returns what to do about an item that nobody vouches for, or that is older than it was.
pub(crate) fn use_advice(
    checked: &CheckedItem,
    trust_policy: &TrustPolicy,
    age: &VersionAge,
) -> Option<Prose> {
    let loaded = checked.item();
    let advice = item_advice(checked, trust_policy);
    let warning = loaded.item.version().and_then(|version| age_advice(&loaded.place, version, age));
    match (advice, warning) {
        (Some(advice), Some(warning)) => Some(advice.and(" ").append(&warning)),
        (advice, warning) => advice.or(warning),
    }
}

/// Warns of a version that is older than one that was seen, and says how a person accepts it.
pub(crate) fn age_advice(place: &ScopedPath, version: &Version, age: &VersionAge) -> Option<Prose> {
    if age.is_settled() {
        return None;
    }
    let words = match age.newest_seen() {
        Some(newest) => format!(
            "Version {version} is older than {newest}, which this machine has seen of it. Ask a \
             person whether that is meant; `mere trust item {} {}` accepts it.",
            place.kind,
            item_name(place)
        ),
        None => {
            "What this machine has seen of it cannot be read, so a newer version may be known. \
                 Ask a person to run `mere doctor`, which names the file."
                .to_owned()
        }
    };
    Some(Prose::with_names(&words, &[item_name(place)]))
}
