//! Finding what is offered: the names of items, and the item behind a name.

use std::collections::BTreeSet;

use mere_core::item::{Item, ItemForm, ItemRef, ItemType, Scope, ScopedPath};
use mere_core::request::LookupScope;

use crate::items::find::{NamedItem, is_visible};
use crate::items::{ItemError, ItemReader, UsableItem, open_for_use};
use crate::trust::now;

/// Whether an item must have a folder of its own, as skills have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OfferedForm {
    /// A file or a folder.
    Any,
    /// A folder.
    Folder,
}

/// Returns the names of all items of a type that the caller may see, each once and in order.
pub(super) fn offered_names(
    items: &ItemReader<'_>,
    kind: ItemType,
    form: OfferedForm,
) -> Result<BTreeSet<String>, ItemError> {
    let mut names = BTreeSet::new();
    for scope in [Scope::Project, Scope::User] {
        let places = match kind {
            ItemType::Memory => items.sources.memories(scope),
            _ => items.sources.items_of_type(scope, kind),
        };
        let places = places.map_err(ItemError::Unsearchable)?.into_iter();
        let offered = |place: &ScopedPath| {
            (form == OfferedForm::Any || place.form == ItemForm::Folder)
                && is_visible(items.view, place)
        };
        names.extend(places.filter(offered).map(|place| place.reference().to_string()));
    }
    Ok(names)
}

/// Finds and verifies the item of a name, as one that its reader may use. A name without a category
/// means the item without one, if there is such an item, because lists show it by that name.
pub(super) fn open_offered(
    items: &ItemReader<'_>,
    kind: ItemType,
    name: &ItemRef,
) -> Result<UsableItem, ItemError> {
    let find =
        |item: &ItemRef| items.find_for_use(NamedItem { kind, item, source: LookupScope::Local });
    let exact =
        ItemRef { category: Some(name.category.clone().unwrap_or_default()), ..name.clone() };
    let found = match find(&exact) {
        Err(ItemError::Missing { .. }) if name.category.is_none() => find(name),
        found => found,
    };
    open_for_use(items, found?.place)
}

/// Returns whether an item is offered in lists: a memory that has expired is not.
pub(super) fn is_current(item: &Item) -> bool {
    !matches!(item, Item::Memory(memory) if memory.has_expired(now()))
}
