//! The `load` tool: returns an item with its content, metadata and trust.
//!
//! It can also copy the item into another scope, and list the entries around it.

use mere_core::item::{Item, MemoryPath, ScopedPath};
use mere_core::reply::{Content, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{AuthorChoice, Load, Reader};
use mere_core::schema::Schema;

use super::change::ItemCall;
use super::find::{NamedItem, ResolvedItem, find};
use super::relations::{find_successor, relationships};
use super::reply_fields::{self, ItemMasker, own_text};
use super::{ItemError, LoadedItem, item_advice, open_for_use, trust_status_fields};
use crate::commands::{self, CopyTarget};
use crate::error::tool_error::ToolError;
use crate::memory::StoreError;
use crate::run::directive::item_warnings;
use crate::trust::now;

/// Loads an item.
pub(crate) fn load(desk: &ItemCall<'_>, call: &Load) -> Result<Draft, ToolError> {
    let (view, stock) = (desk.view, desk.sources);
    let ResolvedItem { place, shadows } =
        find(stock, view, NamedItem { kind: call.kind, item: &call.item, source: call.source })?;
    let usable = open_for_use(desk, place)?;
    let loaded = usable.item();
    check_expiry(desk, loaded)?;
    if let Some(wanted) = &call.version
        && loaded.item.version() != Some(wanted)
    {
        let has = loaded.item.version().cloned();
        return Err(ItemError::WrongVersion { address: loaded.address.clone(), has }.into());
    }
    let copied_to = call
        .destination
        .map(|scope| {
            let to = CopyTarget { scope, author: AuthorChoice::Unchanged };
            commands::copy_item(desk, usable.checked(), to)
        })
        .transpose()?;
    let mut teller = ItemMasker::new(view, &usable);
    let place = &loaded.place;
    let shadows = (!shadows.is_empty()).then(|| reply_fields::addresses(&shadows));
    let mut odd = item_warnings(stock, view, &loaded.item);
    odd.extend(tool_warnings(loaded));
    let data = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", own_text(&place.id))
        .with("version", loaded.item.version().map(own_text))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", loaded.address.clone())
        .with("content", teller.body(&loaded.text))
        .with("metadata", teller.data(&loaded.item.metadata()))
        .with("files", reply_fields::file_list(view, &usable))
        .with("integrity", loaded.integrity)
        .with("trust", trust_status_fields(usable.checked()))
        .with_some("validation_warnings", reply_fields::warning_list(odd))
        .with_some("shadows", shadows);
    let around = call.relationships.as_ref();
    let around = around.map(|walk| relationships(desk, place, walk)).transpose()?.flatten();
    let data = data
        .with_some("superseded_by", find_successor(desk, place))
        .with_some("relationships", around);
    let data =
        data.with_some("copied_to", copied_to.clone()).with_some("masked", teller.masked_count());
    let version = loaded.item.version().map_or(String::new(), |version| format!(" {version}"));
    let message = Prose::words(format!("The {} `", place.kind))
        .name(item_name(place))
        .and(format!("`{version} is "))
        .address(loaded.address.clone())
        .and(".");
    let draft = match copied_to {
        None => Draft::success(codes::LOAD, message).data(data),
        Some(copy) => {
            let message = message.and(" Its copy is ").address(copy).and(".");
            Draft::success(codes::LOAD_COPIED, message).data(data)
        }
    };
    Ok(match item_advice(usable.checked(), desk.trust_policy) {
        Some(advice) => draft.hint(advice),
        None => draft,
    })
}

/// Hides expired memories from agents; a person may still see them.
fn check_expiry(desk: &ItemCall<'_>, loaded: &LoadedItem) -> Result<(), StoreError> {
    if let (Item::Memory(memory), Reader::Agent) = (&loaded.item, desk.reader)
        && let Some(at) = memory.expires_at.filter(|_| memory.has_expired(now()))
    {
        let (category, slug) = (loaded.place.category.clone(), loaded.place.id.clone());
        return Err(StoreError::Expired { path: MemoryPath { category, slug }, at });
    }
    Ok(())
}

/// Returns the name of an item, which is its category and id.
pub(crate) fn item_name(place: &ScopedPath) -> ParsedName {
    ParsedName::from(&place.reference())
}

/// Returns what would prevent a tool from running: a missing entrypoint or an unusable schema.
fn tool_warnings(loaded: &LoadedItem) -> Vec<Content> {
    let Item::Tool(tool) = &loaded.item else { return Vec::new() };
    let mut odd = Vec::new();
    let entrypoint = tool.manifest.get("manifest").and_then(|said| said["entrypoint"].as_str());
    if let Some(entrypoint) = entrypoint
        && !loaded.files.iter().any(|file| file.path == entrypoint)
    {
        odd.push(Content::mention(format!(
            "`entrypoint` names `{entrypoint}`, which does not exist"
        )));
    }
    for key in ["input_schema", "parameters", "config_schema"] {
        let schema = tool.manifest.get(key).filter(|schema| schema.is_object());
        if let Some(Err(error)) = schema.map(Schema::compile) {
            odd.push(Content::mention(format!("`{key}` cannot be used: {error}")));
        }
    }
    odd
}
