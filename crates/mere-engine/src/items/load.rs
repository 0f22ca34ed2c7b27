//! The `load` tool: returns an item with its content, metadata and trust.
//!
//! It can also copy the item into another scope, and list the entries around it.

use mere_core::address::Address;
use mere_core::chain::tool_input_schema;
use mere_core::item::{Item, MemoryPath, Scope, ScopedPath};
use mere_core::reply::{Data, Draft, Fields, ParsedName, Prose, codes};
use mere_core::request::{AuthorChoice, Load, Reader};

use super::copy::{CopyTarget, copy_item};
use super::directive_fields::input_list;
use super::find::{NamedItem, ResolvedItem};
use super::item_fidelity::ItemFidelity;
use super::reply_fields::{self, own_text};
use super::version_check::{note_version, trust_fields_with_age, use_advice};
use super::{ItemCall, ItemError, ItemReader, LoadedItem, UsableItem, open_for_use};
use crate::files::masking::ItemMasker;
use crate::items::validation::loaded_warnings;
use crate::memory::StoreError;
use crate::trust::now;

/// An item that a call loads, and its copy if the call asked for one.
pub(crate) struct LoadedForReply {
    usable: UsableItem,
    /// Items of the same name that this one takes precedence over.
    shadows: Vec<ScopedPath>,
    /// Items of the same name that nobody vouches for, and that are therefore not loaded.
    beside: Vec<ScopedPath>,
    copied_to: Option<Address>,
}

/// Reads and verifies the item that a call names, and copies it if the call asks for that.
pub(crate) fn open(call: &ItemCall<'_>, request: &Load) -> Result<LoadedForReply, ItemError> {
    let named = NamedItem { kind: request.kind, item: &request.item, source: request.source };
    let ResolvedItem { place, shadows, beside } = call.items.find_for_use(named)?;
    let usable = open_for_use(&call.items, place)?;
    let loaded = usable.item();
    check_expiry(&call.items, loaded)?;
    if let Some(wanted) = &request.version
        && loaded.item.version() != Some(wanted)
    {
        let has = loaded.item.version().cloned();
        return Err(ItemError::WrongVersion { address: loaded.address.clone(), has });
    }
    let copy = |scope| {
        let to = CopyTarget { scope, author: AuthorChoice::Unchanged };
        copy_item(call, usable.checked(), to)
    };
    let copied_to = request.destination.map(copy).transpose()?;
    Ok(LoadedForReply { usable, shadows, beside, copied_to })
}

/// What the search index knows about an item.
pub(crate) struct RelatedFields {
    pub(crate) superseded_by: Option<ParsedName>,
    pub(crate) relationships: Option<Fields>,
}

impl LoadedForReply {
    /// Returns the place of the item.
    pub(crate) fn place(&self) -> &ScopedPath {
        &self.usable.item().place
    }

    /// Drafts the reply.
    pub(crate) fn reply(self, items: &ItemReader<'_>, related: RelatedFields) -> Draft {
        let Self { usable, shadows, beside, copied_to } = self;
        let (view, loaded) = (items.view, usable.item());
        let mut masker = ItemMasker::new(view, &usable);
        let fidelity = ItemFidelity::examine(view, loaded);
        let place = &loaded.place;
        let warnings = loaded_warnings(items, loaded);
        let age = note_version(items.trust_policy, usable.checked());
        let data = Fields::default()
            .with("item_type", place.kind.name())
            .with("id", own_text(&place.id))
            .with("version", loaded.item.version().map(own_text))
            .with("category", ParsedName::from(&place.category))
            .with("scope", place.scope.name())
            .with("address", loaded.address.clone())
            .with("content", masker.body(&loaded.text))
            .with("metadata", masker.data(&loaded.item.metadata()))
            .with_some("inputs", directive_inputs(&mut masker, &loaded.item))
            .with_some("input_schema", tool_schema(&mut masker, &loaded.item))
            .with("files", reply_fields::file_list(view, &usable, &fidelity))
            .with("integrity", fidelity.integrity(loaded.integrity))
            .with("trust", trust_fields_with_age(usable.checked(), &age))
            .with_some("validation_warnings", reply_fields::warning_list(warnings))
            .with_some("shadows", reply_fields::some_addresses(&shadows))
            .with_some("beside", reply_fields::some_addresses(&beside))
            .with_some("superseded_by", related.superseded_by)
            .with_some("relationships", related.relationships)
            .with_some("copied_to", copied_to.clone())
            .with_some("masked", masker.masked_count());
        let message = location_sentence(loaded);
        let draft = match copied_to {
            None => Draft::success(codes::LOAD, message).data(data),
            Some(copy) => {
                let message = message.and(" Its copy is ").address(copy).and(".");
                Draft::success(codes::LOAD_COPIED, message).data(data)
            }
        };
        match use_advice(usable.checked(), items.trust_policy, &age) {
            Some(advice) => draft.hint(advice),
            None => draft,
        }
    }
}

/// Returns the inputs that a directive takes. A skill takes none.
fn directive_inputs(masker: &mut ItemMasker, item: &Item) -> Option<Data> {
    match item {
        Item::Directive(directive) => Some(input_list(masker, directive, |_| None)),
        Item::Skill(_) => Some(Data::List(Vec::new())),
        _ => None,
    }
}

/// Returns the schema of a tool's parameters, unless the manifest describes them wrongly, of which
/// a run says how.
fn tool_schema(masker: &mut ItemMasker, item: &Item) -> Option<Data> {
    let Item::Tool(tool) = item else { return None };
    tool_input_schema(&tool.manifest).ok().map(|schema| masker.data(&schema))
}

/// Says where an item lies.
fn location_sentence(loaded: &LoadedItem) -> Prose {
    let version = loaded.item.version().map_or(String::new(), |version| format!(" {version}"));
    Prose::words(format!("The {} `", loaded.place.kind.noun()))
        .name(item_name(&loaded.place))
        .and(format!("`{version} is "))
        .address(loaded.address.clone())
        .and(".")
}

/// Hides expired memories from agents; a person may still see them.
fn check_expiry(items: &ItemReader<'_>, loaded: &LoadedItem) -> Result<(), StoreError> {
    if let (Item::Memory(memory), Reader::Agent) = (&loaded.item, items.reader)
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

/// Returns how a person names an item to a command: its type and its name, and `--scope user` for
/// one of the user's own, because commands take the project's item of that name otherwise.
pub(crate) fn command_words(place: &ScopedPath) -> String {
    let scope = if place.scope == Scope::User { " --scope user" } else { "" };
    format!("{} {}{scope}", place.kind, item_name(place))
}
