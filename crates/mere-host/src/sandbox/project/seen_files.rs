//! The files of a project as they were when a tool began to see them.
//!
//! Their stamps tell afterwards whether somebody else changed them during the run.

use std::collections::BTreeMap;
use std::io;

use cap_std::fs::MetadataExt;
use rustix::fs::{AtFlags, statat};

use super::ProjectView;
use super::difference::FileState;
use crate::{FileStamp, Folder, OpenFolder, digest_file};

/// The bit that lets the owner execute a file.
pub(super) const OWNER_EXECUTES: u32 = 0o100;

/// A file as it was when the tool began to see it.
#[derive(Clone, Copy, Debug)]
pub(super) struct SeenFile {
    pub(super) stamp: FileStamp,
    /// The stamp of its copy, if it was copied.
    pub(super) copy: Option<FileStamp>,
}

/// The files that a tool saw, by their paths.
#[derive(Debug, Default)]
pub(in crate::sandbox) struct SeenFiles(BTreeMap<String, SeenFile>);

impl SeenFiles {
    /// Takes the stamps of all files that the tool will see in an overlay.
    pub(in crate::sandbox) fn stamp(view: &ProjectView<'_>) -> Self {
        let project = view.folder.dir();
        let seen = view.survey.files.iter().filter_map(|path| {
            let stat = statat(project, path.as_str(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some((path.clone(), SeenFile { stamp: FileStamp::from_stat(&stat), copy: None }))
        });
        Self(seen.collect())
    }

    pub(super) fn insert(&mut self, path: String, file: SeenFile) {
        self.0.insert(path, file);
    }

    pub(super) fn get(&self, path: &str) -> Option<&SeenFile> {
        self.0.get(path)
    }

    /// Returns the paths of all files.
    pub(super) fn paths(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Returns the paths of the files in a folder and below it.
    pub(super) fn below(&self, folder: &str) -> impl Iterator<Item = &str> {
        // The character after the slash ends the range.
        let range = format!("{folder}/")..format!("{folder}0");
        self.0.range(range).map(|(path, _)| path.as_str())
    }
}

impl SeenFile {
    /// Reads the state of the file that the tool saw. Returns `None` if it is not the same file any
    /// more.
    pub(super) fn read_state(&self, project: &Folder, path: &str) -> io::Result<Option<FileState>> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        let Some(file) = OpenFolder::open(project.dir(), folder)?.open_file(name)? else {
            return Ok(None);
        };
        let metadata = file.metadata()?;
        let is_executable = metadata.mode() & OWNER_EXECUTES != 0;
        let sha256 = digest_file(file.try_clone()?)?;
        let is_same = |metadata| FileStamp::from_metadata(metadata) == self.stamp;
        let is_unchanged = is_same(&metadata) && is_same(&file.metadata()?);
        Ok(is_unchanged.then_some(FileState { sha256, is_executable }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_below_a_folder_are_those_of_the_folder_alone() {
        let stamp = FileStamp::from((0, 0, 0, 0));
        let mut seen = SeenFiles::default();
        for path in ["a", "a-b/x", "a.b", "a/b", "a/b/c", "a0", "ab/c", "b"] {
            seen.insert(path.to_owned(), SeenFile { stamp, copy: None });
        }
        assert_eq!(seen.below("a").collect::<Vec<_>>(), ["a/b", "a/b/c"]);
        assert_eq!(seen.below("a/b").collect::<Vec<_>>(), ["a/b/c"]);
        assert_eq!(seen.paths().count(), 8);
    }
}
