//! What files of a person looked like before this program changed them.
//!
//! It is kept in the user's state folder. Whatever a killed process leaves there is safe: the old
//! bytes are given back only if both they and the file are what the record says.

use mere_core::digest::Sha256;
use mere_host::{LockedFolder, WriteError};
use serde::{Deserialize, Serialize};

/// The folder of the records in the state folder.
pub(in crate::commands) const RECORDS_FOLDER: &str = "connect";

/// The record of one settings file.
#[derive(Serialize, Deserialize)]
pub(in crate::commands) struct SettingsRecord {
    /// The path of the file, for people.
    file: String,
    /// The digest of the old bytes; `None` if there was no file.
    before: Option<String>,
    /// The digest of what was written.
    after: String,
    /// How many folders were made for the file.
    pub(in crate::commands) made_folders: usize,
}

/// The records, locked.
pub(in crate::commands) struct SettingsRecords {
    folder: LockedFolder,
}

impl SettingsRecords {
    pub(in crate::commands) fn new(folder: LockedFolder) -> Self {
        Self { folder }
    }

    /// Returns the record of a file, if what the file says now is what was written.
    pub(in crate::commands) fn find(
        &self,
        file: &str,
        now: &[u8],
    ) -> Result<Option<(SettingsRecord, Option<String>)>, WriteError> {
        let (record, before) = record_names(file);
        let Some(bytes) = self.folder.read(&record)? else { return Ok(None) };
        let record = serde_json::from_slice::<SettingsRecord>(&bytes).ok();
        let Some(record) = record.filter(|record| record.after == digest(now)) else {
            return Ok(None);
        };
        if record.before.is_none() {
            return Ok(Some((record, None)));
        }
        let old = self.folder.read(&before)?.and_then(|old| String::from_utf8(old).ok());
        let old =
            old.filter(|old| record.before.as_deref() == Some(digest(old.as_bytes()).as_str()));
        Ok(old.map(|old| (record, Some(old))))
    }

    /// Returns whether this program has changed a file before.
    pub(in crate::commands) fn has_record(&self, file: &str) -> Result<bool, WriteError> {
        Ok(self.folder.read(&record_names(file).0)?.is_some())
    }

    /// Records a change that is about to be made.
    pub(in crate::commands) fn save(
        &self,
        file: &str,
        change: &SettingsChange<'_>,
    ) -> Result<(), WriteError> {
        let (record, before) = record_names(file);
        match change.before {
            Some(old) => self.folder.replace(&before, old.as_bytes())?,
            None => self.folder.remove(&before)?,
        }
        let content = SettingsRecord {
            file: file.to_owned(),
            before: change.before.map(|before| digest(before.as_bytes())),
            after: digest(change.after),
            made_folders: change.made_folders,
        };
        self.folder.replace(&record, &serde_json::to_vec(&content).unwrap_or_default())
    }

    /// Forgets a file.
    pub(in crate::commands) fn forget(&self, file: &str) -> Result<(), WriteError> {
        let (record, before) = record_names(file);
        self.folder.remove(&record)?;
        self.folder.remove(&before)
    }

    /// Returns a list that was saved.
    pub(in crate::commands) fn read_list(&self, name: &str) -> Result<Vec<String>, WriteError> {
        let bytes = self.folder.read(&list_name(name))?.unwrap_or_default();
        Ok(serde_json::from_slice(&bytes).unwrap_or_default())
    }

    /// Saves a list of files. An empty one is forgotten.
    pub(in crate::commands) fn save_list(
        &self,
        name: &str,
        files: &[String],
    ) -> Result<(), WriteError> {
        if files.is_empty() {
            return self.folder.remove(&list_name(name));
        }
        let bytes = serde_json::to_vec(files).unwrap_or_default();
        self.folder.replace(&list_name(name), &bytes)
    }

    /// Returns the path of the old bytes of a file, for people.
    pub(in crate::commands) fn display_backup(&self, file: &str) -> String {
        self.folder.display_path(&record_names(file).1)
    }
}

/// A change of a settings file.
pub(in crate::commands) struct SettingsChange<'a> {
    pub(in crate::commands) before: Option<&'a str>,
    pub(in crate::commands) after: &'a [u8],
    pub(in crate::commands) made_folders: usize,
}

fn digest(bytes: &[u8]) -> String {
    Sha256::digest(bytes).to_string()
}

/// Returns the names of the record of a file and of its old bytes.
fn record_names(file: &str) -> (String, String) {
    let name = digest(file.as_bytes())
        .chars()
        .filter(char::is_ascii_hexdigit)
        .take(32)
        .collect::<String>();
    (format!("{name}.json"), format!("{name}.before"))
}

fn list_name(name: &str) -> String {
    record_names(name).0.replace(".json", ".list")
}
