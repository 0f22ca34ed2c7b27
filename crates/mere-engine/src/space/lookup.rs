//! Finds an item whose category is known by its path, without the index.
//!
//! No link is followed, and nothing inside the folder of another item counts as an item.

use std::io;

use mere_core::item::{Category, CategoryBase, ItemForm, ItemRef, ItemType, ScopedPath};

use super::scanned_folder::{ScannedFolder, read_folder};
use super::{ItemTree, Space, join_path};
use mere_host::OpenFolder;

impl Space {
    /// Returns what lies in `category` under the name of `item`: both forms of it, if both exist.
    pub(crate) fn find_in_category(
        &self,
        kind: ItemType,
        category: &Category,
        item: &ItemRef,
    ) -> io::Result<Vec<ScopedPath>> {
        let mut found = Vec::new();
        for tree in self.trees_of(kind) {
            if kind == ItemType::Lockfile {
                found.extend(find_lockfiles(self, &tree, category, item)?);
                continue;
            }
            for form in [ItemForm::Flat, ItemForm::Folder] {
                let place = ScopedPath {
                    scope: self.scope,
                    kind,
                    base: tree.base.clone(),
                    category: category.clone(),
                    id: item.id.clone(),
                    version: None,
                    form,
                };
                let has_form = match form {
                    ItemForm::Flat => tree.base == CategoryBase::Space,
                    ItemForm::Folder => kind.folder_main_file().is_some(),
                };
                if has_form
                    && !is_category_inside_an_item(&tree, category)?
                    && exists(&tree, &place)?
                {
                    found.push(place);
                }
            }
        }
        Ok(found)
    }

    /// Returns true if a place is in the folder of an item. What is put there would belong to that
    /// item.
    pub(crate) fn is_inside_an_item(&self, place: &ScopedPath) -> io::Result<bool> {
        for tree in self.trees_of(place.kind) {
            if tree.base == place.base && is_category_inside_an_item(&tree, &place.category)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

fn find_lockfiles(
    space: &Space,
    tree: &ItemTree,
    category: &Category,
    item: &ItemRef,
) -> io::Result<Vec<ScopedPath>> {
    let ScannedFolder::Level(_, level, _) = read_folder(tree, space.scope, category.as_str())?
    else {
        return Ok(Vec::new());
    };
    let places = level.items.into_iter().map(|(place, _)| place);
    Ok(places.filter(|place| place.id == item.id).collect())
}

/// Returns true if a category is the folder of an item or lies in one. Then nothing in it is an
/// item of its own.
pub(crate) fn is_category_inside_an_item(tree: &ItemTree, category: &Category) -> io::Result<bool> {
    let Some(main) = tree.kind.folder_main_file() else { return Ok(false) };
    let mut folder = String::new();
    for level in category.levels() {
        folder = join_path(&folder, level);
        if has_file(tree, &folder, main)? {
            return Ok(true);
        }
    }
    Ok(false)
}

fn exists(tree: &ItemTree, place: &ScopedPath) -> io::Result<bool> {
    let Some((folder, name)) = place.folder_and_file() else { return Ok(false) };
    has_file(tree, &folder, &name)
}

/// Returns true if a folder of a tree has a regular file of this name. No link on the way is
/// followed.
fn has_file(tree: &ItemTree, folder: &str, name: &str) -> io::Result<bool> {
    let opened = OpenFolder::find(&tree.dir, &tree.path_from_handle(folder))?;
    opened.map_or(Ok(false), |folder| folder.has_file(name))
}
