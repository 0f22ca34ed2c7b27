//! The record, in the user's own cache, of an index that this program wrote.
//!
//! An index may come with a repository as easily as from us, and could then leave out or add items
//! at will. It is used only if its stamp, whose change time nobody can set back, shows that it is
//! the very file that was written here. Even then it is used only for folders whose stamps are
//! unchanged.

use std::collections::HashMap;

use mere_core::digest::Sha256;
use mere_core::text::json;
use serde_json::{Value, json};

use super::Space;
use super::index::IntegrityCheck;
use super::orphan::Orphan;
use super::scan::FolderState;
use crate::trust::project_key::ProjectKey;
use mere_host::FileStamp;

/// What is known of an index.
pub(super) struct IndexRecord {
    /// The stamp of the index file when it was written.
    pub(super) index_stamp: FileStamp,
    /// What must be checked besides the stamp.
    pub(super) integrity: IntegrityCheck,
    /// How many items the index has.
    pub(super) items: u64,
    /// The state of each folder that the index was made from.
    pub(super) folders: HashMap<String, FolderState>,
    /// The sidecars without an item in these folders, by folder.
    pub(super) orphans: OrphansByFolder,
}

/// Sidecars without an item, by the label of their folder.
pub(super) type OrphansByFolder = HashMap<String, Vec<Orphan>>;

/// The largest record that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The version of the record's format.
const FORMAT_VERSION: u64 = 4;

impl IndexRecord {
    /// Reads the record for a space.
    pub(super) fn read(space: &Space) -> Option<Self> {
        let bytes = space.cache.as_ref()?.read(&record_name(space)?, MAX_BYTES)?;
        Self::parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// Writes the record. A failure is only logged, because without a record the space is just
    /// scanned again.
    pub(super) fn write(&self, space: &Space) {
        let written = space.cache.as_ref().zip(record_name(space));
        let written = written.map(|(cache, name)| cache.write(&name, self.render().as_bytes()));
        if let Some(Err(error)) = written {
            tracing::debug!(%error, "the record of an index could not be written");
        }
    }

    fn render(&self) -> String {
        let mut text = json!({
            "form": FORMAT_VERSION, "index": self.index_stamp, "items": self.items,
            "digest": self.integrity.digest().map(|digest| digest.to_string())
        })
        .to_string();
        let mut folders = self.folders.iter().collect::<Vec<_>>();
        folders.sort_by_key(|(label, _)| *label);
        for folder in folders {
            text.push('\n');
            text.push_str(&json!(folder).to_string());
        }
        for orphan in self.orphans.values().flatten() {
            text.push('\n');
            text.push_str(&json!(orphan).to_string());
        }
        text
    }

    #[cfg(fuzzing)]
    pub(super) fn read_text(text: &str) {
        let _ = Self::parse(text);
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let head = json::parse(lines.next()?.as_bytes()).ok()?;
        if head["form"] != FORMAT_VERSION {
            return None;
        }
        let index = serde_json::from_value(head["index"].clone()).ok()?;
        // The line of a folder is a list, that of an orphan an object.
        let (mut folders, mut orphans) = (HashMap::new(), Vec::new());
        for line in lines {
            if line.starts_with('{') {
                orphans.push(serde_json::from_str(line).ok()?);
            } else {
                let (label, state) = serde_json::from_str(line).ok()?;
                folders.insert(label, state);
            }
        }
        let orphans = group_by_folder(orphans);
        let integrity = match &head["digest"] {
            Value::Null => IntegrityCheck::Stamp,
            digest => IntegrityCheck::Digest(digest.as_str()?.parse().ok()?),
        };
        let items = head["items"].as_u64()?;
        Some(Self { index_stamp: index, integrity, items, folders, orphans })
    }
}

/// Groups orphans by their folder.
pub(super) fn group_by_folder(orphans: Vec<Orphan>) -> OrphansByFolder {
    let mut grouped = OrphansByFolder::new();
    for orphan in orphans {
        grouped.entry(orphan.folder.clone()).or_default().push(orphan);
    }
    grouped
}

/// Returns the file name of a space's record. It depends on the folder, because clones and
/// worktrees share a space id.
fn record_name(space: &Space) -> Option<String> {
    let key = ProjectKey::for_project(space.folder()?, Some(space.folder()?))?;
    let bases = space.in_place.iter().map(|one| one.path.as_str()).collect::<Vec<_>>();
    let record: Value = json!([key.record(), bases]);
    Some(format!("index-{}", Sha256::digest(record.to_string().as_bytes())))
}
