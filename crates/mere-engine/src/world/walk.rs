//! One component at a time, by handle.
//!
//! Every step opens a single name in a directory that is already open, without following links;
//! a link's text is walked by the same steps, and its `..` walks down from the root again, never
//! above it. So a directory swapped for a link between two steps is refused, not followed, and
//! there is no path string whose meaning could change. Two handles are open at a time, however
//! deep the path is, and the steps that links can add are bounded.

use std::io;
use std::sync::Arc;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, Metadata};
use mere_core::address::RelPath;
use mere_core::segment::Segment;
use mere_core::sensitive::is_sensitive;

use super::{Hidden, ResolveError};
use crate::host::{Identity, Step, read_link};

/// How many links one walk may pass, as the kernel has it.
const MAX_LINKS: usize = 40;
/// How many steps links may add to one walk.
const MAX_LINK_STEPS: usize = 512;

/// Where a walk ended.
pub(super) enum Landing {
    Directory(Arc<Dir>),
    File,
}

/// Walks from `root` along `path`.
pub(super) fn walk(
    root: &Arc<Dir>,
    path: &RelPath,
    hidden: &Hidden,
) -> Result<Landing, ResolveError> {
    let steps = path.segments().iter().rev().cloned().map(Step::Into).collect();
    let here = Arc::clone(root);
    Walk { root, hidden, here, names: Vec::new(), steps, links: 0, budget: MAX_LINK_STEPS }.run()
}

struct Walk<'a> {
    root: &'a Arc<Dir>,
    hidden: &'a Hidden,
    here: Arc<Dir>,
    /// The names from the root to where the walk stands.
    names: Vec<Segment>,
    /// What is still to go, the next step last.
    steps: Vec<Step>,
    links: usize,
    budget: usize,
}

impl Walk<'_> {
    fn run(mut self) -> Result<Landing, ResolveError> {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Up => self.climb()?,
                Step::Into(name) => {
                    if self.enter(name)? == Entered::File {
                        let last = self.steps.is_empty();
                        return if last {
                            Ok(Landing::File)
                        } else {
                            Err(ResolveError::NotVisible)
                        };
                    }
                }
            }
        }
        Ok(Landing::Directory(self.here))
    }

    /// Goes to the parent: from the root down again, for nothing but a root has a sure parent.
    fn climb(&mut self) -> Result<(), ResolveError> {
        self.names.pop().ok_or(ResolveError::NotVisible)?;
        self.spend(self.names.len())?;
        self.here = Arc::clone(self.root);
        for name in &self.names {
            self.here = Arc::new(open_directory(&self.here, name, self.hidden)?);
        }
        Ok(())
    }

    fn enter(&mut self, name: Segment) -> Result<Entered, ResolveError> {
        let metadata = look_at(&self.here, &name)?;
        if metadata.is_symlink() {
            return self.follow(&name);
        }
        if metadata.is_file() {
            return Ok(Entered::File);
        }
        if !metadata.is_dir() {
            return Err(ResolveError::NotVisible);
        }
        self.here = Arc::new(open_directory(&self.here, &name, self.hidden)?);
        self.names.push(name);
        Ok(Entered::Moved)
    }

    fn follow(&mut self, name: &Segment) -> Result<Entered, ResolveError> {
        let target = read_link(&self.here, name).map_err(judge)?.ok_or(ResolveError::NotVisible)?;
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(ResolveError::NotVisible);
        }
        self.spend(target.len())?;
        self.steps.extend(target.into_iter().rev());
        Ok(Entered::Moved)
    }

    fn spend(&mut self, steps: usize) -> Result<(), ResolveError> {
        self.budget = self.budget.checked_sub(steps).ok_or(ResolveError::NotVisible)?;
        Ok(())
    }
}

#[derive(PartialEq, Eq)]
enum Entered {
    /// Into a directory, or onto the steps of a link.
    Moved,
    /// At a regular file: the end, or nowhere.
    File,
}

/// What a name in a directory is, if a file of that name may be seen at all.
fn look_at(parent: &Dir, name: &Segment) -> Result<Metadata, ResolveError> {
    if is_sensitive(name) {
        return Err(ResolveError::NotVisible);
    }
    parent.symlink_metadata(name.as_str()).map_err(judge)
}

/// Opens one child directory, never through a link, and never one that may not be seen.
pub(super) fn open_directory(
    parent: &Dir,
    name: &Segment,
    hidden: &Hidden,
) -> Result<Dir, ResolveError> {
    if is_sensitive(name) {
        return Err(ResolveError::NotVisible);
    }
    let dir = parent.open_dir_nofollow(name.as_str()).map_err(judge)?;
    let metadata = dir.dir_metadata().map_err(judge)?;
    if hidden.contains(Identity::of(&metadata)) {
        return Err(ResolveError::NotVisible);
    }
    Ok(dir)
}

/// Which failures mean "not there" and which mean "broken". Only names inside a root are ever
/// opened, so what fails here says nothing about the world outside.
fn judge(error: io::Error) -> ResolveError {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::OutOfMemory | io::ErrorKind::Other => {
            ResolveError::Broken(error)
        }
        _ if is_exhausted(&error) => ResolveError::Broken(error),
        _ => ResolveError::NotVisible,
    }
}

/// No file handles left, or a device that does not answer.
fn is_exhausted(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    cfg!(unix) && matches!(error.raw_os_error(), Some(EIO | ENFILE | EMFILE))
}
