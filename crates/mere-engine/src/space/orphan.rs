//! Sidecars whose item is not beside them: it was moved, renamed or deleted without them, or they
//! were moved with it to where it is no item.
//!
//! They are found with the items, by the same scan. What each of them states is read once and kept
//! with the stamp of its file; whoever relies on it reads the sidecar itself again.

use std::cmp::Ordering;
use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::digest::Sha256;
use mere_core::item::integrity::FileDigest;
use mere_core::item::{ItemId, ItemType, SIDECAR_SUFFIX, Scope, ScopedPath, Version};
use mere_core::trust::{MAX_SIDECAR_BYTES, Sidecar, Statement};
use serde::{Deserialize, Serialize};

use super::scan::label_address;
use super::{Space, join_path};
use mere_host::{
    EntryKind, FileStamp, FolderWriter, OpenFolder, none_if_missing, now_nanoseconds,
    open_regular_file, read_at_most,
};

/// A sidecar without an item, as the catalog and the index record keep it.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Orphan {
    /// The label of its folder.
    pub(super) folder: String,
    name: String,
    /// Its stamp and what it stated when it was last read, if it had not just been changed then.
    known: Option<(FileStamp, Option<ItemClaim>)>,
}

/// What a sidecar states about its item, as far as it tells items apart.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ItemClaim {
    /// The type and the id of the item, and the version of a lockfile.
    name: String,
    /// The type and the content of the item: a digest over the digests of its files.
    content: Option<String>,
}

/// A sidecar without an item, as it lies on disk now.
#[derive(Clone)]
pub(crate) struct OrphanedSidecar {
    scope: Scope,
    /// Its path from the space.
    label: String,
    /// What it states, if it has the form of a sidecar.
    pub(crate) claim: Option<ItemClaim>,
    folder: Arc<Dir>,
    /// The path of its folder from the handle.
    path: String,
    name: String,
}

/// The place of an orphan: the handle that its path starts from, and the path of its folder.
pub(super) struct OrphanFolder {
    pub(super) scope: Scope,
    pub(super) dir: Arc<Dir>,
    pub(super) path: String,
}

impl Orphan {
    pub(super) fn new(folder: String, name: String) -> Self {
        Self { folder, name, known: None }
    }

    /// Reads what it states, unless its file is the one that was read before. Returns `None` if it
    /// is gone.
    pub(super) fn refresh(&mut self, place: OrphanFolder) -> io::Result<Option<OrphanedSidecar>> {
        let OrphanFolder { scope, dir, path } = place;
        let Some(folder) = none_if_missing(OpenFolder::open(&dir, &path))? else { return Ok(None) };
        let Some(stamp) = folder.file_stamp(&self.name)? else { return Ok(None) };
        let item = self.name.strip_suffix(SIDECAR_SUFFIX).unwrap_or_default();
        let has_file = !item.is_empty() && folder.has_file(item)?;
        let claim = match &self.known {
            Some((known, claim)) if *known == stamp => claim.clone(),
            _ => {
                let read_at = now_nanoseconds();
                // One that may not be read states nothing.
                let bytes = read_sidecar(&folder.into_dir(), &self.name).ok().flatten();
                let sidecar = bytes.and_then(|bytes| Sidecar::parse(&bytes).ok());
                let claim = sidecar.map(|sidecar| ItemClaim::of_statement(&sidecar.statement));
                self.known = (!stamp.is_racy(read_at)).then(|| (stamp, claim.clone()));
                claim
            }
        };
        if has_file && claim.is_none() {
            // It belongs to a file that is no item, and may be a signature of another kind.
            return Ok(None);
        }
        let (label, name) = (join_path(&self.folder, &self.name), self.name.clone());
        Ok(Some(OrphanedSidecar { scope, label, claim, folder: dir, path, name }))
    }
}

impl OrphanedSidecar {
    /// Compares the paths of two orphans.
    pub(super) fn compare_paths(&self, other: &Self) -> Ordering {
        self.label.cmp(&other.label)
    }

    /// Reads its bytes. Returns `None` if it is gone, is no file, or is too large.
    pub(crate) fn read(&self) -> io::Result<Option<Vec<u8>>> {
        match none_if_missing(OpenFolder::open(&self.folder, &self.path))? {
            Some(folder) => read_sidecar(&folder.into_dir(), &self.name),
            None => Ok(None),
        }
    }

