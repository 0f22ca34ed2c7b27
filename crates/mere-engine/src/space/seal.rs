//! The record, in the user's own cache, of an index this program wrote.
//!
//! An index comes with a repository as easily as from us, and may leave out or add what it likes.
//! It counts only if it is the very file that was written here, by its stamp, whose time of change
//! nobody can set back; and it counts only for folders that still look as they did then.

use std::collections::HashMap;

use mere_core::digest::Sha256;
use mere_core::json;
use serde_json::{Value, json};

use super::Space;
use super::index::IntegrityCheck;
use super::scan::FolderState;
use crate::project_key::ProjectKey;
use mere_host::FileStamp;

/// What is known of an index.
pub(super) struct IndexRecord {
    /// The index file as it was written.
    pub(super) index_stamp: FileStamp,
    /// How far its stamp is believed.
    pub(super) integrity: IntegrityCheck,
    /// How many items it has.
    pub(super) items: u64,
    /// The folders it was made of.
    pub(super) folders: HashMap<String, FolderState>,
}

/// The largest record that is read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

/// The form of the record.
const FORMAT_VERSION: u64 = 2;

impl IndexRecord {
    /// The record for a space.
    pub(super) fn read(space: &Space) -> Option<Self> {
        let bytes = space.cache.as_ref()?.read(&record_name(space)?, MAX_BYTES)?;
        Self::parse(std::str::from_utf8(&bytes).ok()?)
    }

    /// Keeps a record, as far as that can be done: without it the space is scanned again.
    pub(super) fn write(&self, space: &Space) {
        let written = space.cache.as_ref().zip(record_name(space));
        let written = written.map(|(cache, name)| cache.write(&name, self.render().as_bytes()));
        if let Some(Err(error)) = written {
            tracing::debug!(%error, "the record of an index could not be kept");
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
        text
    }

    fn parse(text: &str) -> Option<Self> {
        let mut lines = text.lines();
        let head = json::parse(lines.next()?.as_bytes()).ok()?;
        if head["form"] != FORMAT_VERSION {
            return None;
        }
        let index = serde_json::from_value(head["index"].clone()).ok()?;
        let folders = lines.map(|line| serde_json::from_str(line).ok()).collect::<Option<_>>()?;
        let belief = match &head["digest"] {
            Value::Null => IntegrityCheck::Stamp,
            digest => IntegrityCheck::Digest(digest.as_str()?.parse().ok()?),
        };
        Some(Self {
            index_stamp: index,
            integrity: belief,
            items: head["items"].as_u64()?,
            folders,
        })
    }
}

/// What the record of a space is called: clones and worktrees share an id, not a folder.
fn record_name(space: &Space) -> Option<String> {
    let key = ProjectKey::for_project(space.folder()?, Some(space.folder()?))?;
    let bases = space.in_place.iter().map(|one| one.path.as_str()).collect::<Vec<_>>();
    let record: Value = json!([key.record(), bases]);
    Some(format!("index-{}", Sha256::digest(record.to_string().as_bytes())))
}
