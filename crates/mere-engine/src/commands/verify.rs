//! `mere verify`: checks that every item is what was signed, at the place it was signed for, and
//! that no signature has lost its item.
//!
//! It changes nothing. Any finding makes the reply a failure, so that scripts and hooks can rely on
//! it.

use std::collections::BTreeMap;

use mere_core::address::{Address, Root};
use mere_core::item::{ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::{SelectedItems, VerifyCommand};
use mere_core::trust::Sidecar;

use super::CommandCall;
use super::item_report::{ItemReport, verify_all};
use super::minimum_versions::minimum_findings;
use super::orphan_report::{OrphanReport, find_orphans};
use super::select::{self, is_file_of, select};
use super::stale_locks::{LockState, StaleLock, find_stale_locks};
use crate::error::describe_roster_trouble;
use crate::error::tool_error::ToolError;
use crate::items::version_check::remember_versions;
use crate::items::{ItemCall, ItemError, ItemReader, RawItem};
use crate::registry::{ProofChecker, ProofState};
use crate::trust;
use crate::trust::TrustPolicy;

/// The largest number of unverified items that are listed although they are not findings.
const MAX_SHOWN: usize = 20;

/// Verifies the selected items.
pub(super) fn verify(call: &CommandCall<'_>, command: &VerifyCommand) -> Result<Draft, ToolError> {
    let named = matches!(command.selection.which, SelectedItems::Named(_));
    let is_staged = command.selection.which == SelectedItems::Staged;
    // Without the user's own records, only the project can be verified.
    let mut selection = command.selection.clone();
    let trust_policy = if command.admins.is_empty() {
        None
    } else {
        selection.scope = Some(Scope::Project);
        Some(
            call.items
                .trust_policy
                .for_admins(&command.admins, command.minimum_serial)
                .map_err(ItemError::Team)?,
        )
    };
    // A draft exempts nothing that is about to be committed.
    let strict = is_staged.then(|| call.items.trust_policy.without_drafts());
    let trust_policy: &TrustPolicy =
        trust_policy.as_ref().or(strict.as_ref()).unwrap_or(call.items.trust_policy);
    let places = select(call.change, &selection)?;
    let reports = verify_all(call, trust_policy, &places);
    let seen = reports.iter().filter_map(ItemReport::newly_seen).collect::<Vec<_>>();
    remember_versions(trust_policy, &seen);
    let unverified = reports.iter().filter(|one| !one.is_verified()).count();
    let shows = |one: &&ItemReport| {
        let is_shown = unverified <= MAX_SHOWN && !one.is_verified();
        one.is_finding || named || one.is_older() || is_shown
    };
    let rows = reports.iter().filter(shows).map(|one| Data::from(one.to_fields()));
    let mut rows = rows.collect::<Vec<_>>();
    let mut findings = reports.iter().filter(|one| one.is_finding).count();
    let mut more = roster_findings(trust_policy);
    let orphans = find_orphans(call.change, &selection, &reports)?;
    more.extend(orphans.into_iter().map(OrphanReport::into_data));
    let scopes: &[Scope] =
        if command.admins.is_empty() { &[Scope::Project, Scope::User] } else { &[Scope::Project] };
    let items = call.items.with_policy(trust_policy);
    more.extend(minimum_findings(&items, scopes, &command.minimum_versions, &reports)?);
    let (proofs, wrong_proofs) = check_proofs(call, &reports)?;
    more.extend(wrong_proofs);
    let locks = find_stale_locks(&items, |lockfile| concerns(&places, lockfile))?;
    let (stale, outdated) =
        locks.into_iter().partition::<Vec<_>, _>(|lock| lock.state == LockState::Stale);
    more.extend(stale.into_iter().map(StaleLock::into_finding));
    rows.extend(outdated.into_iter().map(StaleLock::into_finding));
    if is_staged {
        more.extend(unstaged_findings(call.change, &reports)?);
    }
    findings += more.len();
    rows.extend(more);
    if reports.is_empty() && findings == 0 && !is_staged && !has_any_space(&items, scopes) {
        return Ok(no_space_reply());
    }
    Ok(verify_reply(&reports, rows, (findings, proofs)))
}

/// Returns whether a lockfile, or the tool that it pins, is among these items.
fn concerns(places: &[ScopedPath], lockfile: &ScopedPath) -> bool {
    let is_tool = |place: &&ScopedPath| {
        place.kind == ItemType::Tool
            && (&place.category, &place.id) == (&lockfile.category, &lockfile.id)
    };
    places.contains(lockfile) || places.iter().any(|place| is_tool(&place))
}

/// Checks whether any of these scopes has a space.
fn has_any_space(items: &ItemReader<'_>, scopes: &[Scope]) -> bool {
    let mut spaces = scopes.iter().filter_map(|scope| items.sources.space(*scope));
    spaces.any(|space| space.folder().is_some())
}

/// Answers where there is no space, so that a script in the wrong folder does not take it for a
/// project in which everything is signed.
fn no_space_reply() -> Draft {
    Draft::invalid(codes::VERIFY_NO_SPACE, "There is no space here, so nothing was verified.")
        .hint("Change to the folder of a project, or name one with `--project`; `mere init` makes a space.")
}

fn verify_reply(
    reports: &[ItemReport],
    rows: Vec<Data>,
    (findings, proofs): (usize, u64),
) -> Draft {
    let mut counts = BTreeMap::new();
    for one in reports {
        *counts.entry(one.status()).or_insert(0_u64) += 1;
    }
    let words = counts.iter().map(|(status, count)| format!("{count} {status}"));
    let words = words.collect::<Vec<_>>().join(", ");
    let total = reports.len();
    let items = if total == 1 { "item" } else { "items" };
    let message = if total == 0 {
        "There is nothing to verify.".to_owned()
    } else {
        format!("{total} {items}: {words}.")
    };
    let counts = counts
        .into_iter()
        .fold(Fields::default(), |fields, (status, count)| fields.with(status, count));
    let data = Fields::default()
        .with("checked", total as u64)
        .with("counts", counts)
        .with("findings", findings as u64)
        .with_some("log_proofs", Some(proofs).filter(|proofs| *proofs > 0))
        .with("items", Data::List(rows));
    if findings == 0 {
        return Draft::success(codes::VERIFY, Prose::words(message)).data(data);
    }
    let found = if findings == 1 { "finding" } else { "findings" };
    Draft::fault(codes::VERIFY_FINDINGS, Prose::words(format!("{message} {findings} {found}.")))
        .hint("Each is named with its fix; `mere why TYPE ID` says more.")
        .data(data)
}

/// Checks the proofs of items that came from a registry, without asking it. Returns how many hold,
/// and a finding for each that does not.
fn check_proofs(
    call: &CommandCall<'_>,
    reports: &[ItemReport],
) -> Result<(u64, Vec<Data>), ToolError> {
    let checker = ProofChecker::new(&call.change.context.environment)?;
    let (mut held, mut findings) = (0, Vec::new());
    let verified = reports.iter().filter(|report| checker.has_keys() && report.is_verified());
    for report in verified {
        let Ok(raw) = RawItem::read(call.items.view, report.place.clone()) else { continue };
        let sidecar = raw.sidecar.bytes().and_then(|bytes| Sidecar::parse(bytes).ok());
        match sidecar.and_then(|sidecar| checker.check(&sidecar)) {
            Some(ProofState::Verified) => held += 1,
            Some(ProofState::Invalid) => findings.push(
                Fields::default()
                    .with("item_type", report.place.kind.name())
                    .with("address", report.place.address())
                    .with("status", "log-proof")
                    .with("finding", true)
                    .with("fault", "its proof does not show that it is in the registry's log")
                    .with("fix", "Install it again with `mere pull`.")
                    .into(),
            ),
            Some(ProofState::Missing | ProofState::UnknownRegistry) | None => {}
        }
    }
    Ok((held, findings))
}

/// Returns what is wrong with the team's roster.
fn roster_findings(trust_policy: &TrustPolicy) -> Vec<Data> {
    let trouble = trust_policy.team().roster_trouble();
    let row = trouble.map(|trouble| {
        let (what, fix) = describe_roster_trouble(&trouble);
        Data::from(
            Fields::default()
                .with("address", trust::roster_address())
                .with("status", "roster")
                .with("finding", true)
                .with("fault", Content::mention(what.render_for_person()))
                .with("fix", Content::mention(fix.render_for_person())),
        )
    });
    row.into_iter().collect()
}

/// Returns the items that verify on disk but not as they would be committed.
fn unstaged_findings(call: &ItemCall<'_>, reports: &[ItemReport]) -> Result<Vec<Data>, ToolError> {
    let paths = select::unstaged_paths(call)?;
    let unstaged =
        reports.iter().filter(|one| !one.is_finding && one.place.kind != ItemType::Memory);
    let unstaged = unstaged.filter_map(|one| {
        let path = paths.iter().find(|path| is_file_of(&one.place, path))?;
        let fields = Fields::default()
            .with("item_type", one.place.kind.name())
            .with("address", one.place.address())
            .with("status", "unstaged")
            .with("finding", true)
            .with(
                "fault",
                Content::mention(format!("the staged version of {path} differs from the file")),
            )
            .with("fix", Content::mention(format!("git add {path}")));
        Some(Data::from(fields))
    });
    let missing = select::staged_but_missing(call.context, &paths)?.into_iter().map(|path| {
        let address = Address::file(Root::Project, path.clone());
        let fields = Fields::default()
            .with("address", address)
            .with("status", "unstaged")
            .with("finding", true)
            .with(
                "fault",
                Content::mention(format!("{path} is staged but missing, so it cannot be verified")),
            )
            .with(
                "fix",
                Content::mention(format!("git restore {path}, or git rm --cached {path}")),
            );
        Data::from(fields)
    });
    Ok(unstaged.chain(missing).collect())
}
