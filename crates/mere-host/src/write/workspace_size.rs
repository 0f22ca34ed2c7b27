//! How much a workspace holds, and how much it may hold.
//!
//! The size is measured by handles and never through a link, each time a workspace is to grow: tools
//! write in it too, so no remembered number would be right.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use crate::is_symlink_error;

/// The largest number of entries that are counted.
const MAX_COUNTED: u64 = 1_000_000;
/// The largest number of levels that a workspace may have.
pub(super) const MAX_LEVELS: usize = 64;

/// How much a workspace may hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WorkspaceLimits {
    /// The bytes of all files.
    pub bytes: u64,
    /// The number of files and folders.
    pub files: u64,
}

impl Default for WorkspaceLimits {
    fn default() -> Self {
        Self { bytes: 1024 * 1024 * 1024, files: 20_000 }
    }
}

/// How much a folder of a workspace holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkspaceSize {
    /// The bytes of all files.
    pub bytes: u64,
    /// The number of files and folders.
    pub files: u64,
    /// The number of levels of folders below it.
    pub(super) levels: usize,
    /// Whether something in it could not be counted.
    pub is_partial: bool,
}

/// Why a workspace was not changed.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// It would hold more than it may.
    #[error("the workspace is full")]
    Full {
        /// What it holds now.
        size: WorkspaceSize,
        /// What it may hold.
        limits: WorkspaceLimits,
    },
    /// A path would have too many levels.
    #[error("the path has more than {MAX_LEVELS} levels")]
    TooDeep,
    /// The machine refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl WorkspaceSize {
    /// Measures a folder.
    pub fn measure(folder: &Dir) -> Self {
        let mut size = Self::default();
        size.add_folder(folder, 0);
        size
    }

    /// Returns what is left of this without a part of it.
    #[must_use]
    pub fn without(&self, part: &Self) -> Self {
        let bytes = self.bytes.saturating_sub(part.bytes);
        Self { bytes, files: self.files.saturating_sub(part.files), ..*self }
    }

    fn add_folder(&mut self, folder: &Dir, level: usize) {
        self.levels = self.levels.max(level);
        let entries = match folder.entries() {
            Err(error) => return self.is_partial |= !is_gone(&error),
            Ok(entries) => entries,
        };
        for entry in entries {
            if self.files >= MAX_COUNTED {
                return self.is_partial = true;
            }
            let found = entry.and_then(|entry| Ok((entry.metadata()?, entry.file_name())));
            let (metadata, name) = match found {
                // What disappears meanwhile does not count.
                Err(error) if is_gone(&error) => continue,
                Err(_) => return self.is_partial = true,
                Ok(found) => found,
            };
            self.files += 1;
            if !metadata.is_dir() {
                self.bytes = self.bytes.saturating_add(metadata.len());
                continue;
            }
            match folder.open_dir_nofollow(&name) {
                Err(error) if is_gone(&error) => {}
                Ok(below) if level < MAX_LEVELS => self.add_folder(&below, level + 1),
                _ => self.is_partial = true,
            }
        }
    }
}

/// By how much a change lets a workspace grow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Growth {
    pub(super) bytes: u64,
    pub(super) files: u64,
}

impl Growth {
    /// Checks that a workspace may grow by this much. A part of it that cannot be measured could
    /// hold anything, so then it may not grow.
    pub(super) fn check(
        self,
        workspace: &Dir,
        limits: WorkspaceLimits,
    ) -> Result<(), WorkspaceError> {
        if self.bytes == 0 && self.files == 0 {
            return Ok(());
        }
        let size = WorkspaceSize::measure(workspace);
        let exceeds =
            |used: u64, more: u64, limit: u64| more > 0 && used.saturating_add(more) > limit;
        let is_full = size.is_partial
            || exceeds(size.bytes, self.bytes, limits.bytes)
            || exceeds(size.files, self.files, limits.files);
        if is_full { Err(WorkspaceError::Full { size, limits }) } else { Ok(()) }
    }
}

/// Checks whether an entry does not exist any more, or was replaced by something else.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || is_symlink_error(error)
}

/// Calls `each` with the path of everything in a folder, from that folder. Names that are not UTF-8
/// are left out, with what lies below them.
pub(super) fn visit_paths(folder: &Dir, each: &mut dyn FnMut(&str)) -> io::Result<()> {
    visit_below(folder, &mut String::new(), &mut (0, each))
}

fn visit_below(
    folder: &Dir,
    path: &mut String,
    visit: &mut (usize, &mut dyn FnMut(&str)),
) -> io::Result<()> {
    if visit.0 > MAX_LEVELS {
        return Err(io::Error::other("the folder has too many levels"));
    }
    for entry in folder.entries()? {
        let entry = entry?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        let length = path.len();
        path.push('/');
        path.push_str(&name);
        (visit.1)(path);
        if entry.file_type()?.is_dir() {
            visit.0 += 1;
            visit_below(&folder.open_dir_nofollow(&name)?, path, visit)?;
            visit.0 -= 1;
        }
        path.truncate(length);
    }
    Ok(())
}
