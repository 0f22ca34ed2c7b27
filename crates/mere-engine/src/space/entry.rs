//! One item as the index knows it, and the form of its line there.
//!
//! A line is accepted only if its key and scope agree with its path.

use std::fmt::Write;

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use mere_core::item::{CategoryBase, ItemForm, ItemId, ItemType, Scope, ScopedPath};
use mere_core::text::json;
use serde_json::Value;

use mere_host::FileStamp;

/// An item, where it lies, and the state of its main file.
#[derive(Clone, Debug)]
pub(crate) struct CatalogEntry {
    pub(crate) place: ScopedPath,
    pub(crate) size: u64,
    /// In nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The digest of the main file, if it was read.
    pub(crate) sha256: Option<Sha256>,
    /// The stamp of the main file, if it was taken.
    pub(crate) stamp: Option<FileStamp>,
}

impl CatalogEntry {
    pub(super) fn new(place: ScopedPath, stamp: FileStamp, sha256: Option<Sha256>) -> Self {
        Self { place, size: stamp.size, modified: stamp.modified, sha256, stamp: Some(stamp) }
    }

    /// Returns the key that entries are sorted and found by: `type:id:category`. The key of an item
    /// that is used in place ends with its base.
    pub(super) fn key(&self) -> String {
        let ScopedPath { kind, id, category, version, base, .. } = &self.place;
        let mut key = match version {
            Some(version) => format!("{kind}:{id}@{version}:{category}"),
            None => format!("{kind}:{id}:{category}"),
        };
        if let CategoryBase::InPlace(folder) = base {
            key.push(':');
            key.push_str(folder.as_str());
        }
        key
    }

    /// Returns the prefix that the keys of everything a bare id can mean have in common, or without
    /// an id the keys of everything of a type.
    pub(super) fn key_prefix(kind: ItemType, id: Option<&ItemId>) -> String {
        match (kind, id) {
            (_, None) => format!("{kind}:"),
            (ItemType::Lockfile, Some(id)) => format!("{kind}:{id}@"),
            (_, Some(id)) => format!("{kind}:{id}:"),
        }
    }

    /// Returns the path of its main file from the space.
    pub(crate) fn path(&self) -> Option<String> {
        let below = self.place.main_file_path()?;
        Some(match self.place.base {
            CategoryBase::Space => below.to_string(),
            CategoryBase::InPlace(_) => format!("../{below}"),
            CategoryBase::Store(_) => return None,
        })
    }

    /// Returns the folder whose listing decides whether the item exists.
    pub(super) fn parent_folder(&self) -> Option<String> {
        let mut path = self.path()?;
        path.truncate(path.rfind('/')?);
        Some(path)
    }

    /// Renders its line of the index, without a comma. `sharing` says whether it is the second of
    /// two items that have the same key, one being a file and the other a folder.
    pub(super) fn to_line(&self, sharing: KeySharing) -> Option<String> {
        let ScopedPath { id, category, scope, version, base, .. } = &self.place;
        // Ids, categories and versions need no escapes, but folders of the project may.
        let key = Value::from(self.key() + sharing.suffix());
        let path = Value::from(self.path()?);
        let mut line = format!(
            r#"{key}:{{"path":{path},"category":"{category}","item_id":"{id}","scope":"{scope}""#
        );
        let _ = write!(line, r#","size":{},"mtime":{}"#, self.size, self.modified);
        if let Some(sha256) = self.sha256 {
            let _ = write!(line, r#","sha256":"{sha256}""#);
        }
        if let Some(version) = version {
            let _ = write!(line, r#","version":"{version}""#);
        }
        if let CategoryBase::InPlace(folder) = base {
            let _ = write!(line, r#","base":{}"#, Value::from(folder.as_str()));
        }
        line.push('}');
        Some(line)
    }

    /// Parses a line. Returns `None` if it is not one that [`Self::to_line`] writes for this scope.
    pub(super) fn parse(line: &str, scope: Scope) -> Option<Self> {
        let object = json::parse(["{", line, "}"].concat().as_bytes()).ok()?;
        let (key, value) = object.as_object()?.iter().next()?;
        let place = locate(scope, value["path"].as_str()?, value["base"].as_str())?;
        let entry = Self {
            place,
            size: value["size"].as_u64()?,
            modified: value["mtime"].as_i64()?,
            sha256: value["sha256"].as_str().and_then(|text| text.parse().ok()),
            stamp: None,
        };
        let own = entry.key();
        let agrees = *key == own || *key == own + KeySharing::SecondOfTwo.suffix();
        (agrees && value["scope"] == scope.name()).then_some(entry)
    }
}

/// Whether an entry has the same key as the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeySharing {
    Unique,
    SecondOfTwo,
}

impl KeySharing {
    fn suffix(self) -> &'static str {
        match self {
            Self::Unique => "",
            Self::SecondOfTwo => ":folder",
        }
    }
}

/// Returns the location of an item from its path in the index. Only directives are used in place.
fn locate(scope: Scope, path: &str, base: Option<&str>) -> Option<ScopedPath> {
    let Some(base) = base else { return ScopedPath::from_space_path(scope, &path.parse().ok()?) };
    let names = path.strip_prefix("../")?.strip_prefix(base)?.strip_prefix('/')?;
    let names = names.split('/').collect::<Vec<_>>();
    let base = CategoryBase::InPlace(base.parse::<RelPath>().ok()?);
    ScopedPath::from_base_path(scope, ItemType::Directive, base, &names)
}

/// Sorts entries into the order of the index.
pub(super) fn sort_entries(entries: &mut [CatalogEntry]) {
    entries.sort_by_cached_key(|entry| (entry.key(), entry.place.form == ItemForm::Folder));
}