    /// Removes its file if it has this digest. Returns whether it was removed; what became part of
    /// an item meanwhile stays.
    pub(crate) fn remove(
        &self,
        digest: Sha256,
        is_cancelled: &dyn Fn() -> bool,
    ) -> io::Result<bool> {
        let path = match self.path.as_str() {
            "." | "" => self.name.clone(),
            folder => join_path(folder, &self.name),
        };
        let Ok(path) = path.parse::<RelPath>() else { return Ok(false) };
        let Some(writer) = FolderWriter::open(&self.folder, is_cancelled)? else {
            return Ok(false);
        };
        Ok(none_if_missing(writer.remove_if_digest(&path, digest))?.unwrap_or(false))
    }

    /// Returns the address of its file, or `None` if its name cannot be part of one.
    pub(crate) fn address(&self) -> Option<Address> {
        label_address(self.scope, &self.label)
    }

    /// Returns whether it states what `claim` says: the same id or the same content.
    pub(crate) fn concerns(&self, claim: &ItemClaim) -> bool {
        self.claim.as_ref().is_some_and(|own| own.concerns(claim))
    }

    /// Returns the type of items that lie in its folder.
    pub(crate) fn kind(&self) -> ItemType {
        // Only directives are used in place.
        let folder = self.label.split('/').next().and_then(ItemType::from_folder);
        folder.unwrap_or(ItemType::Directive)
    }
}

impl ItemClaim {
    /// Returns what a sidecar of this item would state.
    pub(crate) fn of_item(place: &ScopedPath, files: Option<&[FileDigest]>) -> Self {
        let content = files.map(|files| describe_content(place.kind, files));
        Self { name: describe_name(place.kind, &place.id, place.version.as_ref()), content }
    }

    /// Returns what a sidecar states.
    pub(crate) fn of_statement(statement: &Statement) -> Self {
        let version = Some(&statement.version).filter(|_| statement.kind == ItemType::Lockfile);
        Self {
            name: describe_name(statement.kind, &statement.id, version),
            content: Some(describe_content(statement.kind, &statement.files)),
        }
    }

    /// Returns whether both are about items of one type with the same content.
    pub(crate) fn has_content_of(&self, other: &Self) -> bool {
        self.content.is_some() && self.content == other.content
    }

    /// Returns true if both are about an item of one type with the same id or the same content. Two
    /// versions of a lockfile are two items.
    fn concerns(&self, other: &Self) -> bool {
        self.name == other.name || self.has_content_of(other)
    }
}

/// Returns the sidecars of items that lie in the folder of the space itself, where no item belongs.
pub(super) fn orphans_at_top(space: &Space) -> io::Result<Vec<OrphanedSidecar>> {
    let Some(folder) = space.folder() else { return Ok(Vec::new()) };
    let mut names = Vec::new();
    let opened = none_if_missing(OpenFolder::open(folder.dir(), "."))?;
    let Some(opened) = opened else { return Ok(Vec::new()) };
    opened.for_each_entry(|name, kind| {
        let name = name.filter(|name| kind == EntryKind::File && name.ends_with(SIDECAR_SUFFIX));
        names.extend(name.map(str::to_owned));
        Ok(())
    })?;
    let mut found = Vec::new();
    for name in names {
        let (scope, dir) = (space.scope, Arc::clone(folder.dir()));
        let place = OrphanFolder { scope, dir, path: ".".to_owned() };
        let orphan = Orphan::new(String::new(), name).refresh(place)?;
        found.extend(orphan.filter(|orphan| orphan.claim.is_some()));
    }
    Ok(found)
}

fn describe_name(kind: ItemType, id: &ItemId, version: Option<&Version>) -> String {
    match version {
        Some(version) => format!("{kind}:{id}@{version}"),
        None => format!("{kind}:{id}"),
    }
}

/// Describes the content of an item, whatever its files are called: the siblings of a flat tool
/// have its name.
fn describe_content(kind: ItemType, files: &[FileDigest]) -> String {
    let mut digests = files.iter().map(|file| file.sha256.to_string()).collect::<Vec<_>>();
    digests.sort();
    format!("{kind}:{}", Sha256::digest(digests.concat().as_bytes()))
}

fn read_sidecar(folder: &Dir, name: &str) -> io::Result<Option<Vec<u8>>> {
    let file = none_if_missing(open_regular_file(folder, name))?.flatten();
    Ok(file.map(|file| read_at_most(file, MAX_SIDECAR_BYTES)).transpose()?.flatten())
}
