//! The journal of changes that are being applied to a project.
//!
//! It is written durably before the project is touched, and again once every new file lies beside
//! its target. From then on the changes are finished, whatever happens; before that, they are taken
//! back.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;
use serde::{Deserialize, Serialize};

use super::derived_files::temporary_name;
use crate::{ChangedFile, FileState};

/// The changes, and how far they are.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct ProjectJournal {
    v: u64,
    /// True once every new file lies beside its target.
    pub(super) is_committed: bool,
    /// The folders that had to be made, the outer ones first.
    pub(super) folders: Vec<String>,
    pub(super) entries: Vec<JournalEntry>,
}

/// The change of one file.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct JournalEntry {
    path: String,
    /// The name of the new file until it is in its place, and then of the old one.
    pub(super) staged: String,
    /// The name of the old file for a moment, where the file system cannot swap two files.
    pub(super) kept: String,
    before: Option<RecordedState>,
    after: Option<RecordedState>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct RecordedState {
    sha256: String,
    is_executable: bool,
}

/// What happens to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileOperation {
    Create(FileState),
    Replace { before: FileState, after: FileState },
    Delete(FileState),
}

impl ProjectJournal {
    /// The version that is written.
    const VERSION: u64 = 1;

    /// Plans the changes. Their new files get names that nothing has.
    pub(super) fn plan(changes: &[ChangedFile], folders: Vec<String>) -> Self {
        let entries = changes.iter().map(|change| JournalEntry {
            path: change.path.as_str().to_owned(),
            staged: temporary_name(),
            kept: temporary_name(),
            before: change.before.map(RecordedState::from),
            after: change.after.as_ref().map(|after| after.state().into()),
        });
        Self { v: Self::VERSION, is_committed: false, folders, entries: entries.collect() }
    }

    pub(super) fn to_text(&self) -> Vec<u8> {
        serde_json::to_vec(self).unwrap_or_default()
    }

    /// Parses a journal. Returns `None` if this version did not write it.
    pub(super) fn parse(text: &[u8]) -> Option<Self> {
        let journal = serde_json::from_slice::<Self>(text).ok()?;
        let is_valid = journal.v == Self::VERSION
            && journal.entries.iter().all(|entry| entry.operation().is_some())
            && journal.folders.iter().all(|folder| folder.parse::<RelPath>().is_ok());
        is_valid.then_some(journal)
    }
}

impl JournalEntry {
    /// Returns the path, with the name apart from the folder that it lies in.
    pub(super) fn place(&self) -> (&str, &str) {
        self.path.rsplit_once('/').unwrap_or(("", &self.path))
    }

    /// Returns the path.
    pub(super) fn path(&self) -> Option<RelPath> {
        self.path.parse().ok()
    }

    /// Returns what happens to the file.
    pub(super) fn operation(&self) -> Option<FileOperation> {
        self.path()?.split_last()?;
        let state = |recorded: &Option<RecordedState>| match recorded {
            None => Some(None),
            Some(recorded) => recorded.state().map(Some),
        };
        match (state(&self.before)?, state(&self.after)?) {
            (None, Some(after)) => Some(FileOperation::Create(after)),
            (Some(before), Some(after)) => Some(FileOperation::Replace { before, after }),
            (Some(before), None) => Some(FileOperation::Delete(before)),
            (None, None) => None,
        }
    }
}

impl From<FileState> for RecordedState {
    fn from(state: FileState) -> Self {
        Self { sha256: state.sha256.to_string(), is_executable: state.is_executable }
    }
}

impl RecordedState {
    fn state(&self) -> Option<FileState> {
        let sha256 = self.sha256.parse::<Sha256>().ok()?;
        Some(FileState { sha256, is_executable: self.is_executable })
    }
}
