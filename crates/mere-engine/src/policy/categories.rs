//! Which categories may be used and changed, by the rules of their store or item type.
//!
//! The rules themselves are in `mere_core::category`. A [`CategoryPermit`] names the one place that
//! it is for, so an item cannot be created in another.

use mere_core::category::{self, CategoryRules, ChangeContext, Force, Refusal, StoreView};
use mere_core::item::{CategoryBase, ItemForm, ItemType, PinnedTool, Scope, ScopedPath};
use mere_core::request::Reader;

/// Who asks for a change to a store, and how.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoreChangeContext {
    pub(crate) reader: Reader,
    pub(crate) change: ChangeContext,
}

/// Allows a change to categories or memories, by the rules of their store. Agents never override
/// its mode.
pub(crate) fn permit_store_change<V: StoreView>(
    rules: &CategoryRules,
    change: category::StoreChange,
    view: &V,
    context: StoreChangeContext,
) -> Result<category::Permit, Refusal<V::Error>> {
    let force = match context.reader {
        Reader::Agent => Force::No,
        Reader::Person => context.change.force,
    };
    rules.permit(change, view, ChangeContext { force, ..context.change })
}

/// Permission to create an item at one place, where its category is allowed.
pub struct CategoryPermit {
    place: ScopedPath,
}

impl CategoryPermit {
    /// Returns the place that the permit is for.
    pub(crate) fn place(&self) -> &ScopedPath {
        &self.place
    }

    pub(super) fn into_place(self) -> ScopedPath {
        self.place
    }
}

/// Allows an item in its category, which is created if it does not exist. The rule holds for people
/// as well. Folders that are used in place are not a space's, and have no rules.
pub(crate) fn permit_category<V: StoreView>(
    rules: &CategoryRules,
    place: ScopedPath,
    view: &V,
) -> Result<CategoryPermit, Refusal<V::Error>> {
    if place.base == CategoryBase::Space {
        rules.check_item_category(&place.category, view)?;
    }
    Ok(CategoryPermit { place })
}

/// Allows the lockfile of a tool, which has the category of that tool.
pub(crate) fn permit_lockfile_category(tool: &PinnedTool, scope: Scope) -> CategoryPermit {
    let place = ScopedPath {
        scope,
        kind: ItemType::Lockfile,
        base: CategoryBase::Space,
        category: tool.category.clone(),
        id: tool.id.clone(),
        version: Some(tool.version.clone()),
        form: ItemForm::Flat,
    };
    CategoryPermit { place }
}
