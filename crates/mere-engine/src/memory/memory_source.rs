//! The memories of a store as a source of items, found by category and id or by a bare id.
//!
//! It returns locations only; it does not read the memories themselves.

use std::io;

use mere_core::item::{ItemRef, MemoryPath, Scope, ScopedPath};

use super::locked_store::category_path;
use super::{MemoryTables, Store};
use crate::trust::now;
use crate::world::Context;
use mere_host::{FolderWriter, OpenFolder};

/// The memories of one store.
pub(crate) struct MemorySource<'a> {
    pub(crate) store: &'a Store,
    pub(crate) context: &'a Context,
    pub(crate) tables: &'a MemoryTables,
}

impl MemorySource<'_> {
    /// Returns the scope whose configuration names the store.
    pub(crate) fn scope(&self) -> Scope {
        self.store.scope
    }

    /// Returns every memory that a reference can mean.
    pub(crate) fn candidates(&self, item: &ItemRef) -> io::Result<Vec<ScopedPath>> {
        let Some(folder) = self.store.folder(self.context)? else { return Ok(Vec::new()) };
        let Some(category) = item.category.clone() else {
            let found = self.tables.with_table(&folder, |table| table.find_slug(&item.id))?;
            return Ok(found.iter().map(|path| self.store.scoped_path(path)).collect());
        };
        let path = MemoryPath { category, slug: item.id.clone() };
        let folder = FolderWriter::open_folder_below(&folder, &category_path(&path.category)?)?;
        let folder = folder.map(|folder| OpenFolder::open(&folder, "")).transpose()?;
        let is_there = folder.map_or(Ok(false), |folder| folder.has_file(&path.file_name()))?;
        Ok(is_there.then(|| self.store.scoped_path(&path)).into_iter().collect())
    }

    /// Returns every memory that has not expired.
    pub(crate) fn all(&self) -> io::Result<Vec<ScopedPath>> {
        let Some(folder) = self.store.folder(self.context)? else { return Ok(Vec::new()) };
        let paths = self.tables.with_table(&folder, |table| table.paths(now()))?;
        Ok(paths.iter().map(|path| self.store.scoped_path(path)).collect())
    }
}
