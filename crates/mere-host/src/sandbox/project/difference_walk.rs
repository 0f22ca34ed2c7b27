//! Reads what a tool changed in its view of the project, once everything in its cell has ended.
//!
//! The tool made what is read here, so nothing of it is trusted: it is walked by handles, no link is
//! followed, and the number of entries, files and bytes is bounded.

use std::collections::HashSet;
use std::io::{self, Read};

use cap_std::fs::{Dir, File, MetadataExt};
use mere_core::address::{EntryForm, RelPath, visible_form};
use rustix::fs::{AtFlags, FileType, fgetxattr, readlinkat, statat};

use super::ProjectView;
use super::difference::{
    ChangedFile, DifferenceBound, LeftOut, MAX_CHANGED_BYTES, MAX_CHANGED_FILES, NewContent,
    ProjectDifference,
};
use super::seen_files::{OWNER_EXECUTES, SeenFile, SeenFiles};
use super::view_scratch::{COPY, UPPER};
use crate::sandbox::protocol::ProjectLayer;
use crate::{FileStamp, OpenFolder, none_if_missing, open_regular_file};

/// The largest number of entries that are examined.
const MAX_ENTRIES: usize = 400_000;
/// The attribute by which an overlay marks a folder that shows nothing of the one below it.
const OPAQUE_ATTRIBUTE: &str = "user.overlay.opaque";

/// Reads what the tool changed.
pub(in crate::sandbox) fn read_difference(
    view: &ProjectView<'_>,
    seen: &SeenFiles,
    layer: ProjectLayer,
) -> io::Result<ProjectDifference> {
    let part = match layer {
        ProjectLayer::Overlay => UPPER,
        ProjectLayer::Copy => COPY,
    };
    let mut walk = LayerWalk {
        view,
        seen,
        layer,
        root: view.scratch.part(part)?,
        entries: 0,
        bytes: 0,
        present: HashSet::new(),
        unjudged: Vec::new(),
        opaque: Vec::new(),
        found: ProjectDifference::default(),
    };
    walk.run();
    walk.find_deleted();
    let mut found = walk.found;
    if found.exceeded.is_some() {
        found.files.clear();
    }
    found.files.sort_by(|one, other| one.path.as_str().cmp(other.path.as_str()));
    found.left_out.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(found)
}

struct LayerWalk<'a> {
    view: &'a ProjectView<'a>,
    seen: &'a SeenFiles,
    layer: ProjectLayer,
    root: Dir,
    entries: usize,
    /// The bytes of all new contents.
    bytes: u64,
    /// The paths of everything that the layer has.
    present: HashSet<String>,
    /// The paths below which nothing is said to be deleted: they could not be read, or a file is in
    /// the place of a folder.
    unjudged: Vec<String>,
    /// The folders that show nothing of the project's.
    opaque: Vec<String>,
    found: ProjectDifference,
}

/// What an entry of the layer is.
enum LayerEntry {
    Folder,
    File,
    Link,
    /// The mark of an overlay that something was deleted.
    Whiteout,
    Special,
}

