//! Names of one folder that look alike: they differ only in characters that nobody sees.
//!
//! Whoever reads such a name cannot tell which file it means, so none of them is shown. Names that
//! no address can have do not count, because nobody can say them.

use std::collections::{HashMap, HashSet};
use std::io;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Root, Segment, visible_form};

use super::World;
use super::sweep::SKIPPED;
use mere_host::{EntryKind, OpenFolder};

/// How many names with invisible characters are compared. If a folder has more, all of them count
/// as twins.
const MAX_COMPARED: usize = 10_000;

/// The visible forms that several names of a folder have.
#[derive(Debug, Default)]
pub(super) struct Twins(HashSet<String>);

impl Twins {
    /// Finds the twins in a folder.
    pub(super) fn find(folder: &Dir) -> io::Result<Self> {
        let mut finder = TwinFinder::default();
        OpenFolder::open(folder, "")?.for_each_entry(|name, _| {
            if let Some(name) = name {
                finder.note(name);
            }
            Ok(())
        })?;
        finder.finish(|| OpenFolder::open(folder, ""))
    }

    /// Checks whether another name of the folder looks like this one.
    pub(super) fn contains(&self, name: &str) -> bool {
        !self.0.is_empty() && self.0.contains(&*visible_form(name))
    }
}

/// Collects the names of a folder that have invisible characters, while the folder is read.
#[derive(Debug, Default)]
pub(super) struct TwinFinder {
    /// How often each visible form was found.
    forms: HashMap<String, u64>,
}

impl TwinFinder {
    /// Takes note of a name.
    pub(super) fn note(&mut self, name: &str) {
        if name.is_ascii() || self.forms.len() > MAX_COMPARED {
            return;
        }
        let form = visible_form(name);
        if form != name && Segment::check(name).is_ok() {
            *self.forms.entry(form.into_owned()).or_default() += 1;
        }
    }

    /// Finds the twins among the names. Only if some have invisible characters is the folder read
    /// once more, for those that have none.
    pub(super) fn finish(
        mut self,
        reopen: impl FnOnce() -> io::Result<OpenFolder>,
    ) -> io::Result<Twins> {
        if self.forms.is_empty() {
            return Ok(Twins::default());
        }
        let is_comparable = self.forms.len() <= MAX_COMPARED;
        reopen()?.for_each_entry(|name, _| {
            if let Some(count) = name.and_then(|name| self.forms.get_mut(name)) {
                *count += 1;
            }
            Ok(())
        })?;
        let twins = self.forms.into_iter().filter(|(_, count)| *count > 1 || !is_comparable);
        Ok(Twins(twins.map(|(form, _)| form).collect()))
    }
}

/// How many folders a person's check looks into.
const MAX_CHECKED_FOLDERS: usize = 50_000;
/// How many names of one folder a person's check names.
const MAX_NAMED: usize = 10;

/// Names of one folder that look alike.
pub(crate) struct TwinNames {
    /// The folder.
    pub(crate) folder: Address,
    pub(crate) names: Vec<String>,
}

impl World {
    /// Finds all names below a root that are withheld because they look alike, for a person.
    pub(crate) fn find_twins(
        &self,
        root: &Root,
        is_over: &dyn Fn() -> bool,
    ) -> io::Result<Vec<TwinNames>> {
        let folder = self.find_root(root).and_then(|mounted| mounted.folder.as_ref());
        let Some(folder) = folder else { return Ok(Vec::new()) };
        let limits = self.limits(root);
        let (mut found, mut waiting, mut seen) = (Vec::new(), vec![RelPath::default()], 0);
        while let Some(path) = waiting.pop().filter(|_| seen < MAX_CHECKED_FOLDERS && !is_over()) {
            seen += 1;
            let open = || OpenFolder::open(folder.dir(), path.as_str());
            // What cannot be opened any more, or not by this person, has no names to compare.
            let Ok(opened) = open() else { continue };
            if limits.hidden.contains(opened.identity()?) {
                continue;
            }
            let mut finder = TwinFinder::default();
            opened.for_each_entry(|name, kind| {
                let Some(name) = name else { return Ok(()) };
                finder.note(name);
                let is_searched = kind == EntryKind::Folder && !SKIPPED.contains(&name);
                let below = is_searched.then(|| path.child(name)).flatten();
                waiting.extend(
                    below.filter(|below| {
                        limits.visibility.path_visibility(below.as_str()).is_shown()
                    }),
                );
                Ok(())
            })?;
            let twins = finder.finish(open)?;
            if twins.0.is_empty() {
                continue;
            }
            let mut names = Vec::new();
            open()?.for_each_entry(|name, _| {
                names.extend(name.filter(|name| twins.contains(name)).map(str::to_owned));
                Ok(())
            })?;
            names.sort();
            names.truncate(MAX_NAMED);
            found.push(TwinNames { folder: Address::directory(root.clone(), path), names });
        }
        Ok(found)
    }
}
