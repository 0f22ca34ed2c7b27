//! `mere list`: which items are there? A broken one is listed with what is wrong.

use std::thread;

use mere_core::item::{Category, ItemType, Scope, ScopedPath};
use mere_core::reply::{Content, Data, Draft, Fields, ParsedName, codes};
use mere_core::request::ListItems;

use super::super::find::is_shown;
use super::super::tell::{Teller, word};
use super::super::{ItemError, Opened};
use super::Desk;
use crate::court::TrustPolicy;
use crate::tool_error::ToolError;
use crate::view::{View, count_phrase};
use crate::wording::{describe_failure, trust_fields};
use mere_host::available_parallelism;

/// The items that a listing asks for.
pub(super) fn list(desk: &Desk<'_>, listing: &ListItems) -> Result<Draft, ToolError> {
    let mut places = Vec::new();
    for scope in [Scope::Project, Scope::User] {
        if listing.scope.is_none_or(|only| only == scope) {
            places.extend(places_of(desk, scope, listing).map_err(ItemError::Unsearchable)?);
        }
    }
    let items = tell_all(desk, &places);
    let count = items.len() as u64;
    let data = Fields::default().with("items", Data::List(items)).with("count", count);
    let draft =
        Draft::success(codes::LIST, count_phrase(count, "item", "items").and(".")).data(data);
    let none = "there are none; `mere init` makes an example of each type, `mere new` an item";
    let all = *listing == ListItems::default();
    Ok(match (count, all) {
        (0, true) => draft.hint(none),
        (0, false) => draft.hint("no item is like that; `mere list` shows all of them"),
        _ => draft,
    })
}

fn places_of(
    desk: &Desk<'_>,
    scope: Scope,
    listing: &ListItems,
) -> std::io::Result<Vec<ScopedPath>> {
    let wants = |kind| listing.kind.is_none_or(|only| only == kind);
    let mut places = Vec::new();
    if listing.kind != Some(ItemType::Memory) {
        places.extend(desk.stock.all(scope)?.into_iter().map(|entry| entry.place));
    }
    if wants(ItemType::Memory) {
        places.extend(desk.stock.memories(scope)?);
    }
    let within = |category: &Category| {
        listing.category.as_ref().is_none_or(|above| above.contains(category))
    };
    places.retain(|place| {
        let of_form = listing.form.is_none_or(|form| form == place.form);
        wants(place.kind) && of_form && within(&place.category) && is_shown(desk.view, place)
    });
    places.sort_by(|left, right| {
        let key = |place: &ScopedPath| (place.kind, place.category.clone(), place.id.clone());
        key(left).cmp(&key(right))
    });
    Ok(places)
}

/// Tells every item, with as many hands as the machine has.
fn tell_all(desk: &Desk<'_>, places: &[ScopedPath]) -> Vec<Data> {
    let (view, court) = (desk.view, desk.court);
    let share = places.len().div_ceil(available_parallelism(usize::MAX)).max(64);
    thread::scope(|scope| {
        let parts = places.chunks(share).map(|part| {
            scope.spawn(move || {
                part.iter().map(|place| tell(view, court, place)).collect::<Vec<_>>()
            })
        });
        let parts = parts.collect::<Vec<_>>();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    })
}

fn tell(view: &View<'_>, court: &TrustPolicy, place: &ScopedPath) -> Data {
    let fields = Fields::default()
        .with("item_type", place.kind.name())
        .with("id", word(&place.id))
        .with("category", ParsedName::from(&place.category))
        .with("scope", place.scope.name())
        .with("address", place.address());
    let fields = match Opened::judge(view, court, place.clone()) {
        Ok(opened) => {
            let loaded = &opened.loaded;
            let mut teller = Teller::new(view, loaded);
            let about = loaded.item.description();
            let title = loaded.item.title(place);
            fields
                .with("version", loaded.item.version().map(word))
                .with("title", teller.mention(title))
                .with("description", teller.mention(about))
                .with("trust", opened.trust())
        }
        Err(error) => fields.with_some("trust", broken_trust(&error)).with("fault", fault(&error)),
    };
    fields.into()
}

/// `trust` of an item whose signatures do not hold.
pub(super) fn broken_trust(error: &ToolError) -> Option<Fields> {
    match error {
        ToolError::Item(ItemError::Broken(broken)) => Some(trust_fields(&broken.failure)),
        _ => None,
    }
}

/// What is wrong with an item, in one line.
pub(super) fn fault(error: &ToolError) -> Data {
    Content::mention(fault_words(error)).into()
}

/// The same, for people.
pub(super) fn fault_words(error: &ToolError) -> String {
    match error {
        ToolError::Item(ItemError::Faulty { fault, .. }) => {
            let place = format!("line {}, column {}: ", fault.line, fault.column);
            place + &fault.what.render_for_person()
        }
        ToolError::Item(ItemError::Broken(broken)) => {
            describe_failure(&broken.failure).render_for_person()
        }
        ToolError::Path(_) => "it is hidden by `sensitive`, or gone".to_owned(),
        _ => "it cannot be read".to_owned(),
    }
}
