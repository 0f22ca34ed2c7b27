//! One component at a time, by handle.
//!
//! Every step opens a single name in a directory that is already open, without following links;
//! a link's text is walked by the same steps, its `..` going up our own stack and never above the
//! root. So a directory swapped for a link between two steps is refused, not followed, and there
//! is no path string whose meaning could change.

use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use mere_core::address::RelPath;
use mere_core::segment::Segment;
use mere_core::sensitive::is_sensitive;

use super::{Hidden, ResolveError};
use crate::host::{Identity, Step, read_link};

/// How many links one walk may pass, as the kernel has it.
const MAX_LINKS: usize = 40;

/// Where a walk ended.
pub(super) enum Landing {
    Directory(Dir),
    File,
}

/// Walks from `root` along `path`.
pub(super) fn walk(root: &Dir, path: &RelPath, hidden: &Hidden) -> Result<Landing, ResolveError> {
    let steps = path.segments().iter().rev().cloned().map(Step::Into).collect();
    Walk { root, hidden, above: Vec::new(), steps, links: 0 }.run()
}

struct Walk<'a> {
    root: &'a Dir,
    hidden: &'a Hidden,
    /// The directories between the root and where the walk stands, that one last.
    above: Vec<Dir>,
    /// What is still to go, the next step last.
    steps: Vec<Step>,
    links: usize,
}

impl Walk<'_> {
    fn run(mut self) -> Result<Landing, ResolveError> {
        while let Some(step) = self.steps.pop() {
            match step {
                Step::Up => {
                    self.above.pop().ok_or(ResolveError::NotVisible)?;
                }
                Step::Into(name) => {
                    if self.enter(&name)? == Entered::File {
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
        match self.above.pop() {
            Some(dir) => Ok(Landing::Directory(dir)),
            None => self.root.try_clone().map(Landing::Directory).map_err(ResolveError::Broken),
        }
    }

    fn enter(&mut self, name: &Segment) -> Result<Entered, ResolveError> {
        if is_sensitive(name) {
            return Err(ResolveError::NotVisible);
        }
        let here = self.above.last().unwrap_or(self.root);
        let metadata = here.symlink_metadata(name.as_str()).map_err(judge)?;
        if metadata.is_symlink() {
            let target = read_link(here, name).map_err(judge)?.ok_or(ResolveError::NotVisible)?;
            self.links += 1;
            if self.links > MAX_LINKS {
                return Err(ResolveError::NotVisible);
            }
            self.steps.extend(target.into_iter().rev());
            return Ok(Entered::Moved);
        }
        if metadata.is_file() {
            return Ok(Entered::File);
        }
        if !metadata.is_dir() {
            return Err(ResolveError::NotVisible);
        }
        let dir = open_directory(here, name, self.hidden)?;
        self.above.push(dir);
        Ok(Entered::Moved)
    }
}

#[derive(PartialEq, Eq)]
enum Entered {
    /// Into a directory, or onto the steps of a link.
    Moved,
    /// At a regular file: the end, or nowhere.
    File,
}

/// Opens one child directory, never through a link, and never a hidden one.
pub(super) fn open_directory(
    parent: &Dir,
    name: &Segment,
    hidden: &Hidden,
) -> Result<Dir, ResolveError> {
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
    use io::ErrorKind;
    match error.kind() {
        ErrorKind::PermissionDenied | ErrorKind::OutOfMemory | ErrorKind::Other => {
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
