//! What a tool changed in its view of the project.
//!
//! It holds no logic. Each changed file records what the tool saw before, so that the change is
//! applied to that and to nothing else.

use mere_core::address::RelPath;
use mere_core::digest::Sha256;

/// The largest number of files that a difference may have.
pub const MAX_CHANGED_FILES: usize = 2_000;
/// The largest number of bytes that all new contents together may have.
pub const MAX_CHANGED_BYTES: u64 = 32 * 1024 * 1024;
/// How many of the paths that are left out are named.
pub(super) const MAX_NAMED_PATHS: usize = 100;

/// The state of a file: its bytes, and whether it may be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileState {
    /// The digest of its bytes.
    pub sha256: Sha256,
    /// Whether its owner may execute it.
    pub is_executable: bool,
}

/// The new contents of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewContent {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Whether its owner may execute it.
    pub is_executable: bool,
}

impl NewContent {
    /// Returns the state that the file will have.
    pub fn state(&self) -> FileState {
        FileState { sha256: Sha256::digest(&self.bytes), is_executable: self.is_executable }
    }
}

/// A file that a tool created, changed or deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedFile {
    /// Its path in the project.
    pub path: RelPath,
    /// What the tool saw, or `None` if there was no such file.
    pub before: Option<FileState>,
    /// What it left, or `None` if it deleted the file.
    pub after: Option<NewContent>,
}

/// Why a change is not proposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeftOut {
    /// A version control program would obey it.
    Repository,
    /// It lies in `.ai`.
    Space,
    /// It is hidden from tools.
    Hidden,
    /// It is a symbolic link.
    Link,
    /// It is neither a file nor a folder.
    Special,
    /// Its name cannot be part of an address.
    Name,
    /// A folder is in the place of a file, or a file in the place of a folder.
    Exchanged,
    /// Somebody else changed it during the run.
    ChangedMeanwhile,
    /// It cannot be read.
    Unreadable,
}

impl LeftOut {
    /// Returns the reason in replies.
    pub fn reason(self) -> &'static str {
        match self {
            Self::Repository => "a version control program would obey it",
            Self::Space => "it lies in `.ai`",
            Self::Hidden => "it is hidden from tools",
            Self::Link => "it is a symbolic link",
            Self::Special => "it is neither a file nor a folder",
            Self::Name => "its name cannot be part of an address",
            Self::Exchanged => "a file and a folder are exchanged",
            Self::ChangedMeanwhile => "somebody else changed it during the run",
            Self::Unreadable => "it cannot be read",
        }
    }
}

/// A path that was changed and is left out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOutPath {
    /// The path. Bytes that are not UTF-8 are replaced.
    pub path: String,
    /// The reason.
    pub reason: LeftOut,
}

/// The bound that a difference exceeds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DifferenceBound {
    /// [`MAX_CHANGED_FILES`].
    Files,
    /// [`MAX_CHANGED_BYTES`].
    Bytes,
}

/// Everything that a tool changed in its view of the project.
#[derive(Debug, Default)]
pub struct ProjectDifference {
    /// The changed files, in the order of their paths. There are none if a bound is exceeded.
    pub files: Vec<ChangedFile>,
    /// The changes that are left out, as far as they are named.
    pub left_out: Vec<LeftOutPath>,
    /// How many changes are left out.
    pub left_out_count: u64,
    /// The bound that is exceeded.
    pub exceeded: Option<DifferenceBound>,
}

impl ProjectDifference {
    pub(super) fn leave_out(&mut self, path: &str, reason: LeftOut) {
        self.left_out_count += 1;
        if self.left_out.len() < MAX_NAMED_PATHS {
            self.left_out.push(LeftOutPath { path: path.to_owned(), reason });
        }
    }
}
