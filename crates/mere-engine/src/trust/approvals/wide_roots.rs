//! The wide folders, such as the home folder, that a person said are meant as a project.
//!
//! Each is recorded by its canonical path in the user's state folder, which no root shows.

use serde_json::json;

use super::records;
use super::records::RecordError;
use mere_host::{Environment, Folder};

/// The file in the state folder that holds the records.
pub(crate) const FILE: &str = "wide-roots.json";

/// Checks whether a person said that this folder is meant.
pub(crate) fn is_recorded(environment: &Environment, folder: &Folder) -> bool {
    let records = records::parse_or_empty(environment.read_state_or_none(FILE));
    let folder = folder.canonical_text();
    folder.is_some_and(|folder| records.iter().any(|record| record["folder"] == folder))
}

/// Records that it is.
pub(crate) fn record(environment: &Environment, folder: &str) -> Result<(), RecordError> {
    records::update(environment.lock_state(), FILE, |records| {
        records.retain(|record| record["folder"] != folder);
        records.push(json!({ "folder": folder }));
    })
}

/// Forgets it. Returns whether it was recorded.
pub(crate) fn forget(environment: &Environment, folder: &str) -> Result<bool, RecordError> {
    if environment.read_state_or_none(FILE).is_none() {
        return Ok(false);
    }
    let mut dropped = false;
    records::update(environment.lock_state(), FILE, |records| {
        let before = records.len();
        records.retain(|record| record["folder"] != folder);
        dropped = records.len() < before;
    })?;
    Ok(dropped)
}
