//! An entry as it is given to the graph, and as the graph keeps it.

use std::fmt;
use std::sync::Arc;

use super::link::Link;
use crate::address::Address;
use crate::item::{Category, CategoryBase, ItemForm, ItemId, ItemRef, ItemType, Scope, ScopedPath};
use crate::trust::Vouching;

/// An entry for the graph. Its texts are shown as they are, so the caller must have cleaned them.
#[derive(Clone, Debug)]
pub struct GraphEntry {
    /// The type.
    pub kind: ItemType,
    /// The scope.
    pub scope: Scope,
    /// The category.
    pub category: Category,
    /// The id.
    pub id: ItemId,
    /// The title.
    pub title: String,
    /// The entry type that it states.
    pub entry_type: Option<String>,
    /// The links that it states.
    pub links: Vec<Link>,
    /// Whether somebody vouches for it.
    pub vouching: Vouching,
}

impl GraphEntry {
    /// Makes the entry that lies at `at`.
    pub fn new(at: &ScopedPath, title: impl Into<String>, links: Vec<Link>) -> Self {
        Self {
            kind: at.kind,
            scope: at.scope,
            category: at.category.clone(),
            id: at.id.clone(),
            title: title.into(),
            entry_type: None,
            links,
            vouching: Vouching::default(),
        }
    }

    /// Sets whether somebody vouches for it.
    #[must_use]
    pub fn with_vouching(mut self, vouching: Vouching) -> Self {
        self.vouching = vouching;
        self
    }

    /// Sets the entry type.
    #[must_use]
    pub fn with_entry_type(mut self, entry_type: Option<impl Into<String>>) -> Self {
        self.entry_type = entry_type.map(Into::into);
        self
    }
}

/// The index of an entry in its graph. Entries are sorted by category, id, type and scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NodeId(pub(super) u32);

impl NodeId {
    pub(super) fn index(self) -> usize {
        self.0 as usize
    }
}

/// An entry of a graph.
#[derive(Debug)]
pub struct Node {
    /// The type.
    pub kind: ItemType,
    /// The scope.
    pub scope: Scope,
    /// Is set if an entry of the same name in another scope hides it. Nothing leads to a shadowed
    /// entry, and its own links are followed only from itself.
    pub is_shadowed: bool,
    /// Whether somebody vouches for it.
    pub vouching: Vouching,
    /// The category.
    pub category: Arc<Category>,
    /// The id.
    pub id: ItemId,
    /// The title.
    pub title: Box<str>,
    /// The entry type that it states.
    pub entry_type: Option<Arc<str>>,
}

impl Node {
    /// Returns the full name, which no other entry of its type and scope has.
    pub fn name(&self) -> ItemRef {
        let category = Some(Category::clone(&self.category));
        ItemRef { category, id: self.id.clone(), version: None }
    }

    /// Returns the address of its file. Entries are single files of a space.
    pub fn address(&self) -> Option<Address> {
        let place = ScopedPath {
            scope: self.scope,
            kind: self.kind,
            base: CategoryBase::Space,
            category: Category::clone(&self.category),
            id: self.id.clone(),
            version: None,
            form: ItemForm::Flat,
        };
        place.address()
    }

    /// Returns the key that orders and identifies entries.
    pub(super) fn sort_key(&self) -> (&Category, &ItemId, ItemType, Scope) {
        (&self.category, &self.id, self.kind, self.scope)
    }
}

/// Writes `category/id`, or the bare id if there is no category.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.category.is_empty() { "" } else { "/" };
        write!(f, "{}{slash}{}", self.category, self.id)
    }
}
