//! What a folder already holds before `mere init` makes it a space: its items, scripts without a
//! manifest, and files that belong to no item.

use mere_core::item::Scope;
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::trust::TrustStatus;

use super::CommandCall;
use super::index::stray_list;
use super::item_report::{ItemReport, verify_all};
use super::list::script_list;
use super::select::all_items;
use super::sign_plan::is_offered;
use crate::error::tool_error::ToolError;
use crate::items::ItemError;
use crate::space::{BareScript, IndexComparison, Stray};
use crate::trust::project_key;

/// Lists the items and the other files of a scope, and says whether it is a space yet.
pub(super) fn preview_init(call: &CommandCall<'_>, scope: Scope) -> Result<Draft, ToolError> {
    let scope = call.change.effective_scope(scope);
    let places = all_items(call.change, Some(scope))?;
    let reports = verify_all(call, call.items.trust_policy, &places);
    let count = |is_one: fn(&ItemReport) -> bool| {
        reports.iter().filter(|report| is_one(report)).count() as u64
    };
    let others = reports.iter().filter(|report| !report.is_verified());
    let others = others.map(|report| Data::from(report.to_fields())).collect::<Data>();
    let (strays, scripts) = find_other_files(call, scope)?;
    let data = Fields::default()
        .with("is_space", is_space(call, scope))
        .with("items", reports.len() as u64)
        .with("signed", count(ItemReport::is_verified))
        .with("unsigned", count(is_without_signature))
        .with("unknown_key", count(is_by_unknown_key))
        .with("broken", count(|report| report.trust_status.is_err()))
        .with("to_sign", count(is_offered))
        .with("not_signed", others)
        .with("strays", stray_list(&strays))
        .with("scripts_without_manifest", script_list(&scripts));
    let message = match reports.len() {
        0 => "There are no items yet.".to_owned(),
        1 => "1 item is there already.".to_owned(),
        total => format!("{total} items are there already."),
    };
    Ok(Draft::success(codes::INIT_PREVIEW, Prose::words(message)).data(data))
}

fn is_without_signature(report: &ItemReport) -> bool {
    matches!(report.trust_status, Ok(TrustStatus::Unsigned(()) | TrustStatus::Draft(())))
}

fn is_by_unknown_key(report: &ItemReport) -> bool {
    matches!(report.trust_status, Ok(TrustStatus::UnknownKey(..)))
}

/// Returns whether the folder of a scope has an id of its own already.
pub(super) fn is_space(call: &CommandCall<'_>, scope: Scope) -> bool {
    let space = call.items.sources.space(scope).and_then(|space| space.folder());
    space.is_some_and(|folder| project_key::space_id(folder.dir()).is_some())
}

/// Returns the files in the folders of items that belong to no item, and the scripts that belong to
/// no tool.
fn find_other_files(
    call: &CommandCall<'_>,
    scope: Scope,
) -> Result<(Vec<Stray>, Vec<BareScript>), ItemError> {
    let Some(space) = call.items.sources.space(scope) else { return Ok(Default::default()) };
    let comparison = IndexComparison::compare(space).map_err(ItemError::Unsearchable)?;
    let others = comparison.map(|comparison| (comparison.strays, comparison.bare_scripts));
    Ok(others.unwrap_or_default())
}
