//! Suggestions for an id that names no item.
//!
//! Only items that the caller may see are suggested.

use mere_core::item::{Category, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::request::ItemMatcher;

use super::ItemSources;
use super::find::{NamedItem, is_visible};
use super::load::item_name;
use crate::files::view::View;
use crate::space::{BareScript, Catalog};

/// The largest number of suggestions.
const MAX_SUGGESTIONS: usize = 3;
/// The largest number of letters that may differ.
const MAX_EDITS: usize = 2;
/// A space with more items than this is not searched for suggestions.
const MAX_ITEMS: u64 = 20_000;

/// Returns references to items whose ids are close to the given one, as the caller would write
/// them. An item of another type is suggested only if its id is identical.
pub(super) fn suggest_similar(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    named: NamedItem<'_>,
    scopes: &[Scope],
) -> Vec<String> {
    let NamedItem { kind, item, .. } = named;
    let mut found = Vec::new();
    for scope in scopes {
        let count = sources.with_catalog_of(*scope, Catalog::count);
        if !count.is_ok_and(|count| count.is_some_and(|count| count <= MAX_ITEMS)) {
            continue;
        }
        for entry in sources.indexed_items(*scope).unwrap_or_default() {
            let place = entry.place;
            let far = edit_distance(place.id.as_str(), item.id.as_str());
            let same_kind = place.kind == kind;
            let is_similar = if same_kind { far <= MAX_EDITS } else { far == 0 };
            if is_similar && is_visible(view, &place) {
                let category = Some(place.category.clone()).filter(|one| !one.is_empty());
                let name = ItemRef { category, id: place.id, version: None };
                let name =
                    if same_kind { name.to_string() } else { format!("{} {name}", place.kind) };
                found.push((far, name));
            }
        }
    }
    found.sort();
    found.dedup();
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Returns what was probably meant by a name or a pattern that matches none of these items.
pub(crate) fn suggest_matches(places: &[ScopedPath], wanted: &ItemMatcher) -> Vec<String> {
    let near = |place: &ScopedPath| match wanted {
        ItemMatcher::Item(item) => {
            let far = edit_distance(place.id.as_str(), item.id.as_str());
            Some((far, item_name(place).to_string()))
        }
        ItemMatcher::Matching(pattern) => {
            let (category, rest) = pattern.as_str().rsplit_once('/')?;
            let far = edit_distance(place.category.as_str(), category);
            Some((far, format!("{}/{rest}", place.category)))
        }
    };
    let mut found = places.iter().filter_map(near).collect::<Vec<_>>();
    found.retain(|(far, _)| *far <= MAX_EDITS);
    found.sort();
    found.dedup();
    found.into_iter().take(MAX_SUGGESTIONS).map(|(_, name)| name).collect()
}

/// Returns the script that a tool of this name would have, if there is one without a manifest: one
/// of that name, or one in a folder of that name.
pub(super) fn suggest_script(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    named: NamedItem<'_>,
    scopes: &[Scope],
) -> Option<Box<BareScript>> {
    if named.kind != ItemType::Tool {
        return None;
    }
    let is_in =
        |found: &Category| named.item.category.as_ref().is_none_or(|category| category == found);
    let has_name = |script: &BareScript| {
        let place = script.tool.as_ref().filter(|place| place.id == named.item.id);
        place.is_some_and(|place| is_in(&place.category))
    };
    let is_in_folder = |script: &BareScript| {
        let folder = script.tool.as_ref().map(|place| &place.category);
        folder.is_some_and(|folder| {
            folder.levels().next_back() == Some(named.item.id.as_str()) && is_in(&folder.parent())
        })
    };
    let spaces = scopes.iter().filter_map(|scope| sources.space(*scope));
    let scripts = spaces.flat_map(|space| space.bare_scripts().unwrap_or_default());
    let mut scripts =
        scripts.filter(|script| view.world.may_show(&script.address)).collect::<Vec<_>>();
    let found = scripts.iter().position(has_name);
    let found = found.or_else(|| scripts.iter().position(is_in_folder))?;
    Some(Box::new(scripts.swap_remove(found)))
}

/// Returns the Levenshtein distance. If the lengths differ too much for a suggestion, it returns
/// `usize::MAX` without computing it.
fn edit_distance(one: &str, other: &str) -> usize {
    let is_near = one.len().abs_diff(other.len()) <= MAX_EDITS;
    if is_near { strsim::levenshtein(one, other) } else { usize::MAX }
}

#[cfg(test)]
mod tests {
    use super::edit_distance;

    #[test]
    fn letters_are_counted() {
        for (one, other, far) in [
            ("paging", "paging", 0),
            ("pagin", "paging", 1),
            ("pgaing", "paging", 2),
            ("a", "b", 1),
        ] {
            assert_eq!(edit_distance(one, other), far, "{one} {other}");
        }
        assert!(edit_distance("a", "abcdef") > 2);
    }
}
