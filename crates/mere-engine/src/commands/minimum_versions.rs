//! `mere verify --min-version-file`: items that must exist, signed, in at least a given version.
//!
//! It is for machines that remember nothing, such as those of CI. The version of an item that
//! nobody vouches for is only a claim, so it does not count.

use std::collections::BTreeMap;

use mere_core::item::{ItemName, Scope, ScopedPath, Version};
use mere_core::reply::{Content, Data, Fields};
use mere_core::trust::Checked;

use super::item_report::ItemReport;
use super::list::fault_text;
use crate::items::reply_fields::own_text;
use crate::items::{ItemError, ItemReader, command_words, read_and_verify};

/// What is wrong with an item that must have a minimum version.
struct VersionFinding {
    status: &'static str,
    fault: String,
    fix: String,
}

/// Returns a finding for each item that is missing, older, or not signed by a key that counts.
pub(super) fn minimum_findings(
    items: &ItemReader<'_>,
    scopes: &[Scope],
    minimums: &BTreeMap<ItemName, Version>,
    reports: &[ItemReport],
) -> Result<Vec<Data>, ItemError> {
    let mut findings = Vec::new();
    for (name, minimum) in minimums {
        let place = find_place(items, scopes, name)?;
        let is_reported = |one: &ItemReport| Some(&one.place) == place.as_ref() && one.is_finding;
        if reports.iter().any(is_reported) {
            continue;
        }
        let finding = check(items, place.as_ref(), minimum);
        findings.extend(finding.map(|finding| finding.into_data(name, place.as_ref(), minimum)));
    }
    Ok(findings)
}

/// Returns the item of a name in the first scope that has it.
fn find_place(
    items: &ItemReader<'_>,
    scopes: &[Scope],
    name: &ItemName,
) -> Result<Option<ScopedPath>, ItemError> {
    for scope in scopes {
        let found = items.sources.candidates(*scope, name.kind, &name.reference());
        if let Some(place) = found.map_err(ItemError::Unsearchable)?.into_iter().next() {
            return Ok(Some(place));
        }
    }
    Ok(None)
}

fn check(
    items: &ItemReader<'_>,
    place: Option<&ScopedPath>,
    minimum: &Version,
) -> Option<VersionFinding> {
    let Some(place) = place else {
        let fault = format!("is missing; version {minimum} or a newer one is required");
        return Some(VersionFinding { status: "missing", fault, fix: RESTORE.to_owned() });
    };
    let checked = match read_and_verify(items, place.clone()) {
        Ok(checked) => checked,
        Err(error) => {
            let (status, fault) = ("invalid", fault_text(&error));
            return Some(VersionFinding { status, fault, fix: RESTORE.to_owned() });
        }
    };
    let version = checked.item().item.version()?;
    match checked {
        Checked::Verified(_) if !version.is_older_than(minimum) => None,
        Checked::Verified(_) => {
            let fault = format!("is version {version}, but at least {minimum} is required");
            Some(VersionFinding { status: "older", fault, fix: RESTORE.to_owned() })
        }
        _ => {
            let status = checked.status();
            let fault = format!("is {status}, so nobody vouches for its version {version}");
            let fix = format!("Read it, and sign it with `mere sign {}`.", command_words(place));
            Some(VersionFinding { status, fault, fix })
        }
    }
}

const RESTORE: &str = "Restore the version that is required, or lower it in the file.";

impl VersionFinding {
    fn into_data(self, name: &ItemName, place: Option<&ScopedPath>, minimum: &Version) -> Data {
        let fields = Fields::default()
            .with("item_type", name.kind.name())
            .with("id", own_text(&name.id))
            .with("category", own_text(&name.category))
            .with("address", place.and_then(ScopedPath::address))
            .with("status", self.status)
            .with("finding", true)
            .with("minimum", own_text(minimum))
            .with("fault", Content::mention(format!("{name} {}", self.fault)))
            .with("fix", Content::mention(self.fix));
        fields.into()
    }
}
