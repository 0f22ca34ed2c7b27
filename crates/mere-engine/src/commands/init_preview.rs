//! What a folder already holds before `mere init` makes it a space.

use mere_core::item::Scope;
use mere_core::reply::{Data, Draft, Fields, Prose, codes};

use super::CommandCall;
use super::index::stray_list;
use super::item_report::verify_all;
use super::select::all_items;
use crate::error::tool_error::ToolError;
use crate::items::ItemError;
use crate::space::{IndexComparison, Stray};
use crate::trust::project_key;

/// Lists the items and the stray files of a scope, and says whether it is a space yet.
pub(super) fn preview_init(call: &CommandCall<'_>, scope: Scope) -> Result<Draft, ToolError> {
    let scope = call.change.effective_scope(scope);
    let places = all_items(call.change, Some(scope))?;
    let reports = verify_all(call, call.items.trust_policy, &places);
    let signed = reports.iter().filter(|report| report.is_verified()).count() as u64;
    let broken = reports.iter().filter(|report| report.trust_status.is_err()).count() as u64;
    let total = reports.len() as u64;
    let others = reports.iter().filter(|report| !report.is_verified());
    let others = others.map(|report| Data::from(report.to_fields())).collect::<Data>();
    let data = Fields::default()
        .with("is_space", is_space(call, scope))
        .with("items", total)
        .with("signed", signed)
        .with("unsigned", total - signed - broken)
        .with("broken", broken)
        .with("not_signed", others)
        .with("strays", stray_list(&find_strays(call, scope)?));
    let words = if total == 1 { "1 item is".to_owned() } else { format!("{total} items are") };
    let message = Prose::words(format!("{words} there already."));
    Ok(Draft::success(codes::INIT_PREVIEW, message).data(data))
}

/// Returns whether the folder of a scope has an id of its own already.
fn is_space(call: &CommandCall<'_>, scope: Scope) -> bool {
    let space = call.items.sources.space(scope).and_then(|space| space.folder());
    space.is_some_and(|folder| project_key::space_id(folder.dir()).is_some())
}

/// Returns the files in the folders of items that belong to no item.
fn find_strays(call: &CommandCall<'_>, scope: Scope) -> Result<Vec<Stray>, ItemError> {
    let Some(space) = call.items.sources.space(scope) else { return Ok(Vec::new()) };
    let comparison = IndexComparison::compare(space).map_err(ItemError::Unsearchable)?;
    Ok(comparison.map(|comparison| comparison.strays).unwrap_or_default())
}
