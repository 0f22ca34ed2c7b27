//! Signatures whose item is missing, as `mere verify` and `mere doctor` report them.

use mere_core::address::{Address, RelPath, Root};
use mere_core::item::{ItemType, SIDECAR_SUFFIX, Scope};
use mere_core::reply::{Content, Data, Fields};
use mere_core::request::{ItemSelection, SelectedItems};
use mere_core::trust::VerificationFailure;

use super::item_report::ItemReport;
use super::select::staged_paths;
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, ItemError};
use crate::space::OrphanedSidecar;

/// A signature without its item.
pub(super) struct OrphanReport {
    kind: ItemType,
    pub(super) address: Option<Address>,
    pub(super) problem: String,
    pub(super) fix: &'static str,
}

/// Returns the signatures without an item that a selection covers. `reports` are about the items
/// that were verified in the same call, one of which may be the item that is missing.
pub(super) fn find_orphans(
    call: &ItemCall<'_>,
    selection: &ItemSelection,
    reports: &[ItemReport],
) -> Result<Vec<OrphanReport>, ToolError> {
    let staged = match selection.which {
        // An item that is named is reported itself, with the signature that it left behind.
        SelectedItems::Named(_) => return Ok(Vec::new()),
        SelectedItems::Staged => Some(staged_paths(call)?),
        SelectedItems::All
        | SelectedItems::Unfinished
        | SelectedItems::Unsigned
        | SelectedItems::Reviewable
        | SelectedItems::SignedByStrangers => None,
    };
    let wanted = selection.scope.map(|scope| call.effective_scope(scope));
    let mut found = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        if wanted.is_some_and(|wanted| wanted != scope) {
            continue;
        }
        let orphans = call.items.sources.orphans(scope).map_err(ItemError::Unsearchable)?;
        let orphans = orphans.iter().map(|orphan| OrphanReport::new(orphan, reports));
        found.extend(orphans.filter(|orphan| {
            selection.kind.is_none_or(|kind| kind == orphan.kind)
                && staged.as_ref().is_none_or(|staged| orphan.is_part_of(staged))
        }));
    }
    Ok(found)
}

impl OrphanReport {
    fn new(orphan: &OrphanedSidecar, reports: &[ItemReport]) -> Self {
        let address = orphan.address();
        let item = reports.iter().find(|report| has_signature_at(report, address.as_ref()));
        let item = item.and_then(|report| report.place.address());
        let (problem, fix) = match item {
            Some(item) => (
                format!("is the signature of {item}: the item was moved or renamed without it"),
                "Move the item back, or read it where it is, sign it there, and delete this.",
            ),
            None if orphan.claim.is_some() => (
                "is a signature whose item is missing".to_owned(),
                "Restore the item, or delete the signature.",
            ),
            None => (
                "is named like a signature, but is none, and its item is missing".to_owned(),
                "Delete it, or restore the item and its signature.",
            ),
        };
        Self { kind: orphan.kind(), address, problem, fix }
    }

    /// Returns whether it or its item is among these paths of the project.
    fn is_part_of(&self, paths: &[RelPath]) -> bool {
        let Some(address) = self.address.as_ref().filter(|one| *one.root() == Root::Project) else {
            return false;
        };
        let own = address.path().as_str();
        let item = own.strip_suffix(SIDECAR_SUFFIX).unwrap_or(own);
        paths.iter().any(|path| {
            // The sidecar of a folder is `.sig` in it.
            let is_in_folder = item.ends_with('/') && path.as_str().starts_with(item);
            path.as_str() == own || path.as_str() == item || is_in_folder
        })
    }

    /// Returns the row of a reply.
    pub(super) fn into_data(self) -> Data {
        Fields::default()
            .with("item_type", self.kind.name())
            .with("address", self.address)
            .with("status", "orphaned-signature")
            .with("finding", true)
            .with("fault", Content::mention(self.problem))
            .with("fix", Content::mention(self.fix))
            .into()
    }
}

/// Returns whether an item was found to have left its signature at an address.
fn has_signature_at(report: &ItemReport, address: Option<&Address>) -> bool {
    match report.failure() {
        Some(VerificationFailure::WrongLocation(mismatch)) => {
            mismatch.signature.is_some() && mismatch.signature.as_ref() == address
        }
        _ => false,
    }
}
