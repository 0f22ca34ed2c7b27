//! Where items are looked for: the spaces of a session and the stores it finds memories in.

use std::io;

use mere_core::item::{ItemType, Scope, ScopedPath};

use crate::space::{ItemTree, Space, join_path};
use crate::store::MemorySource;
use mere_host::FolderIdentity;

/// The types that are searched in a space.
const SEARCHED_TYPES: [ItemType; 3] = [ItemType::Directive, ItemType::Tool, ItemType::Knowledge];

/// A space or a store.
pub(crate) struct Corpus {
    /// What the index calls it.
    pub(crate) name: String,
    pub(crate) scope: Scope,
    pub(crate) trees: Vec<ItemTree>,
    /// The folder whose entries are the tops of plots, where there is one.
    pub(crate) space_folder: Option<cap_std::fs::Dir>,
    /// Which folders it is made of.
    folder_identities: Vec<FolderIdentity>,
}

impl Corpus {
    pub(crate) fn from_space(space: &Space) -> io::Result<Option<Self>> {
        let plots =
            SEARCHED_TYPES.into_iter().flat_map(|kind| space.trees_of(kind)).collect::<Vec<_>>();
        if plots.is_empty() {
            return Ok(None);
        }
        let top = space.folder().map(|folder| folder.dir().try_clone()).transpose()?;
        Self::new(space.scope.name().to_owned(), space.scope, plots, top).map(Some)
    }

    pub(crate) fn from_store(remembered: &MemorySource<'_>) -> io::Result<Option<Self>> {
        let (store, context) = (remembered.store, remembered.context);
        let Some(folder) = store.folder(context)? else { return Ok(None) };
        let name = format!("store:{}", store.address);
        let plot = ItemTree::of_store(store.address.clone(), folder);
        Self::new(name, store.scope, vec![plot], None).map(Some)
    }

    fn new(
        name: String,
        scope: Scope,
        plots: Vec<ItemTree>,
        top: Option<cap_std::fs::Dir>,
    ) -> io::Result<Self> {
        let own = |plot: &ItemTree| {
            plot.dir().dir_metadata().map(|it| FolderIdentity::from_metadata(&it))
        };
        let identity = plots.iter().map(own).collect::<io::Result<_>>()?;
        Ok(Self { name, scope, trees: plots, space_folder: top, folder_identities: identity })
    }

    /// Whether it is the same folders by the same name.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.name == other.name
            && self.folder_identities == other.folder_identities
            && self.tree_labels() == other.tree_labels()
    }

    /// The labels of its plots.
    pub(crate) fn tree_labels(&self) -> Vec<String> {
        self.trees.iter().map(|plot| plot.index_label("")).collect()
    }

    /// The plot that a label lies in, with the path from its top.
    pub(crate) fn find_tree<'a>(&self, label: &'a str) -> Option<(usize, &'a str)> {
        let mut plots = self.trees.iter().enumerate();
        plots.find_map(|(number, plot)| Some((number, plot.path_of_label(label)?)))
    }

    /// The item whose main file has this path.
    pub(crate) fn item_at(&self, path: &str) -> Option<(usize, ScopedPath)> {
        let (number, below) = self.find_tree(path)?;
        let plot = &self.trees[number];
        let names = below.split('/').collect::<Vec<_>>();
        let place = ScopedPath::from_base_path(self.scope, plot.kind, plot.base.clone(), &names)?;
        Some((number, place))
    }

    /// The path of an item's main file.
    pub(crate) fn item_path(&self, plot: usize, place: &ScopedPath) -> Option<String> {
        let (folder, name) = place.folder_and_file()?;
        Some(self.trees[plot].index_label(&join_path(&folder, &name)))
    }
}
