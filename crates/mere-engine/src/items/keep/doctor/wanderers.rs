//! Items that are not what was signed, or not where: changed, moved, renamed, copied, unsigned.

use mere_core::item::ScopedPath;
use mere_core::spoken::Spoken;
use mere_core::trust::{LocationField, LocationMismatch, VerificationFailure};

use super::super::super::Standing;
use super::super::super::change::Desk;
use super::super::judged::{Judged, judge_all};
use super::super::select::everything;
use super::{Finding, State};
use crate::tool_error::ToolError;

/// Every item that is not right.
pub(super) fn items(desk: &Desk<'_>) -> Result<Vec<Finding>, ToolError> {
    let places = everything(desk, None)?;
    let judged = judge_all(desk, desk.court, &places);
    let mut findings =
        judged.iter().filter(|one| one.is_finding).map(|one| wrong(desk, one)).collect::<Vec<_>>();
    let drafts = judged.iter().filter(|one| matches!(one.standing, Ok(Standing::Draft)));
    findings.extend(drafts.map(|one| {
        Finding::new("items", State::Note, "is a draft: `mere sign` ends that")
            .at(one.place.address())
    }));
    if findings.is_empty() {
        let words = match judged.len() {
            1 => "the one item is what it should be".to_owned(),
            count => format!("{count} items are what they should be"),
        };
        findings.push(Finding::new("items", State::Right, words));
    }
    Ok(findings)
}

fn wrong(desk: &Desk<'_>, judged: &Judged) -> Finding {
    let what = match judged.failure() {
        Some(VerificationFailure::WrongLocation(mismatch)) => wandered(desk, mismatch),
        _ => judged.words(),
    };
    let finding = Finding::new("items", State::Wrong, what).at(judged.place.address());
    match judged.fix() {
        Some(fix) => finding.fix(fix),
        None => finding,
    }
}

/// How an item came to lie at another place than it was signed for.
fn wandered(desk: &Desk<'_>, mismatch: &LocationMismatch) -> String {
    let home = mismatch.expected_path.as_ref().and_then(ScopedPath::address);
    let Some(home) = home else { return format!("was signed for another {}", mismatch.field) };
    let is_there = desk.view.resolve(&Spoken::Rooted(home.clone())).is_ok();
    match mismatch.field {
        LocationField::Space => format!("was copied from another space ({})", mismatch.expected),
        _ if is_there => format!("is a copy of {home}"),
        LocationField::Id => format!("was renamed: it is signed as `{}`", mismatch.expected),
        _ => format!("was moved from {home}"),
    }
}
