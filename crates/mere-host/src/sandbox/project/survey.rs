//! The names of a project that a tool may see, and those that are hidden from it.
//!
//! It is bounded: a project with more names than these is not shown at all.

use std::collections::{BTreeSet, HashSet};

use crate::EntryKind;

/// The largest number of names that are surveyed.
const MAX_NAMES: usize = 500_000;
/// The largest number of bytes that all hidden paths together have.
const MAX_HIDDEN_BYTES: usize = 8 * 1024 * 1024;

/// A project has more names than are surveyed, or more of them are hidden than can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the project has too many files to be shown to a tool")]
pub struct SurveyLimit;

/// The names of a project, with slashes between folders.
#[derive(Debug, Default)]
pub struct ProjectSurvey {
    names: usize,
    hidden: HashSet<Vec<u8>>,
    hidden_bytes: usize,
    pub(super) folders: BTreeSet<String>,
    pub(super) files: Vec<String>,
    links: BTreeSet<String>,
}

impl ProjectSurvey {
    /// Hides a name of a folder, and everything below it.
    pub fn hide(&mut self, folder: &str, name: &[u8]) -> Result<(), SurveyLimit> {
        self.count()?;
        let mut path = folder.as_bytes().to_vec();
        if !path.is_empty() {
            path.push(b'/');
        }
        path.extend(name);
        self.hidden_bytes += path.len() + 1;
        self.hidden.insert(path);
        if self.hidden_bytes > MAX_HIDDEN_BYTES { Err(SurveyLimit) } else { Ok(()) }
    }

    /// Shows a file, a link or a folder. What lies in the folder is decided on its own.
    pub fn show(&mut self, path: String, kind: EntryKind) -> Result<(), SurveyLimit> {
        self.count()?;
        match kind {
            EntryKind::Folder => drop(self.folders.insert(path)),
            EntryKind::File => self.files.push(path),
            EntryKind::Link => drop(self.links.insert(path)),
            EntryKind::Special => return self.hide("", path.as_bytes()),
        }
        Ok(())
    }

    /// Checks whether a path, or a folder that it lies in, is hidden.
    pub(super) fn hides(&self, path: &str) -> bool {
        let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
        ends.map(|end| &path.as_bytes()[..end]).any(|prefix| self.hidden.contains(prefix))
    }

    /// Checks whether a path is a visible folder.
    pub(super) fn has_folder(&self, path: &str) -> bool {
        self.folders.contains(path)
    }

    /// Checks whether a path is a visible link.
    pub(super) fn has_link(&self, path: &str) -> bool {
        self.links.contains(path)
    }

    /// Returns the paths of the visible links.
    pub(super) fn links(&self) -> impl Iterator<Item = &str> {
        self.links.iter().map(String::as_str)
    }

    /// Returns the hidden paths as one text, each with a zero byte at its end.
    pub(in crate::sandbox) fn hidden_text(&self) -> Vec<u8> {
        let mut text = Vec::with_capacity(self.hidden_bytes);
        for path in &self.hidden {
            text.extend(path);
            text.push(0);
        }
        text
    }

    fn count(&mut self) -> Result<(), SurveyLimit> {
        self.names += 1;
        if self.names > MAX_NAMES { Err(SurveyLimit) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_lies_below_something_hidden_is_hidden() {
        let mut survey = ProjectSurvey::default();
        survey.hide("a", b".git").expect("room");
        survey.hide("", b".env").expect("room");
        survey.show("a/b".to_owned(), EntryKind::Special).expect("room");
        for path in [".env", "a/.git", "a/.git/config", "a/b"] {
            assert!(survey.hides(path), "{path}");
        }
        for path in ["", "a", "a/.gitignore", ".env.example", "a/c", "b/.git"] {
            assert!(!survey.hides(path), "{path}");
        }
    }

    #[test]
    fn the_number_of_names_is_bounded() {
        let mut survey = ProjectSurvey::default();
        let long = vec![b'x'; 255];
        let hidden =
            (0_u32..600_000).find(|number| survey.hide(&number.to_string(), &long).is_err());
        assert!(hidden.is_some_and(|number| number < 40_000), "{hidden:?}");
        let mut survey = ProjectSurvey::default();
        let shown = (0_u32..600_000).find(|_| survey.show(String::new(), EntryKind::File).is_err());
        assert_eq!(shown, Some(500_000));
    }
}
