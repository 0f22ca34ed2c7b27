//! Checks the items: reports those that were changed, moved, renamed or copied since they were
//! signed, those that are not signed but must be, and signatures whose item is missing.

use std::collections::BTreeSet;

use mere_core::address::Spoken;
use mere_core::item::{ItemType, Scope, ScopedPath};
use mere_core::request::{ItemSelection, SelectedItems};
use mere_core::trust::{
    LocationField, LocationMismatch, TrustStatus, VerificationFailure, VersionAge,
};

use super::{Finding, FindingState};
use crate::commands::CommandCall;
use crate::commands::item_report::{ItemReport, verify_all};
use crate::commands::orphan_report::find_orphans;
use crate::commands::select::all_items;
use crate::commands::stale_locks::{LockState, find_stale_locks};
use crate::commands::why::remedy;
use crate::error::item_error_reply;
use crate::error::tool_error::ToolError;
use crate::items::tool_check::tool_problems;
use crate::items::validation::check_own_schema;
use crate::items::{ItemError, ItemReader, LoadedItem};

/// Returns a finding for every item that has a problem or is a draft, for each warning, and for
/// every signature that has no item.
pub(super) fn check_items(call: &CommandCall<'_>) -> Result<Vec<Finding>, ToolError> {
    let places = all_items(call.change, None)?;
    let reports = verify_all(call, call.items.trust_policy, &places);
    let mut findings = reports
        .iter()
        .filter(|one| one.is_finding)
        .map(|one| item_finding(call.items, one))
        .collect::<Vec<_>>();
    let drafts =
        reports.iter().filter(|one| matches!(one.trust_status, Ok(TrustStatus::Draft(()))));
    findings.extend(drafts.map(|one| {
        Finding::new("items", FindingState::Note, "is a draft: `mere sign` ends it")
            .with_address(one.place.address())
    }));
    findings.extend(version_findings(call.items, &reports));
    let tools = places.iter().filter(|place| place.kind == ItemType::Tool);
    findings.extend(tools.flat_map(|place| tool_findings(call.items, place)));
    let notes = places.iter().filter(|place| place.kind == ItemType::Knowledge);
    findings.extend(notes.filter_map(|place| schema_finding(call.items, place)));
    findings.extend(memory_findings(call)?);
    if findings.is_empty() {
        let words = match reports.len() {
            1 => "the only item is valid".to_owned(),
            count => format!("{count} items are valid"),
        };
        findings.push(Finding::new("items", FindingState::Right, words));
    }
    findings.extend(find_stale_locks(call.items, |_| true)?.into_iter().map(|lock| {
        let state = match lock.state {
            LockState::Stale => FindingState::Wrong,
            LockState::Outdated => FindingState::Note,
        };
        let finding = Finding::new("locks", state, lock.problem());
        finding.with_fix(lock.fix()).with_address(lock.place.address())
    }));
    let everything = ItemSelection { kind: None, scope: None, which: SelectedItems::All };
    let orphans = find_orphans(call.change, &everything, &reports)?;
    findings.extend(orphans.into_iter().map(|orphan| {
        Finding::new("signatures", FindingState::Wrong, orphan.problem)
            .with_fix(orphan.fix)
            .with_address(orphan.address)
    }));
    findings.extend(reports.iter().flat_map(|one| {
        let warnings = one.warnings.iter();
        warnings.map(|warning| {
            Finding::new("items", FindingState::Note, warning.as_str())
                .with_address(one.place.address())
        })
    }));
    Ok(findings)
}

/// Returns a finding for each file of seen versions that cannot be used, and a note for each item
/// of which a newer version was seen.
fn version_findings(items: &ItemReader<'_>, reports: &[ItemReport]) -> Vec<Finding> {
    let unknown = reports.iter().filter(|one| one.age == VersionAge::Unknown);
    let faults = unknown.filter_map(|one| items.trust_policy.seen_version(&one.place).err());
    let faults = faults.map(|fault| fault.to_string()).collect::<BTreeSet<_>>().into_iter();
    let faults = faults.map(|fault| {
        Finding::new("versions", FindingState::Wrong, fault).with_fix(
            "Nobody knows which versions were seen, so tools of the space do not run. Make the \
             file yours alone, or move it away: then this machine starts to remember again.",
        )
    });
    let older = reports.iter().filter(|one| one.age.newest_seen().is_some() && one.is_older());
    let older = older.map(|one| {
        let fix = one.fix().unwrap_or_default();
        Finding::new("versions", FindingState::Note, fix).with_address(one.place.address())
    });
    faults.chain(older).collect()
}

/// Returns the memories that are not valid.
fn memory_findings(call: &CommandCall<'_>) -> Result<Vec<Finding>, ToolError> {
    let mut memories = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        memories.extend(call.items.sources.memories(scope).map_err(ItemError::Unsearchable)?);
    }
    let reports = verify_all(call, call.items.trust_policy, &memories);
    let broken = reports.iter().filter(|report| report.is_invalid());
    Ok(broken.map(|report| item_finding(call.items, report)).collect())
}

/// Returns what would prevent a tool from running. A tool that cannot be read is reported elsewhere.
fn tool_findings(items: &ItemReader<'_>, place: &ScopedPath) -> Vec<Finding> {
    let Ok(loaded) = LoadedItem::read(items.view, place.clone()) else { return Vec::new() };
    let problems = tool_problems(items, &loaded).into_iter().map(|problem| {
        Finding::new("tools", FindingState::Wrong, problem.what)
            .with_fix(problem.fix)
            .with_address(place.address())
    });
    problems.collect()
}

/// Returns how a note differs from its own `frontmatter_schema`, because of which it is neither run
/// nor signed. A note that cannot be read is reported elsewhere.
fn schema_finding(items: &ItemReader<'_>, place: &ScopedPath) -> Option<Finding> {
    let loaded = LoadedItem::read(items.view, place.clone()).ok()?;
    let error = check_own_schema(items.view, &loaded).err()?;
    let what = item_error_reply(&error).message().render_for_person();
    let finding = Finding::new("items", FindingState::Wrong, what);
    let finding = match remedy(&error) {
        Some(fix) => finding.with_fix(fix),
        None => finding,
    };
    Some(finding.with_address(place.address()))
}

fn item_finding(items: &ItemReader<'_>, report: &ItemReport) -> Finding {
    let what = match report.failure() {
        Some(VerificationFailure::WrongLocation(mismatch)) => describe_mismatch(items, mismatch),
        _ => report.problem(),
    };
    let finding =
        Finding::new("items", FindingState::Wrong, what).with_address(report.place.address());
    match report.fix() {
        Some(fix) => finding.with_fix(fix),
        None => finding,
    }
}

/// Describes how an item came to lie at another place than the one it was signed for.
fn describe_mismatch(items: &ItemReader<'_>, mismatch: &LocationMismatch) -> String {
    let home = mismatch.expected_path.as_ref().and_then(ScopedPath::address);
    let Some(home) = home else { return format!("was signed for another {}", mismatch.field) };
    let is_there = items.view.resolve(&Spoken::Rooted(home.clone())).is_ok();
    match mismatch.field {
        LocationField::Space => format!("was signed for another space ({})", mismatch.expected),
        _ if is_there => format!("is a copy of {home}"),
        LocationField::Id => format!("was renamed: it is signed as `{}`", mismatch.expected),
        _ => format!("was moved from {home}"),
    }
}
