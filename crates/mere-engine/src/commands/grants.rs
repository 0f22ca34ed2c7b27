//! `mere grant`, `mere grants` and `mere revoke`: a person decides what a tool may have.
//!
//! A grant is for this project and for exactly this digest of the tool. No agent can ask for one.

use mere_core::chain::grant_options;
use mere_core::item::{ItemRef, ToolPermissions};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::GrantTool;

use crate::error::grants::{describe_permissions, permission_fields};
use crate::error::tool_error::ToolError;
use crate::items::ItemError;
use crate::run::grants::{GrantState, grant_state, grants_key};
use crate::run::show::grant_fields;
use crate::run::{RunCall, ShownChain};
use crate::trust::approvals::grants::{
    GrantRecord, GrantedTool, read_grants, record_grant, remove_grants,
};
use crate::trust::project_key::ProjectKey;

/// Grants a tool what it asks for, or shows what it asks for.
pub(super) fn grant(call: &RunCall<'_>, request: &GrantTool) -> Result<Draft, ToolError> {
    let shown = ShownChain::follow(&call.items, &request.item)?;
    let tool = shown.chain().leaf().pin.reference();
    let mut state = grant_state(call, shown.chain())?;
    let unasked = request.grant.unasked_part(&state.asked);
    if !unasked.is_empty() {
        return Ok(unasked_reply(&tool, &unasked, &state.asked));
    }
    if !request.grant.is_empty() {
        let key = require_key(call)?;
        state.granted = state.granted.union(request.grant.clone());
        let record = GrantRecord { tool: state.tool.clone(), grant: state.granted.clone() };
        record_grant(&call.context.environment, &key, &record).map_err(ItemError::Record)?;
    }
    Ok(granted_reply(&tool, &state))
}

fn require_key(call: &RunCall<'_>) -> Result<ProjectKey, ToolError> {
    let key = grants_key(call.context).map_err(ItemError::Unsearchable)?;
    key.ok_or_else(|| ItemError::Unsearchable(std::io::ErrorKind::InvalidFilename.into()).into())
}

fn granted_reply(tool: &ItemRef, state: &GrantState) -> Draft {
    let missing = state.granted.missing_part(&state.asked);
    let message = Prose::words("The tool `").name(ParsedName::from(tool)).and("` ");
    let message = match (state.asked.is_empty(), missing.is_empty()) {
        (true, _) => message.and("asks for nothing that a person has to grant."),
        (_, true) => message.and("has everything that it asks for."),
        (_, false) => message.and(format!("still asks {}.", describe_permissions(&missing))),
    };
    let data = Fields::default()
        .with("tool", ParsedName::from(tool))
        .with("asked", permission_fields(&state.asked))
        .with("granted", grant_fields(&state.granted))
        .with("missing", permission_fields(&missing));
    let draft = Draft::success(codes::GRANTED, message).data(data);
    if missing.is_empty() {
        return draft;
    }
    let hint = Prose::words("`mere grant ").name(ParsedName::from(tool));
    draft.hint(hint.and(format!("{}` grants it.", grant_options(&missing))))
}

fn unasked_reply(tool: &ItemRef, unasked: &ToolPermissions, asked: &ToolPermissions) -> Draft {
    let message = Prose::words("The tool `")
        .name(ParsedName::from(tool))
        .and(format!("` does not ask {}. Nothing was granted.", describe_permissions(unasked)));
    let hint = if asked.is_empty() {
        "Its manifest has no `permissions`, so it needs no grant.".to_owned()
    } else {
        format!("It asks {}.", describe_permissions(asked))
    };
    let data = Fields::default()
        .with("tool", ParsedName::from(tool))
        .with("asked", permission_fields(asked));
    Draft::invalid(codes::GRANT_UNASKED, message).hint(Prose::words(hint)).data(data)
}

/// Lists what was granted in this project, and whether it still applies.
pub(super) fn list_grants(call: &RunCall<'_>) -> Result<Draft, ToolError> {
    let key = grants_key(call.context).map_err(ItemError::Unsearchable)?;
    let environment = &call.context.environment;
    let records = key.map(|key| read_grants(environment, &key)).unwrap_or_default();
    let count = records.len();
    let grants = records.iter().map(|record| {
        Fields::default()
            .with("tool", Content::mention(record.tool.name.clone()))
            .with_all(grant_fields(&record.grant))
            .with("current", is_current(call, &record.tool))
    });
    let data = Fields::default().with("grants", grants.map(Data::from).collect::<Data>());
    let message = match count {
        0 => "Nothing was granted to any tool in this project.".to_owned(),
        1 => "One tool was granted something in this project.".to_owned(),
        _ => format!("{count} tools were granted something in this project."),
    };
    Ok(Draft::success(codes::GRANT_LIST, Prose::words(message)).data(data))
}

/// Returns whether the tool of a grant is still the one that it was granted to.
fn is_current(call: &RunCall<'_>, tool: &GrantedTool) -> bool {
    let item = tool.name.parse::<ItemRef>().ok();
    let shown = item.and_then(|item| ShownChain::follow(&call.items, &item).ok());
    shown.is_some_and(|shown| GrantedTool::of_chain(shown.chain()) == *tool)
}

/// Takes back everything that was granted to a tool. The tool need not exist any more.
pub(super) fn revoke(call: &RunCall<'_>, item: &ItemRef) -> Result<Draft, ToolError> {
    // A bare id may mean a tool in a category.
    let found = ShownChain::follow(&call.items, item).ok();
    let found = found.map(|shown| shown.chain().leaf().pin.reference());
    let names = [Some(item.clone()), found].into_iter().flatten().map(|one| one.to_string());
    let key = require_key(call)?;
    let mut had_any = false;
    for name in names {
        let removed = remove_grants(&call.context.environment, &key, &name);
        had_any |= removed.map_err(ItemError::Record)?;
    }
    let message = Prose::words("The tool `").name(ParsedName::from(item));
    Ok(if had_any {
        let message = message.and("` has nothing any more that has to be granted.");
        Draft::success(codes::GRANT_REVOKED, message)
    } else {
        Draft::invalid(codes::GRANT_MISSING, message.and("` was granted nothing in this project."))
            .hint("`mere grants` lists what was granted.")
    })
}
