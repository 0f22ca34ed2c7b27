//! Deletes a category. An agent's deletion takes memories and categories only: what is neither
//! stays where it is, and so does its folder.

use std::io;

use mere_core::category::{CategoryContents, DeletableContents, Permit, StoreChange};
use mere_core::item::Category;

use super::StoreError;
use super::contents::{CategoryEntries, count_contents};
use super::locked_store::{LockedStore, category_path};
use mere_host::FolderWriter;

/// What a deletion did.
#[derive(Default)]
pub(super) struct CategoryDeletion {
    /// True if the category itself is gone.
    pub(super) is_gone: bool,
    /// The memories that were deleted.
    pub(super) memories: u64,
    /// The subcategories that were deleted.
    pub(super) categories: u64,
    /// What was left, by its path from the store.
    pub(super) left: Vec<String>,
}

impl LockedStore<'_> {
    /// Applies a permit for the deletion of a category, and tells what was done.
    pub(super) fn apply_deletion(&self, permit: Permit) -> Result<CategoryDeletion, StoreError> {
        let deletion = match permit.spend() {
            StoreChange::DeleteCategory { path, deletable } => {
                self.delete_category(&path, deletable)
            }
            other => self.perform(other).map(|_| CategoryDeletion::default()),
        };
        deletion.map_err(|cause| StoreError::WriteFailed { store: self.store.name.clone(), cause })
    }

    /// Returns what a category contains that is neither a memory nor a category and that the caller
    /// may see, at any depth.
    pub(super) fn find_others(&self, path: &Category) -> Result<Vec<String>, StoreError> {
        let mut found = Vec::new();
        let mut waiting = vec![path.clone()];
        let unreadable = |cause| StoreError::Unreadable { store: self.store.name.clone(), cause };
        while let Some(category) = waiting.pop() {
            let folder =
                category_path(&category).and_then(|path| self.editing().open_folder(&path));
            let Some(folder) = folder.map_err(unreadable)? else { continue };
            let entries = CategoryEntries::read(&folder, &category, &|path| self.is_visible(path));
            let entries = entries.map_err(unreadable)?;
            found.extend(entries.others);
            waiting.extend(entries.categories);
        }
        found.sort();
        Ok(found)
    }

    /// Deletes a category as far as its contents allow.
    pub(super) fn delete_category(
        &self,
        path: &Category,
        deletable: DeletableContents,
    ) -> io::Result<CategoryDeletion> {
        let is_visible = |path: &str| self.is_visible(path);
        let mut deleter = CategoryDeleter {
            editing: self.editing(),
            is_visible: &is_visible,
            done: CategoryDeletion::default(),
        };
        let is_gone = match deletable {
            DeletableContents::Nothing => {
                deleter.delete_folder_if(path, CategoryContents::is_empty)?
            }
            DeletableContents::Memories => deleter.delete_memories(path)?,
            DeletableContents::Everything => deleter.delete_folder_if(path, |_| true)?,
        };
        let mut done = deleter.done;
        done.left.sort();
        Ok(CategoryDeletion { is_gone, ..done })
    }
}

struct CategoryDeleter<'a> {
    editing: &'a FolderWriter,
    /// Tells whether the caller may see a path from the store's folder.
    is_visible: &'a dyn Fn(&str) -> bool,
    done: CategoryDeletion,
}

impl CategoryDeleter<'_> {
    /// Moves a category aside, counts its contents once more, and removes it if they are accepted.
    fn delete_folder_if(
        &mut self,
        path: &Category,
        accepts: impl FnOnce(CategoryContents) -> bool,
    ) -> io::Result<bool> {
        let mut contents = CategoryContents::default();
        let is_gone = self.editing.remove_folder_if(&category_path(path)?, |folder| {
            contents = count_contents(folder, path, self.is_visible)?;
            Ok(accepts(contents))
        })?;
        if is_gone {
            self.done.memories += contents.memories;
            self.done.categories += contents.categories;
        }
        Ok(is_gone)
    }

    /// Deletes the memories and categories in a category, and the category itself if nothing else
    /// is left in it. Returns whether it is gone.
    fn delete_memories(&mut self, path: &Category) -> io::Result<bool> {
        let Some(folder) = self.editing.open_folder(&category_path(path)?)? else {
            return Ok(false);
        };
        // A folder in which something stays is never moved, not even for a moment.
        let contents = count_contents(&folder, path, self.is_visible)?;
        if contents.others() == 0 && self.delete_folder_if(path, |c| c.others() == 0)? {
            return Ok(true);
        }
        let entries = CategoryEntries::read(&folder, path, self.is_visible)?;
        for slug in entries.memories {
            let file = category_path(path)?.child(&format!("{slug}.md"));
            self.editing.remove(&file.ok_or(io::ErrorKind::InvalidInput)?)?;
            self.done.memories += 1;
        }
        for child in entries.categories {
            let is_gone = self.delete_memories(&child)?;
            self.done.categories += u64::from(is_gone);
        }
        self.done.left.extend(entries.others);
        Ok(false)
    }
}
