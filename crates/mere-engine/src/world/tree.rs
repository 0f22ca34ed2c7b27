//! The directories below a directory, flat, in walking order, a page at a time.
//!
//! Depth first, siblings by the bytes of their names. At most one handle per level is open while
//! the level below is read, and at most one page of names per level is kept, however large the
//! tree is; a tree has at most 16 levels.

use std::io;
use std::ops::Bound;

use cap_std::fs::Dir;
use mere_core::address::RelPath;
use mere_core::segment::Segment;
use mere_core::turn::Turn;

use super::list::{LookError, children, go_on};
use super::walk::open_directory;
use super::{ResolveError, VisibilityRef, World};

/// Folders no walk enters: their content is nobody's reading.
const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// One page of directories, each relative to the target.
#[derive(Debug, Default)]
pub(crate) struct Branches {
    pub(crate) directories: Vec<RelPath>,
    /// Directories whose names cannot be said, in the folders this page read.
    pub(crate) unaddressable: u64,
    /// Whether there is more after the last one.
    pub(crate) more: bool,
}

/// How a tree is walked.
pub(crate) struct Bounds<'a> {
    pub(crate) depth: usize,
    pub(crate) size: usize,
    /// The last directory of the page before.
    pub(crate) after: Option<&'a RelPath>,
}

impl World {
    /// The page of directories below `target` within `bounds`.
    pub(crate) fn tree(
        &self,
        target: &VisibilityRef,
        bounds: &Bounds<'_>,
        turn: &dyn Turn,
    ) -> Result<Branches, LookError> {
        let Some(opened) = target.opened() else {
            return Ok(Branches::default());
        };
        let mut climb = Climb { world: self, bounds, turn, page: Branches::default() };
        let after = bounds.after.map_or(&[][..], RelPath::segments);
        climb.below(opened.dir, &RelPath::default(), after)?;
        Ok(climb.page)
    }
}

struct Climb<'a> {
    world: &'a World,
    bounds: &'a Bounds<'a>,
    turn: &'a dyn Turn,
    page: Branches,
}

impl Climb<'_> {
    /// Visits the directories below `dir`. `after` is what is left of the last page's end; its
    /// first segment was visited then, and only what lies behind it is new.
    fn below(&mut self, dir: &Dir, path: &RelPath, after: &[Segment]) -> Result<(), LookError> {
        let mut from = after.first().cloned().map_or(Bound::Unbounded, Bound::Included);
        let mut first = true;
        loop {
            let batch = match children(dir, from.as_ref(), self.bounds.size + 1, self.turn) {
                Ok(batch) => batch,
                // A folder below that may not be read is listed, but nothing of it is known.
                Err(LookError::Unreadable(error)) if is_denied(&error) && !path.is_root() => {
                    return Ok(());
                }
                // Out of time with something on the page: the rest is the next page.
                Err(LookError::Late) if !self.page.directories.is_empty() => {
                    self.page.more = true;
                    return Ok(());
                }
                Err(error) => return Err(error),
            };
            if std::mem::take(&mut first) {
                self.page.unaddressable += batch.unaddressable;
            }
            for name in &batch.names {
                self.visit(dir, &path.join(name.clone()), after)?;
                if self.page.more {
                    return Ok(());
                }
            }
            match batch.names.into_iter().nth(self.bounds.size) {
                Some(last) => from = Bound::Excluded(last),
                None => return Ok(()),
            }
        }
    }

    /// Puts one child directory on the page and goes into it.
    fn visit(&mut self, dir: &Dir, path: &RelPath, after: &[Segment]) -> Result<(), LookError> {
        let Some(name) = path.segments().last() else {
            return Ok(());
        };
        if SKIPPED.contains(&name.as_str()) {
            return Ok(());
        }
        let child = match open_directory(dir, name, self.world.hidden()) {
            Ok(child) => Some(child),
            Err(ResolveError::Broken(error)) if is_denied(&error) => None,
            Err(ResolveError::Broken(error)) => return Err(LookError::Unreadable(error)),
            Err(ResolveError::NotVisible) => return Ok(()),
        };
        let resumed = after.first() == Some(name);
        if !resumed && !self.take(path) {
            return Ok(());
        }
        match child {
            Some(child) if path.segments().len() < self.bounds.depth => {
                let rest = if resumed { &after[1..] } else { &[] };
                self.below(&child, path, rest)
            }
            _ => Ok(()),
        }
    }

    /// Puts a directory on the page, or says that the page is over: full, or out of time.
    fn take(&mut self, path: &RelPath) -> bool {
        let full = self.page.directories.len() >= self.bounds.size;
        let late = matches!(go_on(self.turn), Err(LookError::Late));
        if full || (late && !self.page.directories.is_empty()) {
            self.page.more = true;
            return false;
        }
        self.page.directories.push(path.clone());
        true
    }
}

fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied
}
