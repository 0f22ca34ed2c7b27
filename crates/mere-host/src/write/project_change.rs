//! Applies changes to the files of a project, all of them or none.
//!
//! Every new file is written beside its target first. Then the files are swapped, one after the
//! other, and each that comes out must be what the change was made for: other programs do not
//! respect our lock. If one is not, all are swapped back. A journal in the user's state folder says
//! how far it is, so that the next process finishes what a killed one began, or takes it back. What
//! somebody else wrote meanwhile is never lost.

use std::collections::BTreeSet;
use std::io;

use cap_std::fs::Dir;
use mere_core::address::RelPath;

use super::project_file::{FoundFile, stage_file};
use super::project_journal::{FileOperation, JournalEntry, ProjectJournal};
use super::workspace::open_or_create_folder;
use crate::{
    ChangedFile, FileState, Folder, OpenFolder, exchange, is_symlink_error, none_if_missing,
    rename_no_replace,
};

/// Why changes were not applied. The project is as it was.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// These files are not what the changes were made for.
    #[error("a file is not what the changes were made for")]
    Conflict(Vec<RelPath>),
    /// The machine refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes the journal durably.
pub(super) type JournalWriter<'a> = dyn Fn(&ProjectJournal) -> io::Result<()> + 'a;

/// Returns which of the changed files are not what the changes were made for.
pub(super) fn find_conflicts(
    project: &Folder,
    changes: &[ChangedFile],
) -> io::Result<Vec<RelPath>> {
    let mut conflicts = Vec::new();
    for change in changes {
        let found = FoundFile::at(project.dir(), change.path.as_str())?;
        if found != change.before.map_or(FoundFile::Absent, FoundFile::File) {
            conflicts.push(change.path.clone());
        }
    }
    Ok(conflicts)
}

/// Applies the changes. When this returns without an error, they are durable.
pub(super) fn apply(
    project: &Folder,
    changes: &[ChangedFile],
    write_journal: &JournalWriter<'_>,
) -> Result<(), ApplyError> {
    let conflicts = find_conflicts(project, changes)?;
    if !conflicts.is_empty() {
        return Err(ApplyError::Conflict(conflicts));
    }
    let mut journal = ProjectJournal::plan(changes, missing_folders(project, changes)?);
    let change = ProjectChange { project: project.dir() };
    write_journal(&journal)?;
    let staged = change.stage(&journal, changes).and_then(|()| {
        journal.is_committed = true;
        write_journal(&journal)
    });
    if let Err(error) = staged {
        change.remove_staged(&journal);
        return Err(error.into());
    }
    change.finish(&journal)
}

/// Finishes the changes of a process that was killed, or takes them back. Returns whether they are
/// applied.
pub(super) fn recover(project: &Folder, journal: &ProjectJournal) -> io::Result<bool> {
    let change = ProjectChange { project: project.dir() };
    if !journal.is_committed {
        change.remove_staged(journal);
        return Ok(false);
    }
    match change.finish(journal) {
        Ok(()) => Ok(true),
        Err(ApplyError::Conflict(_)) => Ok(false),
        Err(ApplyError::Io(error)) => Err(error),
    }
}

struct ProjectChange<'a> {
    project: &'a Dir,
}

/// How far the change of one file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Progress {
    Waiting,
    Applied,
    /// Somebody else changed the file.
    Foreign,
}

