//! An entry as the graph is told of it, and as it is kept there.

use std::fmt;
use std::sync::Arc;

use super::link::Link;
use crate::address::Address;
use crate::item::{Category, CategoryBase, ItemForm, ItemId, ItemRef, ItemType, Scope, ScopedPath};

/// An entry for the graph. Its texts are shown as they are given: who feeds the graph cleans them.
#[derive(Clone, Debug)]
pub struct GraphEntry {
    /// What it is.
    pub kind: ItemType,
    /// In which scope it lies.
    pub scope: Scope,
    /// Its category.
    pub category: Category,
    /// Its id.
    pub id: ItemId,
    /// What it is called.
    pub title: String,
    /// What kind of entry it says it is.
    pub entry_type: Option<String>,
    /// What it says of others.
    pub links: Vec<Link>,
}

impl GraphEntry {
    /// The entry that lies at `at`.
    pub fn new(at: &ScopedPath, title: impl Into<String>, links: Vec<Link>) -> Self {
        Self {
            kind: at.kind,
            scope: at.scope,
            category: at.category.clone(),
            id: at.id.clone(),
            title: title.into(),
            entry_type: None,
            links,
        }
    }

    /// Adds what kind of entry it says it is.
    #[must_use]
    pub fn with_entry_type(mut self, entry_type: Option<impl Into<String>>) -> Self {
        self.entry_type = entry_type.map(Into::into);
        self
    }
}

/// The place of an entry in its graph. Smaller is earlier by category, id, type and scope.
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
    /// What it is.
    pub kind: ItemType,
    /// In which scope it lies.
    pub scope: Scope,
    /// Whether the same name in a nearer scope hides it. Then nothing leads to it, and its own links
    /// are followed only from itself.
    pub is_shadowed: bool,
    /// Its category.
    pub category: Arc<Category>,
    /// Its id.
    pub id: ItemId,
    /// What it is called.
    pub title: Box<str>,
    /// What kind of entry it says it is.
    pub entry_type: Option<Arc<str>>,
}

impl Node {
    /// Its whole name, which no other entry of its type and scope has.
    pub fn name(&self) -> ItemRef {
        let category = Some(Category::clone(&self.category));
        ItemRef { category, id: self.id.clone(), version: None }
    }

    /// Where its file is. Entries are single files of a space.
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

    /// What orders entries, and tells them apart.
    pub(super) fn sort_key(&self) -> (&Category, &ItemId, ItemType, Scope) {
        (&self.category, &self.id, self.kind, self.scope)
    }
}

/// `category/id`, or the bare id where there is no category.
impl fmt::Display for Node {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let slash = if self.category.is_empty() { "" } else { "/" };
        write!(f, "{}{slash}{}", self.category, self.id)
    }
}
