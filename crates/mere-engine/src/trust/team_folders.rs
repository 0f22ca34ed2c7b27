//! The folders in which the user knows a team.
//!
//! A space states its own id, and whoever changes a branch can change that id: the space would then
//! look like one that nobody joined. The folder is remembered beside the id, so a team's folder
//! stays a team's folder.

use crate::trust::approvals::records;
use crate::trust::approvals::records::RecordError;
use mere_host::Environment;
use serde_json::json;

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "team-folders.json";

/// Returns the id that the space of a folder had when its team was last seen.
pub(super) fn last_space_id(environment: &Environment, folder: &str) -> Option<String> {
    let records = records::parse_or_empty(environment.read_state_or_none(FILE));
    let record = records.iter().find(|record| record["folder"] == folder)?;
    record["space_id"].as_str().map(str::to_owned)
}

/// Remembers that a team was seen in a folder, unless that is recorded already.
pub(super) fn remember_if_changed(
    environment: &Environment,
    folder: &str,
    space_id: &str,
) -> Result<(), RecordError> {
    if last_space_id(environment, folder).as_deref() == Some(space_id) {
        return Ok(());
    }
    remember(environment, folder, space_id)
}

/// Records that a folder belongs to this team from now on.
pub(crate) fn remember(
    environment: &Environment,
    folder: &str,
    space_id: &str,
) -> Result<(), RecordError> {
    records::update(environment.lock_state(), FILE, |records| {
        records.retain(|record| record["folder"] != folder);
        records.push(json!({ "folder": folder, "space_id": space_id }));
    })
}

/// Removes the record of a folder's team.
pub(crate) fn forget(environment: &Environment, folder: &str) -> Result<(), RecordError> {
    records::update(environment.lock_state(), FILE, |records| {
        records.retain(|record| record["folder"] != folder);
    })
}
