//! Which item a reference means: project before user, and one in its scope.

use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath};
use mere_core::request::LookupScope;

use super::near::suggest_similar;
use super::{ItemError, ItemSources};
use crate::view::View;

/// The item that is meant.
pub(crate) struct ResolvedItem {
    pub(crate) place: ScopedPath,
    /// Items of the same name in scopes that lose.
    pub(crate) shadows: Vec<ScopedPath>,
}

/// The scopes that are looked through, those that win first.
pub(crate) fn scopes(source: LookupScope) -> Result<Vec<Scope>, ItemError> {
    match source {
        LookupScope::Local | LookupScope::All => Ok(vec![Scope::Project, Scope::User]),
        LookupScope::Only(Scope::Registry) => Err(ItemError::NoRegistry),
        LookupScope::Only(scope) => Ok(vec![scope]),
    }
}

/// Finds the item that a reference means.
pub(crate) fn find(
    stock: &ItemSources<'_>,
    view: &View<'_>,
    (kind, item): (ItemType, &ItemRef),
    source: LookupScope,
) -> Result<ResolvedItem, ItemError> {
    find_without_suggestions(stock, view, (kind, item), source).map_err(|error| match error {
        ItemError::Missing { kind, item, scopes, .. } => {
            let near = suggest_similar(stock, view, (kind, &item), &scopes);
            ItemError::Missing { kind, item, scopes, suggestions: near }
        }
        other => other,
    })
}

/// The same, without a guess at what was meant if there is none. One that is broken is found like any other: it is for its
/// reader to say so.
pub(crate) fn find_without_suggestions(
    stock: &ItemSources<'_>,
    view: &View<'_>,
    (kind, item): (ItemType, &ItemRef),
    source: LookupScope,
) -> Result<ResolvedItem, ItemError> {
    let scopes = scopes(source)?;
    let mut winner = None;
    let mut shadows = Vec::new();
    for scope in &scopes {
        let found = stock.candidates(*scope, kind, item).map_err(ItemError::Unsearchable)?;
        // What may not be seen is not there.
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
    let (item, near) = (Box::new(item.clone()), Vec::new());
    Err(ItemError::Missing { kind, item, scopes, suggestions: near })
}

/// Whether the caller may know of an item.
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