impl ProjectChange<'_> {
    /// Writes every new file beside its target.
    fn stage(&self, journal: &ProjectJournal, changes: &[ChangedFile]) -> io::Result<()> {
        for folder in &journal.folders {
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            open_or_create_folder(&self.folder(above)?, name)?;
        }
        for (entry, change) in journal.entries.iter().zip(changes) {
            if let Some(after) = &change.after {
                let (above, name) = entry.place();
                stage_file(&self.folder(above)?, (&entry.staged, name), after)?;
            }
        }
        self.sync(journal)
    }

    /// Puts every new file in its place, or all of them back.
    fn finish(&self, journal: &ProjectJournal) -> Result<(), ApplyError> {
        let mut conflicts = Vec::new();
        for entry in &journal.entries {
            if self.settle(entry)? == Progress::Foreign {
                conflicts.extend(entry.path());
            }
        }
        if conflicts.is_empty() {
            for entry in &journal.entries {
                if self.settle(entry)? == Progress::Waiting && !self.swap(entry)? {
                    conflicts.extend(entry.path());
                    break;
                }
            }
        }
        if !conflicts.is_empty() {
            for entry in &journal.entries {
                self.swap_back(entry)?;
            }
            self.sync(journal)?;
            self.remove_staged(journal);
            return Err(ApplyError::Conflict(conflicts));
        }
        self.sync(journal)?;
        for entry in &journal.entries {
            let folder = self.folder(entry.place().0)?;
            none_if_missing(folder.remove_file(&entry.staged))?;
        }
        Ok(self.sync(journal)?)
    }

    /// Finds out how far the change of a file is, after a step that was cut short is completed.
    fn settle(&self, entry: &JournalEntry) -> io::Result<Progress> {
        let (above, name) = entry.place();
        let folder = match none_if_missing(self.folder(above)) {
            Ok(Some(folder)) => folder,
            Ok(None) => return Ok(Progress::Foreign),
            Err(error) if is_symlink_error(&error) => return Ok(Progress::Foreign),
            Err(error) => return Err(error),
        };
        let kept = FoundFile::in_folder(&folder, &entry.kept)?;
        if kept != FoundFile::Absent {
            let is_swapped = FoundFile::in_folder(&folder, &entry.staged)? == FoundFile::Absent;
            if is_swapped {
                folder.rename(&entry.kept, &folder, &entry.staged)?;
            } else {
                folder.remove_file(&entry.kept)?;
            }
        }
        let target = FoundFile::in_folder(&folder, name)?;
        let staged = FoundFile::in_folder(&folder, &entry.staged)?;
        let is = |found: FoundFile, state: FileState| found == FoundFile::File(state);
        Ok(match entry.operation() {
            Some(FileOperation::Create(after)) => match (target, staged) {
                (FoundFile::Absent, staged) if is(staged, after) => Progress::Waiting,
                (target, FoundFile::Absent) if is(target, after) => Progress::Applied,
                _ => Progress::Foreign,
            },
            Some(FileOperation::Replace { before, after }) => {
                if is(target, before) && is(staged, after) {
                    Progress::Waiting
                } else if is(target, after) && (is(staged, before) || staged == FoundFile::Absent) {
                    Progress::Applied
                } else {
                    Progress::Foreign
                }
            }
            Some(FileOperation::Delete(before)) => match (target, staged) {
                (target, FoundFile::Absent) if is(target, before) => Progress::Waiting,
                (FoundFile::Absent, staged)
                    if is(staged, before) || staged == FoundFile::Absent =>
                {
                    Progress::Applied
                }
                _ => Progress::Foreign,
            },
            None => Progress::Foreign,
        })
    }

    /// Puts one new file in its place. Returns `false`, and changes nothing, if the old file is not
    /// the expected one.
    fn swap(&self, entry: &JournalEntry) -> io::Result<bool> {
        let (above, name) = entry.place();
        let folder = self.folder(above)?;
        let (target, staged) = ((&folder, name), (&folder, entry.staged.as_str()));
        let holds = |state| {
            Ok::<_, io::Error>(
                FoundFile::in_folder(&folder, &entry.staged)? == FoundFile::File(state),
            )
        };
        match entry.operation() {
            Some(FileOperation::Create(_)) => rename_no_replace(staged, target),
            Some(FileOperation::Replace { before, .. }) => {
                if !exchange(staged, target)? {
                    return swap_in_steps(&folder, entry, before);
                }
                if !holds(before)? {
                    exchange(staged, target)?;
                    return Ok(false);
                }
                Ok(true)
            }
            Some(FileOperation::Delete(before)) => {
                if !rename_no_replace(target, staged)? {
                    return Ok(false);
                }
                if !holds(before)? {
                    rename_no_replace(staged, target)?;
                    return Ok(false);
                }
                Ok(true)
            }
            None => Ok(false),
        }
    }

    /// Takes the change of one file back: whatever came out when it was swapped is put back.
    fn swap_back(&self, entry: &JournalEntry) -> io::Result<()> {
        let (above, name) = entry.place();
        let Ok(Some(folder)) = none_if_missing(self.folder(above)) else { return Ok(()) };
        let (target, staged) = ((&folder, name), (&folder, entry.staged.as_str()));
        let there = FoundFile::in_folder(&folder, name)?;
        let aside = FoundFile::in_folder(&folder, &entry.staged)?;
        match entry.operation() {
            Some(FileOperation::Replace { after, .. }) => {
                let after = FoundFile::File(after);
                let is_swapped = there == after && aside != after && aside != FoundFile::Absent;
                if is_swapped && !exchange(staged, target)? {
                    folder.rename(&entry.staged, &folder, name)?;
                }
            }
            Some(FileOperation::Create(after))
                if there == FoundFile::File(after) && aside == FoundFile::Absent =>
            {
                rename_no_replace(target, staged)?;
            }
            Some(FileOperation::Delete(_)) if aside != FoundFile::Absent => {
                rename_no_replace(staged, target)?;
            }
            Some(FileOperation::Create(_) | FileOperation::Delete(_)) | None => {}
        }
        Ok(())
    }

    /// Removes the files and folders that were made, as far as they are not in their places. Once
    /// files were swapped, only a file that is certainly ours is removed.
    fn remove_staged(&self, journal: &ProjectJournal) {
        for entry in &journal.entries {
            let Ok(folder) = self.folder(entry.place().0) else { continue };
            let Some(FileOperation::Create(after) | FileOperation::Replace { after, .. }) =
                entry.operation()
            else {
                continue;
            };
            let is_new = || {
                let staged = FoundFile::in_folder(&folder, &entry.staged);
                staged.is_ok_and(|staged| staged == FoundFile::File(after))
            };
            if !journal.is_committed || is_new() {
                let _ = folder.remove_file(&entry.staged);
            }
        }
        for folder in journal.folders.iter().rev() {
            let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
            if let Ok(above) = self.folder(above) {
                // A folder that is not empty is somebody else's by now.
                let _ = above.remove_dir(name);
            }
        }
    }

    fn folder(&self, path: &str) -> io::Result<Dir> {
        OpenFolder::open(self.project, path).map(OpenFolder::into_dir)
    }

    /// Makes the names in all changed folders durable.
    fn sync(&self, journal: &ProjectJournal) -> io::Result<()> {
        let folders = journal.entries.iter().map(|entry| entry.place().0).collect::<BTreeSet<_>>();
        for folder in folders {
            match none_if_missing(OpenFolder::open(self.project, folder)) {
                Ok(Some(folder)) => folder.sync()?,
                Ok(None) => {}
                Err(error) if is_symlink_error(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

/// Replaces a file where the file system cannot swap two. The old one is kept under another name
/// first.
fn swap_in_steps(folder: &Dir, entry: &JournalEntry, before: FileState) -> io::Result<bool> {
    let (_, name) = entry.place();
    folder.hard_link(name, folder, &entry.kept)?;
    if FoundFile::in_folder(folder, &entry.kept)? != FoundFile::File(before) {
        folder.remove_file(&entry.kept)?;
        return Ok(false);
    }
    folder.rename(&entry.staged, folder, name)?;
    folder.rename(&entry.kept, folder, &entry.staged)?;
    Ok(true)
}

/// Returns the folders that must be made, the outer ones first.
fn missing_folders(project: &Folder, changes: &[ChangedFile]) -> io::Result<Vec<String>> {
    let mut missing = BTreeSet::new();
    for change in changes.iter().filter(|change| change.after.is_some()) {
        let mut path = change.path.clone();
        while let Some((above, _)) = path.split_last().filter(|(above, _)| !above.is_root()) {
            match OpenFolder::open(project.dir(), above.as_str()) {
                Ok(_) => break,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    missing.insert(above.as_str().to_owned());
                }
                Err(error) => return Err(error),
            }
            path = above;
        }
    }
    // A folder comes before those in it.
    Ok(missing.into_iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::NewContent;
    use std::fs;
    use std::path::Path;

    /// A project with files, and changes of each kind to it.
    fn project_with_changes(base: &Path) -> (Folder, Vec<ChangedFile>) {
        fs::create_dir(base.join("src")).expect("a folder");
        for (name, text) in [("a.txt", "a"), ("src/b.txt", "b"), ("gone.txt", "gone")] {
            fs::write(base.join(name), text).expect("a file");
        }
        let folder = Folder::open(base).expect("a folder");
        let state = |text: &str| {
            let content = NewContent { bytes: text.into(), is_executable: false };
            (content.state(), content)
        };
        let change = |path: &str, before: Option<&str>, after: Option<&str>| ChangedFile {
            path: path.parse().expect("a path"),
            before: before.map(|text| state(text).0),
            after: after.map(|text| state(text).1),
        };
        let changes = vec![
            change("a.txt", Some("a"), Some("A")),
            change("gone.txt", Some("gone"), None),
            change("new/deep/c.txt", None, Some("C")),
            change("src/b.txt", Some("b"), Some("B")),
        ];
        (folder, changes)
    }

    /// Every file of a folder with its text, in order.
    fn files_of(base: &Path) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for entry in fs::read_dir(base).expect("a folder").flatten() {
            let name = entry.file_name().into_string().expect("a name");
            if entry.path().is_dir() {
                let below = files_of(&entry.path()).into_iter();
                found.push((format!("{name}/"), String::new()));
                found.extend(below.map(|(path, text)| (format!("{name}/{path}"), text)));
            } else {
                found.push((name, fs::read_to_string(entry.path()).expect("text")));
            }
        }
        found.sort();
        found
    }

    fn after() -> Vec<(String, String)> {
        [
            ("a.txt", "A"),
            ("new/", ""),
            ("new/deep/", ""),
            ("new/deep/c.txt", "C"),
            ("src/", ""),
            ("src/b.txt", "B"),
        ]
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .to_vec()
    }

    #[test]
    fn all_changes_are_applied_with_their_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let base = tempfile::tempdir().expect("a folder");
        let (folder, mut changes) = project_with_changes(base.path());
        fs::set_permissions(base.path().join("a.txt"), fs::Permissions::from_mode(0o640))
            .expect("a mode");
        if let Some(content) = &mut changes[2].after {
            content.is_executable = true;
        }
        apply(&folder, &changes, &|_| Ok(())).expect("applied");
        assert_eq!(files_of(base.path()), after());
        let mode =
            |path: &str| base.path().join(path).metadata().expect("a file").permissions().mode();
        assert_eq!(mode("a.txt") & 0o777, 0o640);
        assert_eq!(mode("new/deep/c.txt") & 0o100, 0o100);
    }

    #[test]
    fn a_file_that_is_not_what_was_seen_stops_everything() {
        for (path, text) in [
            ("a.txt", Some("mine")),
            ("gone.txt", None),
            ("new", Some("a file")),
            ("src/b.txt", None),
        ] {
            let base = tempfile::tempdir().expect("a folder");
            let (folder, changes) = project_with_changes(base.path());
            match text {
                Some(text) => fs::write(base.path().join(path), text).expect("a file"),
                None => fs::remove_file(base.path().join(path)).expect("removed"),
            }
            let before = files_of(base.path());
            let refused = apply(&folder, &changes, &|_| Ok(()));
            assert!(matches!(refused, Err(ApplyError::Conflict(_))), "{path}");
            assert_eq!(files_of(base.path()), before, "{path}");
        }
    }

    #[test]
    fn a_link_in_the_place_of_a_folder_is_not_followed() {
        let base = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        let (folder, changes) = project_with_changes(base.path());
        fs::rename(base.path().join("src"), outside.path().join("src")).expect("moved");
        std::os::unix::fs::symlink(outside.path().join("src"), base.path().join("src"))
            .expect("a link");
        let refused = apply(&folder, &changes, &|_| Ok(()));
        assert!(matches!(refused, Err(ApplyError::Conflict(_))));
        assert_eq!(fs::read_to_string(outside.path().join("src/b.txt")).expect("text"), "b");
    }

    #[test]
    fn what_was_cut_short_is_finished_or_taken_back() {
        for swapped in 0..=4 {
            for is_committed in [false, true] {
                let base = tempfile::tempdir().expect("a folder");
                let (folder, changes) = project_with_changes(base.path());
                let before = files_of(base.path());
                let mut journal = ProjectJournal::plan(
                    &changes,
                    missing_folders(&folder, &changes).expect("folders"),
                );
                let change = ProjectChange { project: folder.dir() };
                change.stage(&journal, &changes).expect("staged");
                journal.is_committed = is_committed;
                for entry in journal.entries.iter().take(if is_committed { swapped } else { 0 }) {
                    assert!(change.swap(entry).expect("swapped"));
                }
                let journal = ProjectJournal::parse(&journal.to_text()).expect("a journal");
                assert_eq!(recover(&folder, &journal).expect("recovered"), is_committed);
                let expected = if is_committed { after() } else { before };
                assert_eq!(files_of(base.path()), expected, "{swapped} {is_committed}");
                // Doing it again changes nothing.
                assert_eq!(recover(&folder, &journal).expect("recovered"), is_committed);
                assert_eq!(files_of(base.path()), expected);
            }
        }
    }

    #[test]
    fn an_edit_after_a_cut_is_kept_and_the_rest_is_taken_back() {
        for swapped in 0..=4 {
            for edited in ["a.txt", "src/b.txt", "gone.txt"] {
                let base = tempfile::tempdir().expect("a folder");
                let (folder, changes) = project_with_changes(base.path());
                let mut expected = files_of(base.path());
                let mut journal = ProjectJournal::plan(
                    &changes,
                    missing_folders(&folder, &changes).expect("folders"),
                );
                let change = ProjectChange { project: folder.dir() };
                change.stage(&journal, &changes).expect("staged");
                journal.is_committed = true;
                for entry in journal.entries.iter().take(swapped) {
                    assert!(change.swap(entry).expect("swapped"));
                }
                fs::write(base.path().join(edited), "mine").expect("a file");
                assert!(!recover(&folder, &journal).expect("recovered"));
                for (path, text) in &mut expected {
                    if path == edited {
                        "mine".clone_into(text);
                    }
                }
                let mut found = files_of(base.path());
                // The old version of a file that was edited after it was replaced is kept beside it.
                found.retain(|(path, _)| !path.contains(".new-"));
                assert_eq!(found, expected, "{swapped} {edited}");
            }
        }
    }
}
