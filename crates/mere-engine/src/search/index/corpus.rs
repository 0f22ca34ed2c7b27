//! The places whose items are searched: the spaces of a session and the stores of its memories.
//!
//! A corpus maps between paths in the index and items. It reads no file itself.

use std::io;

use mere_core::item::{ItemType, Scope, ScopedPath};

use crate::memory::MemorySource;
use crate::space::{ItemTree, Space, join_path};
use mere_host::FolderIdentity;

/// The item types that are searched in a space.
const SEARCHED_TYPES: [ItemType; 3] = [ItemType::Directive, ItemType::Tool, ItemType::Knowledge];

/// A space or a memory store whose items are indexed together.
pub(crate) struct Corpus {
    /// The name under which the index stores it.
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) trees: Vec<ItemTree>,
    /// The `.ai` folder, whose entries are the tops of the item trees; none for a store.
    pub(crate) space_folder: Option<cap_std::fs::Dir>,
    /// The identities of the trees' folders, by which a replaced folder is noticed.
    folder_identities: Vec<FolderIdentity>,
}

impl Corpus {
    pub(crate) fn from_space(space: &Space) -> io::Result<Option<Self>> {
        let trees =
            SEARCHED_TYPES.into_iter().flat_map(|kind| space.trees_of(kind)).collect::<Vec<_>>();
        if trees.is_empty() {
            return Ok(None);
        }
        let top = space.folder().map(|folder| folder.dir().try_clone()).transpose()?;
        Self::new(space.scope.name().to_owned(), space.scope, trees, top).map(Some)
    }

    pub(crate) fn from_store(source: &MemorySource<'_>) -> io::Result<Option<Self>> {
        let (store, context) = (source.store, source.context);
        let Some(folder) = store.folder(context)? else { return Ok(None) };
        let name = format!("store:{}", store.address);
        let tree = ItemTree::of_store(store.address.clone(), folder);
        Self::new(name, store.scope, vec![tree], None).map(Some)
    }

    fn new(
        name: String,
        scope: Scope,
        trees: Vec<ItemTree>,
        top: Option<cap_std::fs::Dir>,
    ) -> io::Result<Self> {
        let own = |tree: &ItemTree| {
            tree.dir().dir_metadata().map(|it| FolderIdentity::from_metadata(&it))
        };
        let identity = trees.iter().map(own).collect::<io::Result<_>>()?;
        Ok(Self { name, scope, trees, space_folder: top, folder_identities: identity })
    }

    /// Describes the name, folders and labels, which are the same for another process only if they
    /// are the same corpus.
    pub(crate) fn describe(&self) -> String {
        format!("{} {:?} {:?}", self.name, self.folder_identities, self.tree_labels())
    }

    /// Checks whether the other corpus has the same name, folders and labels.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
            && self.folder_identities == other.folder_identities
            && self.tree_labels() == other.tree_labels()
    }

    /// Returns the labels of its item trees.
    pub(crate) fn tree_labels(&self) -> Vec<String> {
        self.trees.iter().map(|tree| tree.index_label("")).collect()
    }

    /// Returns the number of the item tree that a label lies in, with the path below its top.
    pub(crate) fn find_tree<'a>(&self, label: &'a str) -> Option<(usize, &'a str)> {
        let mut trees = self.trees.iter().enumerate();
        trees.find_map(|(number, tree)| Some((number, tree.path_of_label(label)?)))
    }

    /// Returns the item whose main file has this path, with the number of its item tree.
    pub(crate) fn item_at(&self, path: &str) -> Option<(usize, ScopedPath)> {
        let (number, below) = self.find_tree(path)?;
        let tree = &self.trees[number];
        let names = below.split('/').collect::<Vec<_>>();
        let place = ScopedPath::from_base_path(self.scope, tree.kind, tree.base.clone(), &names)?;
        Some((number, place))
    }

    /// Returns the path of an item's main file in one of the item trees.
    pub(crate) fn item_path(&self, tree: usize, place: &ScopedPath) -> Option<String> {
        let (folder, name) = place.folder_and_file()?;
        Some(self.trees[tree].index_label(&join_path(&folder, &name)))
    }
}
