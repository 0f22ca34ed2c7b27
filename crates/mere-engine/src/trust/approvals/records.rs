//! Small lists of JSON records in the user's own folders: approvals and tokens.
//!
//! A change is made under the folder's lock and replaces the file durably. A damaged file reads as
//! empty, which grants nothing, and is never overwritten.

use mere_core::text::json;
use serde_json::{Value, json};

use mere_host::{LockedFolder, WriteError};

/// Why records could not be changed. For people.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// There is no folder to store them in.
    #[error("there is no folder to store it in: set HOME")]
    NoFolder,
    /// The file exists but does not hold records.
    #[error("{0} is damaged: move it away and start again")]
    Damaged(String),
    /// The file could not be replaced.
    #[error("{0}")]
    Write(String),
}

/// Parses the records of a file. A missing or damaged file has none.
pub(crate) fn parse_or_empty(bytes: Option<Vec<u8>>) -> Vec<Value> {
    bytes.and_then(|bytes| parse_strict(&bytes)).unwrap_or_default()
}

/// Changes the records of a file in a locked folder.
pub(crate) fn update(
    folder: Option<Result<LockedFolder, WriteError>>,
    file: &str,
    edit: impl FnOnce(&mut Vec<Value>),
) -> Result<(), RecordError> {
    try_update(folder, file, |_, records| {
        edit(records);
        Ok(())
    })
}

/// Changes the records with a function that may fail; then the file stays as it is.
pub(crate) fn try_update<T, E: From<RecordError>>(
    folder: Option<Result<LockedFolder, WriteError>>,
    file: &str,
    edit: impl FnOnce(&LockedFolder, &mut Vec<Value>) -> Result<T, E>,
) -> Result<T, E> {
    let write = |error: WriteError| RecordError::Write(error.to_string());
    let folder = folder.ok_or(RecordError::NoFolder)?.map_err(write)?;
    let mut records = match folder.read(file).map_err(write)? {
        Some(bytes) => {
            parse_strict(&bytes).ok_or_else(|| RecordError::Damaged(folder.display_path(file)))?
        }
        None => Vec::new(),
    };
    let done = edit(&folder, &mut records)?;
    let text = format!("{:#}\n", json!({ "format": 1, "records": records }));
    folder.replace(file, text.as_bytes()).map_err(write)?;
    Ok(done)
}

/// Parses the records of a file; `None` if it is damaged.
pub(crate) fn parse_strict(bytes: &[u8]) -> Option<Vec<Value>> {
    json::parse(bytes).ok()?["records"].as_array().cloned()
}
