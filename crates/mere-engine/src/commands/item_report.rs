//! Verification of many items at once, on as many threads as the machine has cores.
//!
//! The reports keep the order of the items, and none contains an item's body.

use std::sync::atomic::{AtomicU64, Ordering};

use mere_core::item::{ScopedPath, Version};
use mere_core::reply::{Content, Data, Fields};
use mere_core::trust::{TrustStatus, VerificationFailure, VersionAge};

use super::CommandCall;
use super::list::{broken_trust_fields, fault_text};
use super::why::remedy;
use crate::items::reply_fields::own_text;
use crate::items::validation::own_warnings;
use crate::items::version_check::{look_up, trust_fields_with_age, use_advice};
use crate::items::{ItemError, ItemReader, read_and_verify};
use crate::policy;
use crate::trust::TrustPolicy;
use mere_host::{fault_point, map_with_progress};

/// The number of items that a thread takes at a time.
const BATCH_SIZE: usize = 64;

/// What verification found out about an item, without its body.
pub(super) struct ItemReport {
    pub(super) place: ScopedPath,
    pub(super) trust_status: Result<TrustStatus, ItemTrouble>,
    /// Whether nobody should rely on the item: it is broken, or it is unsigned and must be signed.
    pub(super) is_finding: bool,
    trust: Option<Fields>,
    fault: Option<String>,
    fix: Option<String>,
    /// How its version compares with what this machine has seen.
    pub(super) age: VersionAge,
    /// The version of an item that is signed and that was not seen before.
    new_version: Option<Version>,
    /// What is odd about the item without making it invalid.
    pub(super) warnings: Vec<String>,
}

/// The reason why it is unknown who vouches for an item.
pub(super) enum ItemTrouble {
    /// It was changed, or it lies at another place than the one it was signed for.
    Broken(VerificationFailure),
    /// It is not a valid item.
    Invalid,
    /// It cannot be read.
    Unreadable,
}

impl ItemReport {
    pub(super) fn check(items: &ItemReader<'_>, place: &ScopedPath) -> Self {
        let trust_policy = items.trust_policy;
        fault_point("verify", place.id.as_str());
        let place = place.clone();
        match read_and_verify(items, place.clone()) {
            Ok(checked) => {
                let (age, is_new) = look_up(trust_policy, &checked);
                let version = checked.item().item.version().cloned();
                let fix = use_advice(&checked, trust_policy, &age);
                Self {
                    warnings: own_warnings(&checked.item().item),
                    trust: Some(trust_fields_with_age(&checked, &age)),
                    fault: None,
                    fix: fix.map(|advice| advice.render_for_person()),
                    trust_status: Ok(checked.without_item()),
                    new_version: version.filter(|_| is_new),
                    age,
                    // An item that may not be used is a finding.
                    is_finding: policy::permit_use(
                        checked,
                        trust_policy.signature_requirement(place.kind),
                    )
                    .is_err(),
                    place,
                }
            }
            Err(error) => Self {
                is_finding: true,
                age: VersionAge::Newest,
                new_version: None,
                warnings: Vec::new(),
                trust: broken_trust_fields(&error),
                fault: Some(fault_text(&error)),
                fix: remedy(&error),
                trust_status: Err(classify_error(error)),
                place,
            },
        }
    }

    /// Returns its name in `status`.
    pub(super) fn status(&self) -> &'static str {
        match &self.trust_status {
            Ok(trust_status) => trust_status.status(),
            Err(ItemTrouble::Broken(failure)) => failure.status(),
            Err(ItemTrouble::Invalid) => "invalid",
            Err(ItemTrouble::Unreadable) => "unreadable",
        }
    }

    pub(super) fn is_verified(&self) -> bool {
        matches!(self.trust_status, Ok(TrustStatus::Verified(_)))
    }

    /// Returns whether this machine has seen a newer version that nobody set aside, or cannot tell.
    pub(super) fn is_older(&self) -> bool {
        !self.age.is_settled()
    }

    /// Returns the place and the version of an item that is to be remembered.
    pub(super) fn newly_seen(&self) -> Option<(&ScopedPath, &Version)> {
        self.new_version.as_ref().map(|version| (&self.place, version))
    }

    /// Returns whether it is no valid item, or cannot be read.
    pub(super) fn is_invalid(&self) -> bool {
        matches!(self.trust_status, Err(ItemTrouble::Invalid | ItemTrouble::Unreadable))
    }

    /// Returns how the item is broken, if it is.
    pub(super) fn failure(&self) -> Option<&VerificationFailure> {
        match &self.trust_status {
            Err(ItemTrouble::Broken(failure)) => Some(failure),
            _ => None,
        }
    }

    /// Describes what is wrong with the item.
    pub(super) fn problem(&self) -> String {
        match (&self.fault, &self.trust_status) {
            (Some(fault), _) => fault.clone(),
            (None, Ok(TrustStatus::UnknownKey(..))) => {
                "is signed by a key that is not trusted".to_owned()
            }
            (None, _) => "is not signed, but must be".to_owned(),
        }
    }

    /// Returns the files that differ from what was signed, relative to the folder of the main file.
    fn changed_files(&self) -> Option<Data> {
        let files = match self.failure()? {
            VerificationFailure::Changed(files) => files.clone(),
            VerificationFailure::WrongFiles { extra, missing } => [&extra[..], missing].concat(),
            _ => return None,
        };
        Some(files.into_iter().map(|file| Data::from(Content::mention(file))).collect())
    }

    /// Returns what to do about it.
    pub(super) fn fix(&self) -> Option<&str> {
        self.fix.as_deref()
    }

    /// Returns the fields that a reply reports.
    pub(super) fn to_fields(&self) -> Fields {
        let fix = self.fix.as_deref().filter(|_| !self.is_verified() || self.is_older());
        Fields::default()
            .with("item_type", self.place.kind.name())
            .with("id", own_text(&self.place.id))
            .with("category", own_text(&self.place.category))
            .with("scope", self.place.scope.name())
            .with("address", self.place.address())
            .with("status", self.status())
            .with("finding", self.is_finding)
            .with_some("trust", self.trust.clone())
            .with_some("files", self.changed_files())
            .with_some("fault", self.fault.as_deref().map(Content::mention))
            .with_some("fix", fix.map(Content::mention))
    }
}

fn classify_error(error: ItemError) -> ItemTrouble {
    match error {
        ItemError::Broken(broken) => ItemTrouble::Broken(broken.failure),
        ItemError::File(_) => ItemTrouble::Unreadable,
        _ => ItemTrouble::Invalid,
    }
}

/// Verifies all items, keeps their order, and reports progress.
pub(super) fn verify_all(
    call: &CommandCall<'_>,
    trust_policy: &TrustPolicy,
    places: &[ScopedPath],
) -> Vec<ItemReport> {
    let (items, done) = (call.items.with_policy(trust_policy), AtomicU64::new(0));
    let check = |batch: &&[ScopedPath]| {
        let reports = batch.iter().map(|place| ItemReport::check(&items, place));
        let reports = reports.collect::<Vec<_>>();
        done.fetch_add(reports.len() as u64, Ordering::Relaxed);
        reports
    };
    let progress = || (call.progress)(done.load(Ordering::Relaxed), places.len() as u64);
    let batches = places.chunks(BATCH_SIZE).collect::<Vec<_>>();
    map_with_progress(&batches, usize::MAX, check, progress).into_iter().flatten().collect()
}
