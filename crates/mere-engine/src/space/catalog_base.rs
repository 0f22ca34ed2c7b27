//! The base of a catalog: the index on disk, or a scan held in memory where no index can be kept.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use mere_core::item::{ItemId, ItemType, Scope};

use super::entry::CatalogEntry;
use super::index::IndexFile;
use super::index_record::{IndexRecord, OrphansByFolder, group_by_folder};
use super::orphan::{OrphanFolder, OrphanedSidecar};
use super::scan::{FolderState, ScanResult};
use super::{ItemTree, Space};

/// What a catalog starts from.
pub(super) enum CatalogBase {
    /// The index on disk, with the number of its items.
    Index(IndexFile, u64),
    InMemory(Vec<CatalogEntry>),
}

/// A base, the folders that it was made from, and the orphans in them.
pub(super) struct BaseOfFolders {
    pub(super) base: CatalogBase,
    pub(super) folders: HashMap<String, FolderState>,
    pub(super) orphans: OrphansByFolder,
}

impl CatalogBase {
    /// Returns the entries of an id, or without an id all of a type. Returns `None` if the base is no
    /// longer reliable.
    pub(super) fn find(
        &mut self,
        kind: ItemType,
        id: Option<&ItemId>,
    ) -> Option<Vec<CatalogEntry>> {
        match self {
            Self::Index(index, _) => index.find(kind, id).ok(),
            Self::InMemory(entries) => Some(entries_with_id(entries, kind, id).cloned().collect()),
        }
    }

    /// Returns all entries, or `None` if the base is no longer reliable.
    pub(super) fn all(&mut self) -> Option<Vec<CatalogEntry>> {
        match self {
            Self::Index(index, _) => index.all().ok(),
            Self::InMemory(entries) => Some(entries.clone()),
        }
    }
}

/// Opens the index of a space, if it is the one that was written here, and returns the folders it
/// was made from.
pub(super) fn open_recorded_index(space: &Space) -> Option<BaseOfFolders> {
    let mut record = IndexRecord::read(space)?;
    let mut index = IndexFile::open(space.folder()?, space.scope)?;
    index.integrity = record.integrity;
    if index.stamp != record.index_stamp || index.check_unchanged().is_err() {
        return None;
    }
    if index.integrity != record.integrity {
        record.integrity = index.integrity;
        record.write(space);
    }
    let base = CatalogBase::Index(index, record.items);
    Some(BaseOfFolders { base, folders: record.folders, orphans: record.orphans })
}

/// Turns a scan into a base: as an index if one can be written, and else in memory.
pub(super) fn build_base(space: &Space, scan_result: ScanResult) -> BaseOfFolders {
    let folders = scan_result.folders.into_iter().collect::<HashMap<_, _>>();
    let mut orphans = group_by_folder(scan_result.orphans);
    if !orphans.is_empty() {
        // What they state is recorded with them. One that cannot be read is read when it is needed.
        let _ = refresh_orphans((space.scope, &space.indexed_trees()), &mut orphans);
    }
    let index = space.folder().filter(|_| space.cache.is_some());
    let index = index.map(|folder| IndexFile::write(folder, space.scope, &scan_result.entries));
    match index {
        Some(Ok(index)) => {
            let items = scan_result.entries.len() as u64;
            let record = IndexRecord {
                index_stamp: index.stamp,
                integrity: index.integrity,
                items,
                folders,
                orphans,
            };
            record.write(space);
            let base = CatalogBase::Index(index, items);
            BaseOfFolders { base, folders: record.folders, orphans: record.orphans }
        }
        Some(Err(error)) => {
            tracing::debug!(%error, "the index could not be written");
            BaseOfFolders { base: CatalogBase::InMemory(scan_result.entries), folders, orphans }
        }
        None => {
            BaseOfFolders { base: CatalogBase::InMemory(scan_result.entries), folders, orphans }
        }
    }
}

pub(super) fn entries_with_id<'a>(
    entries: &'a [CatalogEntry],
    kind: ItemType,
    id: Option<&'a ItemId>,
) -> impl Iterator<Item = &'a CatalogEntry> {
    entries
        .iter()
        .filter(move |entry| entry.place.kind == kind && id.is_none_or(|id| entry.place.id == *id))
}

/// Returns the tree that a folder lies in, by its number, and the folder's path in it.
pub(super) fn find_tree(trees: &[ItemTree], label: &str) -> Option<(usize, String)> {
    let mut trees = trees.iter().enumerate();
    trees.find_map(|(number, tree)| Some((number, tree.path_of_label(label)?.to_owned())))
}

/// Reads what orphans state, as far as it is not known, and returns those that exist.
pub(super) fn refresh_orphans(
    (scope, trees): (Scope, &[ItemTree]),
    orphans: &mut OrphansByFolder,
) -> io::Result<Vec<OrphanedSidecar>> {
    let mut found = Vec::new();
    for orphan in orphans.values_mut().flatten() {
        let Some((number, below)) = find_tree(trees, &orphan.folder) else { continue };
        let tree = &trees[number];
        let (dir, path) = (Arc::clone(&tree.dir), tree.path_from_handle(&below));
        found.extend(orphan.refresh(OrphanFolder { scope, dir, path })?);
    }
    found.sort_by(OrphanedSidecar::compare_paths);
    Ok(found)
}
