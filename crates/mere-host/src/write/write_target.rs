//! A place in a workspace that a file is written to, moved from or removed from.
//!
//! It is a name in a folder that is open already, so what was looked at is what is changed.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, Metadata};
use mere_core::address::{Segment, visible_form};
use mere_core::digest::Sha256;

use super::workspace::{digest_file, open_or_create_folder};
use super::workspace_size::{MAX_LEVELS, WorkspaceError, WorkspaceSize, visit_paths};
use crate::{OpenFolder, is_symlink_error, none_if_missing, open_regular_file};

/// A place in a workspace: a name in a folder, which need not exist.
pub struct WriteTarget {
    /// The deepest folder on the way that exists.
    pub(super) folder: Dir,
    /// The folders below it that are still to be made.
    pub(super) missing: Vec<Segment>,
    pub(super) name: Segment,
    /// How many folders there are on the way, with those that are missing.
    pub(super) level: usize,
}

/// What exists under a target's name now.
pub enum ExistingEntry {
    /// Nothing has the name.
    Absent,
    /// A regular file has the name.
    File(File),
    /// A folder has the name.
    Folder,
    /// A symbolic link, a pipe.
    Other,
}

impl WriteTarget {
    /// Checks whether the first name that would be new, or the name itself, differs from another
    /// one in its folder only in invisible characters.
    pub fn has_twin(&self) -> io::Result<bool> {
        has_twin(&self.folder, self.missing.first().unwrap_or(&self.name).as_str())
    }

    /// Returns what exists under the name now.
    pub fn existing_entry(&self) -> io::Result<ExistingEntry> {
        match self.metadata()? {
            None => return Ok(ExistingEntry::Absent),
            Some(metadata) if metadata.is_dir() => return Ok(ExistingEntry::Folder),
            Some(metadata) if !metadata.is_file() => return Ok(ExistingEntry::Other),
            Some(_) => {}
        }
        let file = open_regular_file(&self.folder, self.name.as_str())?;
        Ok(file.map_or(ExistingEntry::Other, ExistingEntry::File))
    }

    /// Measures the folder that has the name, if one has it.
    pub fn folder_size(&self) -> io::Result<Option<WorkspaceSize>> {
        match self.folder.open_dir_nofollow(self.name.as_str()) {
            Ok(folder) => Ok(Some(WorkspaceSize::measure(&folder))),
            Err(error) if is_missing(&error) || is_not_a_folder(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Calls `each` with the path of everything in the folder that has the name: `/a`, `/a/b`.
    pub fn visit_paths(&self, each: &mut dyn FnMut(&str)) -> io::Result<()> {
        visit_paths(&self.folder.open_dir_nofollow(self.name.as_str())?, each)
    }

    /// Hashes the regular file that has the name, if one has it.
    pub fn digest(&self) -> io::Result<Option<Sha256>> {
        digest_in(&self.folder, self.name.as_str())
    }

    /// Returns the metadata of what has the name, a link's own.
    pub(super) fn metadata(&self) -> io::Result<Option<Metadata>> {
        if !self.missing.is_empty() {
            return Ok(None);
        }
        match self.folder.symlink_metadata(self.name.as_str()) {
            Err(error) if is_missing(&error) => Ok(None),
            metadata => metadata.map(Some),
        }
    }

    /// Makes the missing folders on the way, and returns the last one.
    pub(super) fn make_parents(&self) -> io::Result<Dir> {
        let parents = self.missing.iter();
        parents.fold(self.folder.try_clone(), |folder, name| {
            open_or_create_folder(&folder?, name.as_str())
        })
    }

    /// Checks that a path with so many levels below this one is not too deep.
    pub(super) fn check_level(&self, levels: usize) -> Result<(), WorkspaceError> {
        let is_too_deep = self.level + levels > MAX_LEVELS;
        if is_too_deep { Err(WorkspaceError::TooDeep) } else { Ok(()) }
    }
}

/// Checks whether a folder has another name that differs from this one only in invisible
/// characters. Names that no address can have do not count.
pub(super) fn has_twin(folder: &Dir, name: &str) -> io::Result<bool> {
    let form = visible_form(name);
    let mut found = false;
    OpenFolder::open(folder, "")?.for_each_entry(|other, _| {
        let looks_alike = |other: &str| {
            other != name && visible_form(other) == form && Segment::check(other).is_ok()
        };
        found |= other.is_some_and(looks_alike);
        Ok(())
    })?;
    Ok(found)
}

/// Hashes a regular file of a folder. Returns `None` if the name is something else or missing.
pub(super) fn digest_in(folder: &Dir, name: &str) -> io::Result<Option<Sha256>> {
    none_if_missing(open_regular_file(folder, name))?.flatten().map(digest_file).transpose()
}

pub(super) fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

pub(super) fn is_not_a_folder(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory || is_symlink_error(error)
}
