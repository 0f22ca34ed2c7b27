//! Drafts: items that a person is working on. Their content may change for a while, their place may
//! not.
//!
//! Drafts are recorded in the user's state folder, keyed like every approval by folder and space
//! id, so a copy elsewhere is not a draft.

use jiff::{SignedDuration, Timestamp};
use mere_core::address::Address;

use super::policy::now;
use crate::policy::SigningPermit;
use crate::trust::approvals::records;
use crate::trust::approvals::records::RecordError;
use crate::trust::project_key::ProjectKey;
use mere_host::Environment;

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "drafts.json";
/// How long a draft lasts.
const DRAFT_DURATION: SignedDuration = SignedDuration::from_hours(12);

/// An item that a person is working on.
#[derive(Clone)]
pub(super) struct DraftRecord {
    address: Address,
    until: Timestamp,
}

impl DraftRecord {
    /// Checks whether this record makes the item a draft now. Setting the clock back does not make
    /// a draft last longer.
    pub(super) fn covers(&self, address: &Address, now: Timestamp) -> bool {
        let left = self.until.duration_since(now);
        self.address == *address && left > SignedDuration::ZERO && left <= DRAFT_DURATION
    }
}

/// Reads the drafts of a space. A record that does not parse is ignored.
pub(super) fn read_drafts(environment: &Environment, key: Option<ProjectKey>) -> Vec<DraftRecord> {
    let Some(key) = key else { return Vec::new() };
    let records = records::parse_or_empty(environment.read_state_or_none(FILE));
    let own = records.iter().filter(|record| key.matches(record));
    let own = own.filter_map(|record| {
        let address = record["address"].as_str()?.parse().ok()?;
        Some(DraftRecord { address, until: record["until"].as_str()?.parse().ok()? })
    });
    own.collect()
}

/// Makes an item a draft from now on, and returns when that ends. Signatures are set aside by
/// somebody who could make them.
pub(crate) fn start_draft(
    environment: &Environment,
    key: &ProjectKey,
    address: &Address,
    _permit: &SigningPermit,
) -> Result<Timestamp, RecordError> {
    let until = now() + DRAFT_DURATION;
    replace_records(environment, key, &[address], |records| {
        let mut record = key.record();
        record["address"] = address.to_string().into();
        record["until"] = until.to_string().into();
        records.push(record);
    })?;
    Ok(until)
}

/// Ends the drafts of some items.
pub(crate) fn forget_drafts(
    environment: &Environment,
    key: &ProjectKey,
    addresses: &[&Address],
) -> Result<(), RecordError> {
    replace_records(environment, key, addresses, |_| {})
}

fn replace_records(
    environment: &Environment,
    key: &ProjectKey,
    addresses: &[&Address],
    add: impl FnOnce(&mut Vec<serde_json::Value>),
) -> Result<(), RecordError> {
    let texts = addresses.iter().map(ToString::to_string).collect::<Vec<_>>();
    let now = now();
    records::update(environment.lock_state(), FILE, |records| {
        records.retain(|record| {
            let until = record["until"].as_str().and_then(|until| until.parse::<Timestamp>().ok());
            let is_over = until.is_none_or(|until| until < now);
            let is_replaced =
                key.matches(record) && texts.iter().any(|one| record["address"] == **one);
            !is_over && !is_replaced
        });
        add(records);
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_draft_ends_at_its_time_and_lasts_no_longer_if_the_clock_is_set_back() {
        let address = "ROOT_PROJECT:/.ai/tools/t/a.yaml".parse::<Address>().expect("an address");
        let until = Timestamp::UNIX_EPOCH + SignedDuration::from_hours(100);
        let draft = DraftRecord { address: address.clone(), until };
        let second = SignedDuration::from_secs(1);
        let covers_before_end = |left: SignedDuration| draft.covers(&address, until - left);
        assert!(covers_before_end(second) && covers_before_end(DRAFT_DURATION));
        assert!(!covers_before_end(SignedDuration::ZERO) && !covers_before_end(-second));
        assert!(!covers_before_end(DRAFT_DURATION + second));
    }
}
