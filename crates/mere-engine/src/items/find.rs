//! Resolves a reference to one item. The project comes before the user, and within a scope the
//! reference must match exactly one item.

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
    find_without_suggestions(sources, view, named).map_err(|error| match error {
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
    let NamedItem { kind, item, source } = named;
    let scopes = scopes(source)?;
    let mut winner = None;
    let mut shadows = Vec::new();
    for scope in &scopes {
        let found = sources.candidates(*scope, kind, item).map_err(ItemError::Unsearchable)?;
        // An item that the caller may not see is treated as missing.
        let found = found.into_iter().filter(|place| is_visible(view, place)).collect::<Vec<_>>();
        match (&winner, found.as_slice()) {
            (_, []) => {}
            (None, [_]) => winner = found.into_iter().next(),
            (None, _) => return Err(ambiguity_error(kind, item, found)),
            (Some(_), _) => shadows.extend(found),
        }
    }
    if let Some(place) = winner {
        return Ok(ResolvedItem { place, shadows });
    }
    let (item, suggestions) = (Box::new(item.clone()), Vec::new());
    Err(ItemError::Missing { kind, item, scopes, suggestions, script: None })
}

/// Returns whether the caller may know that an item exists.
pub(crate) fn is_visible(view: &View<'_>, place: &ScopedPath) -> bool {
    place.address().is_some_and(|address| view.world.may_show(&address))
}

fn ambiguity_error(kind: ItemType, item: &ItemRef, candidates: Vec<ScopedPath>) -> ItemError {
    let item = Box::new(item.clone());
    let mut names = candidates.iter().map(|place| (&place.category, &place.version));
    let first = names.next();
    if names.all(|name| Some(name) == first) {
        ItemError::Clash { kind, item, candidates }
    } else {
        ItemError::Ambiguous { kind, item, candidates }
    }
}
