//! Resolves a reference to one item. The project comes before the user, and within a scope the
//! reference must match exactly one item. Who vouches for it is not asked here.

use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath};
use mere_core::request::LookupScope;

use super::suggestions::{suggest_script, suggest_similar};
use super::{ItemError, ItemSources};
use crate::files::view::View;

/// The item that a reference resolves to.
pub(crate) struct ResolvedItem {
    pub(crate) place: ScopedPath,
    /// Items of the same name in scopes of lower precedence.
    pub(crate) shadows: Vec<ScopedPath>,
    /// Items of the same name that nobody vouches for. This one was chosen although some of them
    /// are in a scope of higher precedence.
    pub(crate) beside: Vec<ScopedPath>,
}

/// Returns the scopes to search, in order of precedence.
pub(crate) fn scopes(source: LookupScope) -> Result<Vec<Scope>, ItemError> {
    match source {
        LookupScope::Local | LookupScope::All => Ok(vec![Scope::Project, Scope::User]),
        LookupScope::Only(Scope::Registry) => Err(ItemError::NoRegistry),
        LookupScope::Only(scope) => Ok(vec![scope]),
    }
}

/// An item as a caller names it, and where it is looked for.
#[derive(Clone, Copy)]
pub(crate) struct NamedItem<'a> {
    pub(crate) kind: ItemType,
    pub(crate) item: &'a ItemRef,
    pub(crate) source: LookupScope,
}

/// Finds the item that a reference means. If there is none, the error suggests similar names,
/// or a script of that name that has no manifest.
pub(crate) fn find(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    named: NamedItem<'_>,
) -> Result<ResolvedItem, ItemError> {
    with_suggestions(sources, view, named, find_without_suggestions(sources, view, named))
}

/// Adds similar names to the error that there is no such item.
pub(super) fn with_suggestions<T>(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    named: NamedItem<'_>,
    found: Result<T, ItemError>,
) -> Result<T, ItemError> {
    found.map_err(|error| match error {
        ItemError::Missing { kind, item, scopes, .. } => {
            let suggestions = suggest_similar(sources, view, named, &scopes);
            let script = suggest_script(sources, view, named, &scopes);
            ItemError::Missing { kind, item, scopes, suggestions, script }
        }
        other => other,
    })
}

/// Does the same as [`find`], but suggests nothing if the item is missing. A broken item is found
/// like any other; whoever reads it reports that it is broken.
pub(crate) fn find_without_suggestions(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    named: NamedItem<'_>,
) -> Result<ResolvedItem, ItemError> {
    resolve(named, visible_candidates(sources, view, named)?)
}

/// Returns the items that a reference can mean, in order of precedence. An item that the caller may
/// not see is treated as missing.
pub(super) fn visible_candidates(
    sources: &ItemSources<'_>,
    view: &View<'_>,
    named: NamedItem<'_>,
) -> Result<Vec<ScopedPath>, ItemError> {
    let mut candidates = Vec::new();
    for scope in scopes(named.source)? {
        let found = sources.candidates(scope, named.kind, named.item);
        let found = found.map_err(ItemError::Unsearchable)?.into_iter();
        candidates.extend(found.filter(|place| is_visible(view, place)));
    }
    Ok(candidates)
}

/// Chooses by precedence alone among the items that a reference can mean.
pub(super) fn resolve(
    named: NamedItem<'_>,
    candidates: Vec<ScopedPath>,
) -> Result<ResolvedItem, ItemError> {
    let NamedItem { kind, item, source } = named;
    let nearest = candidates.first().map(|place| place.scope);
    let is_nearest = |place: &ScopedPath| Some(place.scope) == nearest;
    let (mut own, shadows) = candidates.into_iter().partition::<Vec<_>, _>(is_nearest);
    match (own.pop(), own.is_empty()) {
        (Some(place), true) => Ok(ResolvedItem { place, shadows, beside: Vec::new() }),
        (None, _) => {
            let (item, suggestions, scopes) = (Box::new(item.clone()), Vec::new(), scopes(source)?);
            Err(ItemError::Missing { kind, item, scopes, suggestions, script: None })
        }
        (Some(last), false) => {
            own.push(last);
            Err(ambiguity_error(kind, item, own))
        }
    }
}

/// Returns whether the caller may know that an item exists.
pub(crate) fn is_visible(view: &View<'_>, place: &ScopedPath) -> bool {
    place.address().is_some_and(|address| view.world.may_show(&address))
}

pub(super) fn ambiguity_error(
    kind: ItemType,
    item: &ItemRef,
    candidates: Vec<ScopedPath>,
) -> ItemError {
    let item = Box::new(item.clone());
    let mut names = candidates.iter().map(|place| (&place.category, &place.version));
    let first = names.next();
    if names.all(|name| Some(name) == first) {
        ItemError::Clash { kind, item, candidates }
    } else {
        ItemError::Ambiguous { kind, item, candidates }
    }
}
