//! Identifies the project that an approval is for.
//!
//! The key is the canonical folder together with the space's own id: the id alone is public and can
//! be copied into another repository, and the folder alone outlives what lies there.

use std::io;

use cap_std::fs::Dir;
use mere_core::digest::Sha256;
use mere_core::text::json;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::config;
use mere_host::{Folder, FolderWriter, WritePrecondition};

/// The key of a project's approvals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProjectKey {
    folder: String,
    space_id: Option<String>,
}

impl ProjectKey {
    /// Returns `None` if the folder's name is not Unicode, because then it cannot be recorded.
    pub(crate) fn for_project(project: &Folder, space: Option<&Folder>) -> Option<Self> {
        let folder = project.canonical_text()?.to_owned();
        let space_id = space.and_then(|space| space_id(space.dir()));
        Some(Self { folder, space_id })
    }

    /// Returns the canonical folder.
    pub(crate) fn folder(&self) -> &str {
        &self.folder
    }

    /// Returns the fields that every record for this project begins with.
    pub(crate) fn record(&self) -> Value {
        json!({ "folder": self.folder, "space_id": self.space_id })
    }

    /// Checks whether a record is for this project.
    pub(crate) fn matches(&self, record: &Value) -> bool {
        let space_id = self.space_id.as_deref().map_or(Value::Null, Value::from);
        record["folder"] == self.folder && record["space_id"] == space_id
    }
}

/// The space format that this version writes.
pub(crate) const SPACE_FORMAT: u64 = 1;

/// Reads the format of a space. A space without the file has the first format; a file that cannot
/// be read counts as newer than any known format.
pub(crate) fn space_format(space: &Dir) -> u64 {
    const UNKNOWN: u64 = u64::MAX;
    let Ok(text) = config::read_file(space, config::SPACE_FILE) else { return UNKNOWN };
    let Some(text) = text else { return SPACE_FORMAT };
    let Ok(value) = json::parse(text.as_bytes()) else { return UNKNOWN };
    value["format"].as_u64().unwrap_or(UNKNOWN)
}

/// Writes the file that names a space, if there is none. Returns the space's id, and whether it is
/// new; `None` if the file is there and says no id.
pub(crate) fn ensure_space_id(
    editing: &FolderWriter,
    name: &str,
) -> io::Result<Option<(String, bool)>> {
    let path = config::SPACE_FILE.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
    let id = Uuid::new_v4().to_string();
    let value = json!({ "format": SPACE_FORMAT, "space_id": id, "name": name });
    let text = format!("{value:#}\n");
    let is_new = !editing.has_path(&path)?
        && editing.put(&path, text.as_bytes(), WritePrecondition::Absent)?;
    Ok(space_id(editing.dir()).map(|id| (id, is_new)))
}

/// Gives a space a new id, and keeps everything else that its file says. Returns the id, or `None`
/// if the space has none or the file was changed at the same moment.
pub(crate) fn renew_space_id(editing: &FolderWriter) -> io::Result<Option<String>> {
    let path = config::SPACE_FILE.parse().map_err(|_| io::ErrorKind::InvalidInput)?;
    let Some(text) = config::read_file(editing.dir(), config::SPACE_FILE)? else { return Ok(None) };
    let Ok(mut value) = json::parse(text.as_bytes()) else { return Ok(None) };
    if !value["space_id"].is_string() {
        return Ok(None);
    }
    let id = Uuid::new_v4().to_string();
    value["space_id"] = id.clone().into();
    let before = WritePrecondition::Digest(Sha256::digest(text.as_bytes()));
    let is_written = editing.put(&path, format!("{value:#}\n").as_bytes(), before)?;
    Ok(is_written.then_some(id))
}

/// Reads the id of a space. An empty text names no space.
pub(crate) fn space_id(space: &Dir) -> Option<String> {
    read_text_field(space, "space_id").filter(|id| !id.is_empty())
}

/// Reads the name that a space gives itself.
pub(crate) fn space_name(space: &Dir) -> Option<String> {
    read_text_field(space, "name")
}

fn read_text_field(space: &Dir, key: &str) -> Option<String> {
    let text = config::read_file(space, config::SPACE_FILE).ok().flatten()?;
    json::parse(text.as_bytes()).ok()?[key].as_str().map(str::to_owned)
}