impl LayerWalk<'_> {
    fn run(&mut self) {
        let mut waiting = vec![String::new()];
        while let Some(path) = waiting.pop() {
            let mut names = Vec::new();
            let opened = OpenFolder::open(&self.root, &path);
            let listed = opened.and_then(|folder| {
                folder.for_each_name(|name, _| {
                    names.push(name.to_vec());
                    let is_over = names.len() > MAX_ENTRIES;
                    if is_over { Err(io::ErrorKind::OutOfMemory.into()) } else { Ok(()) }
                })?;
                Ok(folder.into_dir())
            });
            self.entries += names.len();
            if self.entries > MAX_ENTRIES {
                return self.found.exceeded = Some(DifferenceBound::Files);
            }
            let Ok(folder) = listed else {
                self.leave_out(&path, LeftOut::Unreadable);
                self.unjudged.push(path);
                continue;
            };
            if self.layer == ProjectLayer::Overlay && is_opaque(&folder) {
                self.opaque.push(path.clone());
            }
            for name in names {
                waiting.extend(self.visit(&folder, &path, &name));
            }
        }
    }

    /// Examines one entry. Returns its path if it is a folder to enter.
    fn visit(&mut self, folder: &Dir, above: &str, name: &[u8]) -> Option<String> {
        let slash = if above.is_empty() { "" } else { "/" };
        let path = format!("{above}{slash}{}", String::from_utf8_lossy(name));
        let named = std::str::from_utf8(name).ok();
        let relative = named.and_then(|_| path.parse::<RelPath>().ok());
        let Some((name, relative)) = named.zip(relative) else {
            self.leave_out(&path, LeftOut::Name);
            return None;
        };
        self.present.insert(path.clone());
        let Some(kind) = self.entry_kind(folder, name) else {
            self.leave_out(&path, LeftOut::Unreadable);
            self.unjudged.push(path);
            return None;
        };
        let survey = self.view.survey;
        match kind {
            LayerEntry::Whiteout => self.delete(&path),
            LayerEntry::Folder => {
                let judged = (self.view.judge)(&relative, EntryForm::Folder);
                let reason = judged.or_else(|| self.seen.get(&path).map(|_| LeftOut::Exchanged));
                let reason = reason.or_else(|| survey.hides(&path).then_some(LeftOut::Hidden));
                match reason {
                    Some(reason) => self.leave_out(&path, reason),
                    None => return Some(path),
                }
            }
            LayerEntry::File => self.examine_file(folder, name, relative),
            LayerEntry::Link if self.is_same_link(folder, name, &path) => {}
            LayerEntry::Link => self.leave_out(&path, LeftOut::Link),
            LayerEntry::Special => self.leave_out(&path, LeftOut::Special),
        }
        None
    }

    fn entry_kind(&self, folder: &Dir, name: &str) -> Option<LayerEntry> {
        let stat = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        let is_overlay = self.layer == ProjectLayer::Overlay;
        Some(match FileType::from_raw_mode(stat.st_mode) {
            FileType::Directory => LayerEntry::Folder,
            FileType::RegularFile => LayerEntry::File,
            FileType::Symlink => LayerEntry::Link,
            FileType::CharacterDevice if is_overlay && stat.st_rdev == 0 => LayerEntry::Whiteout,
            _ => LayerEntry::Special,
        })
    }

    fn examine_file(&mut self, folder: &Dir, name: &str, path: RelPath) {
        let seen = self.seen.get(path.as_str());
        let opened = open_regular_file(folder, name).ok().flatten();
        let Some(file) = opened else {
            return self.leave_out(path.as_str(), LeftOut::Unreadable);
        };
        let stamp = file.metadata().map(|metadata| FileStamp::from_metadata(&metadata)).ok();
        if seen.is_some_and(|seen| seen.copy.is_some() && seen.copy == stamp) {
            return;
        }
        if let Some(reason) = self.reason_to_leave_out(&path, seen) {
            self.unjudged.push(path.as_str().to_owned());
            return self.leave_out(path.as_str(), reason);
        }
        let before = match seen.map(|seen| seen.read_state(self.view.folder, path.as_str())) {
            None => None,
            Some(Ok(Some(before))) => Some(before),
            Some(Ok(None) | Err(_)) => {
                return self.leave_out(path.as_str(), LeftOut::ChangedMeanwhile);
            }
        };
        match self.read_content(file) {
            Err(_) => self.leave_out(path.as_str(), LeftOut::Unreadable),
            Ok(None) => self.found.exceeded = Some(DifferenceBound::Bytes),
            Ok(Some(after)) if before == Some(after.state()) => {}
            Ok(Some(after)) => {
                self.bytes += after.bytes.len() as u64;
                self.add(ChangedFile { path, before, after: Some(after) });
            }
        }
    }

    /// Returns why a file that the tool wrote is not proposed.
    fn reason_to_leave_out(&self, path: &RelPath, seen: Option<&SeenFile>) -> Option<LeftOut> {
        let (survey, text) = (self.view.survey, path.as_str());
        if let Some(reason) = (self.view.judge)(path, EntryForm::Leaf) {
            return Some(reason);
        }
        if survey.hides(text) {
            return Some(LeftOut::Hidden);
        }
        if seen.is_some() {
            return None;
        }
        // The file is new.
        if survey.has_folder(text) {
            Some(LeftOut::Exchanged)
        } else if survey.has_link(text) {
            Some(LeftOut::Link)
        } else if visible_form(text) != text {
            Some(LeftOut::Name)
        } else {
            let there = none_if_missing(self.view.folder.dir().symlink_metadata(text));
            (!matches!(there, Ok(None))).then_some(LeftOut::ChangedMeanwhile)
        }
    }

    /// Reads a file. Returns `None` if all contents together would have too many bytes.
    fn read_content(&self, file: File) -> io::Result<Option<NewContent>> {
        let room = MAX_CHANGED_BYTES - self.bytes;
        let is_executable = file.metadata()?.mode() & OWNER_EXECUTES != 0;
        let mut bytes = Vec::new();
        file.take(room + 1).read_to_end(&mut bytes)?;
        let fits = bytes.len() as u64 <= room;
        Ok(fits.then_some(NewContent { bytes, is_executable }))
    }

    /// Checks whether a link is the project's own, which was copied.
    fn is_same_link(&self, folder: &Dir, name: &str, path: &str) -> bool {
        let (above, _) = path.rsplit_once('/').unwrap_or(("", path));
        let Ok(project) = OpenFolder::open(self.view.folder.dir(), above) else { return false };
        let own = readlinkat(project.into_dir(), name, Vec::new());
        self.view.survey.has_link(path)
            && own.is_ok_and(|own| readlinkat(folder, name, Vec::new()).is_ok_and(|new| new == own))
    }

    /// Finds what was deleted without a mark of its own.
    fn find_deleted(&mut self) {
        let (seen, survey) = (self.seen, self.view.survey);
        let is_kept = |walk: &Self, path: &str| {
            walk.present.contains(path) || walk.unjudged.iter().any(|above| lies_in(path, above))
        };
        match self.layer {
            ProjectLayer::Overlay => {
                for folder in std::mem::take(&mut self.opaque) {
                    for path in seen
                        .below(&folder)
                        .filter(|path| !is_kept(self, path))
                        .map(str::to_owned)
                        .collect::<Vec<_>>()
                    {
                        self.delete_file(&path);
                    }
                }
            }
            ProjectLayer::Copy => {
                for path in seen.paths() {
                    if !is_kept(self, path) {
                        self.delete_file(path);
                    }
                }
                for path in survey.links() {
                    if !is_kept(self, path) {
                        self.leave_out(path, LeftOut::Link);
                    }
                }
            }
        }
    }

    /// Takes note that the tool deleted a file, or a folder with everything that it saw there.
    fn delete(&mut self, path: &str) {
        if self.seen.get(path).is_some() {
            self.delete_file(path);
        } else if self.view.survey.has_link(path) {
            self.leave_out(path, LeftOut::Link);
        } else {
            let seen = self.seen;
            for below in seen.below(path) {
                self.delete_file(below);
            }
        }
    }

    fn delete_file(&mut self, path: &str) {
        let Some(seen) = self.seen.get(path) else { return };
        let Ok(relative) = path.parse::<RelPath>() else {
            return self.leave_out(path, LeftOut::Name);
        };
        if let Some(reason) = (self.view.judge)(&relative, EntryForm::Leaf) {
            return self.leave_out(path, reason);
        }
        match seen.read_state(self.view.folder, path) {
            Ok(Some(before)) => {
                self.add(ChangedFile { path: relative, before: Some(before), after: None });
            }
            Ok(None) | Err(_) => self.leave_out(path, LeftOut::ChangedMeanwhile),
        }
    }

    fn add(&mut self, file: ChangedFile) {
        if self.found.files.len() < MAX_CHANGED_FILES {
            self.found.files.push(file);
        } else {
            self.found.exceeded = Some(DifferenceBound::Files);
        }
    }

    fn leave_out(&mut self, path: &str, reason: LeftOut) {
        self.found.leave_out(path, reason);
    }
}

/// Checks whether a path is a folder or lies in it.
fn lies_in(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// Checks whether an overlay shows nothing of the project in this folder.
fn is_opaque(folder: &Dir) -> bool {
    let mut value = [0; 2];
    matches!(fgetxattr(folder, OPAQUE_ATTRIBUTE, &mut value), Ok(1)) && value[0] == b'y'
}
