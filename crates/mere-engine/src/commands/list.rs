//! `mere list`: lists the items that exist. A broken item is listed with its problem.
//!
//! It verifies every listed item, but does not ask policy whether the item may be used.

use mere_core::address::Root;
use mere_core::item::{Category, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, codes};
use mere_core::request::ListItems;

use super::index::stray_list;
use crate::error::tool_error::ToolError;
use crate::error::{describe_failure, trust_fields};
use crate::files::error::FileError;
use crate::files::masking::SummaryMasker;
use crate::files::view::count_phrase;
use crate::items::find::is_visible;
use crate::items::reply_fields::own_text;
use crate::items::{ItemError, ItemReader, read_and_verify, trust_status_fields};
use crate::space::BareScript;
use mere_host::{fault_point, map_in_parallel};

/// The number of items that a thread takes at a time.
const BATCH_SIZE: usize = 64;

/// Lists the items that a listing asks for.
pub(super) fn list(items: &ItemReader<'_>, listing: &ListItems) -> Result<Draft, ToolError> {
    let mut places = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        if listing.scope.is_none_or(|only| only == scope) {
            places.extend(listed_places(items, scope, listing).map_err(ItemError::Unsearchable)?);
        }
    }
    let scripts = listed_scripts(items, listing).map_err(ItemError::Unsearchable)?;
    let strays = listed_strays(items, listing).map_err(ItemError::Unsearchable)?;
    let has_project = items.view.world.mounted_folders().any(|(root, _)| *root == Root::Project);
    let items = describe_all(items, &places);
    let count = items.len() as u64;
    let data = Fields::default()
        .with("items", Data::List(items))
        .with("count", count)
        .with_some("scripts_without_manifest", scripts)
        .with_some("strays", strays);
    let draft =
        Draft::success(codes::LIST, count_phrase(count, "item", "items").and(".")).data(data);
    let none = if has_project {
        "there are none; `mere init` makes an example of each type, `mere new` an item"
    } else {
        "there are none, and no project; `mere init --user` makes a space of your own with examples"
    };
    let all = *listing == ListItems::default();
    Ok(match (count, all) {
        (0, true) => draft.hint(none),
        (0, false) => draft.hint("no item matches; `mere list` shows all of them"),
        _ => draft,
    })
}

fn listed_places(
    items: &ItemReader<'_>,
    scope: Scope,
    listing: &ListItems,
) -> std::io::Result<Vec<ScopedPath>> {
    let wants = |kind| listing.kind.is_none_or(|only| only == kind);
    let mut places = Vec::new();
    if listing.kind != Some(ItemType::Memory) {
        places.extend(items.sources.indexed_items(scope)?.into_iter().map(|entry| entry.place));
    }
    if wants(ItemType::Memory) {
        places.extend(items.sources.memories(scope)?);
    }
    let within = |category: &Category| {
        listing.category.as_ref().is_none_or(|above| above.contains(category))
    };
    places.retain(|place| {
        wants(place.kind) && within(&place.category) && is_visible(items.view, place)
    });
    places.sort_by(|left, right| {
        let key = |place: &ScopedPath| (place.kind, place.category.clone(), place.id.clone());
        key(left).cmp(&key(right))
    });
    Ok(places)
}

/// Returns the scripts without a manifest that a listing asks for, or `None` if there are none.
fn listed_scripts(items: &ItemReader<'_>, listing: &ListItems) -> std::io::Result<Option<Data>> {
    if listing.kind.is_some_and(|kind| kind != ItemType::Tool) {
        return Ok(None);
    }
    let mut found = Vec::new();
    for space in items.sources.spaces() {
        if listing.scope.is_none_or(|only| only == space.scope) {
            found.extend(space.bare_scripts()?);
        }
    }
    found.retain(|script| {
        let category = script.tool.as_ref().map(|place| &place.category);
        let is_within = |above: &Category| category.is_some_and(|below| above.contains(below));
        listing.category.as_ref().is_none_or(is_within)
            && items.view.world.may_show(&script.address)
    });
    Ok((!found.is_empty()).then(|| script_list(&found)))
}

/// Returns the files that seem to be meant as items that a listing asks for, or `None` if there are
/// none. Such a file has no category of its own.
fn listed_strays(items: &ItemReader<'_>, listing: &ListItems) -> std::io::Result<Option<Data>> {
    let is_memory = listing.kind == Some(ItemType::Memory);
    if listing.category.is_some() || is_memory {
        return Ok(None);
    }
    let mut found = Vec::new();
    for space in items.sources.spaces() {
        if listing.scope.is_none_or(|only| only == space.scope) {
            let mut strays = space.strays(listing.kind)?;
            strays.retain(|stray| {
                let address = stray.address(space.scope);
                address.is_none_or(|address| items.view.world.may_show(&address))
            });
            found.extend(strays);
        }
    }
    Ok((!found.is_empty()).then(|| stray_list(&found)))
}

/// Returns scripts without a manifest, each with what makes it a tool.
pub(super) fn script_list(scripts: &[BareScript]) -> Data {
    let rows = scripts.iter().map(|script| {
        let fields = Fields::default().with("address", script.address.clone());
        Data::from(fields.with("fix", Content::mention(script.fix())))
    });
    rows.collect()
}

/// Describes every item, on as many threads as the machine has cores.
fn describe_all(items: &ItemReader<'_>, places: &[ScopedPath]) -> Vec<Data> {
    let batches = places.chunks(BATCH_SIZE).collect::<Vec<_>>();
    let described = map_in_parallel(&batches, usize::MAX, |batch| {
        batch.iter().map(|place| describe(items, place)).collect::<Vec<_>>()
    });
    described.into_iter().flatten().collect()
}

fn describe(items: &ItemReader<'_>, place: &ScopedPath) -> Data {
    fault_point("list", place.id.as_str());
    let fields = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", own_text(&place.id))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", place.address());
    let fields = match read_and_verify(items, place.clone()) {
        Ok(checked) => {
            let loaded = checked.item();
            let mut masker = SummaryMasker::new(items.view, &checked);
            let about = loaded.item.description();
            let title = loaded.item.title(place);
            fields
                .with("version", loaded.item.version().map(own_text))
                .with("title", masker.mention(title))
                .with("description", masker.mention(about))
                .with("trust", trust_status_fields(&checked))
        }
        Err(error) => {
            fields.with_some("trust", broken_trust_fields(&error)).with("fault", fault_data(&error))
        }
    };
    fields.into()
}

/// Returns the `trust` fields of an item whose signatures do not hold.
pub(super) fn broken_trust_fields(error: &ItemError) -> Option<Fields> {
    match error {
        ItemError::Broken(broken) => Some(trust_fields(&broken.failure)),
        _ => None,
    }
}

/// Describes what is wrong with an item, in one line.
pub(super) fn fault_data(error: &ItemError) -> Data {
    Content::mention(fault_text(error)).into()
}

/// Does the same as plain text, for people.
pub(super) fn fault_text(error: &ItemError) -> String {
    match error {
        ItemError::Faulty { fault, .. } => {
            let place = format!("line {}, column {}: ", fault.line, fault.column);
            place + &fault.what.render_for_person()
        }
        ItemError::Broken(broken) => describe_failure(&broken.failure).render_for_person(),
        ItemError::File(FileError::Path(_)) => {
            "it is hidden by `sensitive`, or it no longer exists".to_owned()
        }
        _ => "it cannot be read".to_owned(),
    }
}
