//! The folders in which the user knows a team.
//!
//! A space says its own id, and whoever changes a branch can change that: it would be a space that
//! nobody joined. The folder is remembered beside it, so what was a team's stays one.

use crate::records::{self, RecordError};
use mere_host::Environment;
use serde_json::json;

/// The record, in the state folder.
pub(crate) const FILE: &str = "team-folders.json";

/// The id that the space of a folder had when its team was seen last.
pub(super) fn last_space_id(surroundings: &Environment, folder: &str) -> Option<String> {
    let records = records::parse_or_empty(surroundings.read_state_or_none(FILE));
    let record = records.iter().find(|record| record["folder"] == folder)?;
    record["space_id"].as_str().map(str::to_owned)
}

/// A team was seen in a folder; nothing is written if that is known.
pub(super) fn remember_if_changed(
    surroundings: &Environment,
    folder: &str,
    space_id: &str,
) -> Result<(), RecordError> {
    if last_space_id(surroundings, folder).as_deref() == Some(space_id) {
        return Ok(());
    }
    remember(surroundings, folder, space_id)
}

/// A folder is this team's from now on.
pub(crate) fn remember(
    surroundings: &Environment,
    folder: &str,
    space_id: &str,
) -> Result<(), RecordError> {
    records::update(surroundings.lock_state(), FILE, |records| {
        records.retain(|record| record["folder"] != folder);
        records.push(json!({ "folder": folder, "space_id": space_id }));
    })
}

/// No team is known in a folder any more.
pub(crate) fn forget(surroundings: &Environment, folder: &str) -> Result<(), RecordError> {
    records::update(surroundings.lock_state(), FILE, |records| {
        records.retain(|record| record["folder"] != folder);
    })
}
