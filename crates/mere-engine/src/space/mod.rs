//! A space: one `.ai` folder, the items in it, and how they are found.
//!
//! One scanner ([`scan`]) reads folders. Its result is kept in `.ai/.index.json`, which is only a
//! hint: it is used only if a record in the user's own cache says that it is exactly the file this
//! program wrote, and only for the folders whose stamps are unchanged since (ADR 8).

mod bare_script;
mod catalog;
mod catalog_base;
mod change_error;
mod comparison;
mod entry;
pub(crate) mod git_attributes;
mod index;
mod index_record;
mod lookup;
mod orphan;
mod scan;
mod scan_options;
mod scanned_folder;

use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::item::{CategoryBase, ItemType, Scope};

use mere_host::{Cache, Folder};

pub(crate) use crate::world::join_path;
pub(crate) use bare_script::BareScript;
pub(crate) use catalog::Catalog;
pub(crate) use change_error::{ItemChangeError, ProposalError};
pub(crate) use comparison::IndexComparison;
pub(crate) use entry::CatalogEntry;
pub(crate) use lookup::is_category_inside_an_item;
pub(crate) use orphan::{ItemClaim, OrphanedSidecar};
pub(crate) use scan::{FolderState, Stray, scan_from};
pub(crate) use scan_options::{ScanDepth, ScanOptions};

/// The types that are indexed. Memories are not, because their stores have other rules.
const INDEXED_TYPES: [ItemType; 4] =
    [ItemType::Directive, ItemType::Tool, ItemType::Knowledge, ItemType::Lockfile];

/// The items of one scope, and the folders they lie in.
#[derive(Clone)]
pub(crate) struct Space {
    pub(crate) scope: Scope,
    /// The `.ai` folder; `None` while a project has none.
    folder: Option<Arc<Folder>>,
    /// Folders of the project whose directives are used in place.
    in_place: Vec<InPlace>,
    cache: Option<Cache>,
}

/// A folder whose items are used where they lie, outside the `.ai` folder.
#[derive(Clone)]
pub(crate) struct InPlace {
    pub(crate) path: RelPath,
    pub(crate) folder: Arc<Folder>,
}

/// A tree of items of one type.
#[derive(Clone)]
pub(crate) struct ItemTree {
    pub(crate) kind: ItemType,
    pub(crate) base: CategoryBase,
    dir: Arc<Dir>,
    /// The path of its top folder from the handle.
    top: &'static str,
    /// The path of its top folder from the space, as the index writes it.
    index_prefix: String,
}

impl Space {
    pub(crate) fn new(
        scope: Scope,
        folder: Option<Arc<Folder>>,
        in_place: Vec<InPlace>,
        cache: Option<Cache>,
    ) -> Self {
        Self { scope, folder, in_place, cache }
    }

    /// Returns the `.ai` folder.
    pub(crate) fn folder(&self) -> Option<&Arc<Folder>> {
        self.folder.as_ref()
    }

    /// Returns the folders that are used in place, as paths from the project.
    pub(crate) fn in_place(&self) -> impl Iterator<Item = &RelPath> {
        self.in_place.iter().map(|one| &one.path)
    }

    /// Returns true if both consist of the same folders in the same places.
    fn has_same_folders(&self, other: &Self) -> bool {
        let own = |space: &Self| space.folder.as_ref().map(|folder| folder.identity());
        let others = |space: &Self| {
            let others = space.in_place.iter();
            others.map(|one| (one.path.clone(), one.folder.identity())).collect::<Vec<_>>()
        };
        self.scope == other.scope && own(self) == own(other) && others(self) == others(other)
    }

    /// Returns the trees of all types that are indexed.
    fn indexed_trees(&self) -> Vec<ItemTree> {
        INDEXED_TYPES.into_iter().flat_map(|kind| self.trees_of(kind)).collect()
    }

    /// Returns the trees of one type.
    pub(crate) fn trees_of(&self, kind: ItemType) -> Vec<ItemTree> {
        let own = self.folder.iter().map(|folder| ItemTree {
            kind,
            base: CategoryBase::Space,
            dir: Arc::clone(folder.dir()),
            top: kind.folder(),
            index_prefix: kind.folder().to_owned(),
        });
        let in_place =
            self.in_place.iter().filter(|_| kind == ItemType::Directive).map(|one| ItemTree {
                kind,
                base: CategoryBase::InPlace(one.path.clone()),
                dir: Arc::clone(one.folder.dir()),
                top: "",
                index_prefix: format!("../{}", one.path),
            });
        own.chain(in_place).collect()
    }
}

impl ItemTree {
    /// Returns the tree of a store's memories.
    pub(crate) fn of_store(address: Address, folder: Dir) -> Self {
        let (kind, base) = (ItemType::Memory, CategoryBase::Store(address));
        Self { kind, base, dir: Arc::new(folder), top: "", index_prefix: String::new() }
    }

    /// Returns the folder that paths start from.
    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns the path of a folder from the handle. `below` is its path from the top folder.
    pub(crate) fn path_from_handle(&self, below: &str) -> String {
        join_path(self.top, below)
    }

    /// Returns the label of a folder, which is its name in the index. `below` is its path from the
    /// top folder.
    pub(crate) fn index_label(&self, below: &str) -> String {
        join_path(&self.index_prefix, below)
    }

    /// Returns the path from the top folder for a label, or `None` if the label is not of this
    /// tree.
    pub(crate) fn path_of_label<'a>(&self, label: &'a str) -> Option<&'a str> {
        let below = label.strip_prefix(&self.index_prefix)?;
        if below.is_empty() || self.index_prefix.is_empty() {
            Some(below)
        } else {
            below.strip_prefix('/')
        }
    }
}

/// Reads a text as a line of an index and as its record.
#[cfg(fuzzing)]
pub(crate) fn read_index_text(text: &str) {
    use mere_core::item::Scope;
    let entry = CatalogEntry::parse(text, Scope::Project);
    if let Some(line) = entry.as_ref().and_then(|entry| entry.to_line(entry::KeySharing::Unique)) {
        assert!(CatalogEntry::parse(&line, Scope::Project).is_some(), "{line}");
    }
    index_record::IndexRecord::read_text(text);
}
