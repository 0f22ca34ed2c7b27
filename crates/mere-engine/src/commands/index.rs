//! `mere index`: updates, rebuilds or checks `.ai/.index.json`.
//!
//! It also updates the search index. Replies are correct even if the index file is stale.

use mere_core::item::Scope;
use mere_core::reply::{Content, Data, Draft, Fields, Prose, codes};
use mere_core::request::IndexCommand;

use super::CommandCall;
use super::list::script_list;
use crate::error::tool_error::ToolError;
use crate::items::{ItemError, ItemReader};
use crate::search::{EmbeddingError, notes};
use crate::space::{Catalog, IndexComparison, Stray};

/// Updates, rebuilds or checks the index of each space.
pub(super) fn index(call: &CommandCall<'_>, command: IndexCommand) -> Result<Draft, ToolError> {
    match command {
        IndexCommand::Check => check_indexes(call.items),
        IndexCommand::Update | IndexCommand::Rebuild => write_indexes(call, command),
    }
}

fn write_indexes(call: &CommandCall<'_>, command: IndexCommand) -> Result<Draft, ToolError> {
    let mut total = 0;
    let mut rows = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        let written = call.items.sources.with_catalog_of(scope, |catalog: &mut Catalog| {
            let strays = match command {
                IndexCommand::Rebuild => catalog.rescan()?,
                IndexCommand::Update | IndexCommand::Check => {
                    catalog.rewrite_index().map(|()| Vec::new())?
                }
            };
            Ok((catalog.count()?, catalog.has_index(), strays))
        });
        let written = written.map_err(ItemError::Unsearchable)?;
        let Some((count, kept, strays)) = written else { continue };
        if call.items.sources.space(scope).is_some_and(|space| space.folder().is_none())
            && count == 0
        {
            continue;
        }
        total += count;
        let fields = Fields::default()
            .with("scope", scope.name())
            .with("items", count)
            .with("written", kept)
            .with("strays", stray_list(&strays));
        rows.push(fields.into());
    }
    let message = format!("The index has {total} {}.", if total == 1 { "item" } else { "items" });
    if command == IndexCommand::Rebuild {
        call.search.clear_index()?;
    }
    let search = call.search.update_index()?;
    let search_fields =
        Fields::default().with("items", search.items).with("waiting", search.missing_vectors);
    let search_fields = search_fields.with_some("incomplete", search.coverage.incomplete_field());
    let data = Fields::default().with("spaces", Data::List(rows)).with("search", search_fields);
    let draft = Draft::success(codes::INDEX, Prose::words(message)).data(data);
    // A user who turned the model off does not miss it.
    let error = search.embedding_error.filter(|error| *error != EmbeddingError::Disabled);
    let error = error.as_ref().map(notes::no_vectors_note);
    let temporary_note = (!search.is_persistent).then(|| notes::TEMPORARY_INDEX_NOTE.to_owned());
    let gap_note = search.coverage.gap().map(notes::incomplete_note);
    let hints = [error, temporary_note, gap_note].into_iter().flatten().collect::<Vec<_>>();
    Ok(if hints.is_empty() { draft } else { draft.hint(Prose::words(hints.join(" "))) })
}

fn check_indexes(items: &ItemReader<'_>) -> Result<Draft, ToolError> {
    let mut findings = 0;
    let mut rows = Vec::new();
    for space in items.sources.spaces() {
        let Some(comparison) = IndexComparison::compare(space).map_err(ItemError::Unsearchable)?
        else {
            continue;
        };
        findings += comparison.count_differences();
        let list = |paths: &[String]| {
            paths.iter().map(|path| Data::from(Content::mention(path.as_str()))).collect::<Data>()
        };
        let fields = Fields::default()
            .with("scope", space.scope.name())
            .with("state", comparison.state)
            .with("missing", list(&comparison.missing))
            .with("changed", list(&comparison.changed))
            .with("gone", list(&comparison.gone))
            .with("strays", stray_list(&comparison.strays))
            .with("scripts_without_manifest", script_list(&comparison.bare_scripts));
        rows.push(fields.into());
    }
    let data = Fields::default().with("spaces", Data::List(rows));
    if findings == 0 {
        let message = "The index matches a fresh scan.";
        return Ok(Draft::success(codes::INDEX_CHECKED, message).data(data));
    }
    let words = if findings == 1 { "difference" } else { "differences" };
    let message = format!("The index and the disk have {findings} {words}.");
    Ok(Draft::fault(codes::INDEX_DIFFERS, Prose::words(message))
        .hint("Replies are still correct. `mere index` rewrites it.")
        .data(data))
}

/// Returns the files that belong to no item, each with the reason.
pub(super) fn stray_list(strays: &[Stray]) -> Data {
    let rows = strays.iter().map(|stray| {
        let path = Content::mention(stray.path.as_str());
        Data::from(Fields::default().with("path", path).with("why", stray.reason))
    });
    rows.collect()
}
