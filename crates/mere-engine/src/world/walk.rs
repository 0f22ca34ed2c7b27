//! Walks a path one component at a time, by handle.
//!
//! Every step opens a single name in a directory that is already open, without following links; a
//! link's text is walked by the same steps, and its `..` walks down from the root again, never
//! above it. So a directory swapped for a link between two steps is refused, not followed, and
//! there is no path string whose meaning could change. Three handles are open at a time, however
//! deep the path is, and the steps that links can add are bounded.

use std::io;
use std::sync::Arc;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use mere_core::address::{RelPath, Segment};

use super::sensitivity::{Visibility, VisibilityRules};
use super::twin_memory::TwinMemory;
use super::{HiddenFolders, ResolveError};
use mere_host::{Folder, FolderIdentity, LinkTarget, PathStep, read_link};

/// How many links one walk may follow, the same as in the kernel.
const MAX_LINKS: usize = 40;
/// How many steps links may add to one walk.
const MAX_LINK_STEPS: usize = 512;

/// Where a walk ended.
pub(super) enum Landing {
    Directory(Arc<Dir>),
    /// A regular file, by its directory and its own name there; `path` is where it really lies.
    File {
        parent: Arc<Dir>,
        name: Segment,
        path: RelPath,
    },
}

/// What may be seen on the way.
#[derive(Clone, Copy)]
pub(super) struct Limits<'a> {
    pub(super) hidden: &'a HiddenFolders,
    pub(super) visibility: VisibilityRules<'a>,
    pub(super) twins: &'a TwinMemory,
    /// The folder of the root, if a link's absolute target may be compared with it.
    pub(super) link_base: Option<&'a Folder>,
}

/// Why a walk did not arrive.
pub(super) enum WalkError {
    /// What it leads to is missing or hidden.
    NotVisible,
    /// A link leads out of the root.
    LeavesRoot,
    /// A link has an absolute target inside the root.
    AbsoluteLink,
    /// The operating system failed.
    Io(io::Error),
}

impl From<WalkError> for ResolveError {
    /// There is one answer for all that is not visible.
    fn from(error: WalkError) -> Self {
        match error {
            WalkError::Io(error) => Self::Io(error),
            WalkError::NotVisible | WalkError::LeavesRoot | WalkError::AbsoluteLink => {
                Self::NotVisible
            }
        }
    }
}

/// Walks from `root` along `path`.
pub(super) fn walk(
    root: &Arc<Dir>,
    path: &RelPath,
    limits: Limits<'_>,
) -> Result<Landing, WalkError> {
    let steps = path.segments().rev().map(PathStep::Into).collect();
    let here = Arc::clone(root);
    let names = RelPath::default();
    Walk { root, limits, here, names, steps, links: 0, budget: MAX_LINK_STEPS }.run()
}

struct Walk<'a> {
    root: &'a Arc<Dir>,
    limits: Limits<'a>,
    here: Arc<Dir>,
    /// The names from the root to the current directory.
    names: RelPath,
    /// The remaining steps, the next one last.
    steps: Vec<PathStep>,
    links: usize,
    budget: usize,
}

impl Walk<'_> {
    fn run(mut self) -> Result<Landing, WalkError> {
        while let Some(step) = self.steps.pop() {
            match step {
                PathStep::Up => self.climb()?,
                PathStep::Into(name) => {
                    if self.enter(&name)? == Entered::File {
                        return self.land(name);
                    }
                }
            }
        }
        let shown = self.limits.visibility.path_visibility(self.names.as_str()).is_shown();
        if shown { Ok(Landing::Directory(self.here)) } else { Err(WalkError::NotVisible) }
    }

    /// Ends the walk at a file. If steps are left, the path does not exist.
    fn land(self, name: Segment) -> Result<Landing, WalkError> {
        let path = self.names.join(&name);
        let shown = self.limits.visibility.path_visibility(path.as_str()).is_shown();
        if shown && self.steps.is_empty() {
            Ok(Landing::File { parent: self.here, name, path })
        } else {
            Err(WalkError::NotVisible)
        }
    }

    /// Goes to the parent by walking down from the root again, because no other directory has a
    /// reliable parent.
    fn climb(&mut self) -> Result<(), WalkError> {
        (self.names, _) = self.names.split_last().ok_or(WalkError::LeavesRoot)?;
        self.spend(self.names.names().count())?;
        self.here = Arc::clone(self.root);
        for name in self.names.segments() {
            self.here = Arc::new(opened(&self.here, &name, self.limits.hidden)?);
        }
        Ok(())
    }

    fn enter(&mut self, name: &Segment) -> Result<Entered, WalkError> {
        let path = self.names.join(name);
        // This is checked before the disk is touched: not even a failure may reveal that something
        // exists.
        if self.limits.visibility.path_visibility(path.as_str()) == Visibility::Hidden {
            return Err(WalkError::NotVisible);
        }
        if self.limits.twins.twins_in(&self.here).map_err(judge)?.contains(name.as_str()) {
            return Err(WalkError::NotVisible);
        }
        let metadata = self.here.symlink_metadata(name.as_str()).map_err(judge)?;
        if metadata.is_symlink() {
            return self.follow(name);
        }
        if metadata.is_file() {
            return Ok(Entered::File);
        }
        if !metadata.is_dir() {
            return Err(WalkError::NotVisible);
        }
        self.here = Arc::new(opened(&self.here, name, self.limits.hidden)?);
        self.names = path;
        Ok(Entered::Moved)
    }

    fn follow(&mut self, name: &Segment) -> Result<Entered, WalkError> {
        let target = match read_link(&self.here, name).map_err(judge)? {
            LinkTarget::Steps(target) => target,
            LinkTarget::Unaddressable => return Err(WalkError::NotVisible),
            LinkTarget::Absolute(target) => {
                let is_inside = self.limits.link_base.is_some_and(|base| target.lies_in(base));
                return Err(if is_inside {
                    WalkError::AbsoluteLink
                } else {
                    WalkError::LeavesRoot
                });
            }
        };
        self.links += 1;
        if self.links > MAX_LINKS {
            return Err(WalkError::NotVisible);
        }
        self.spend(target.len())?;
        self.steps.extend(target.into_iter().rev());
        Ok(Entered::Moved)
    }

    fn spend(&mut self, steps: usize) -> Result<(), WalkError> {
        self.budget = self.budget.checked_sub(steps).ok_or(WalkError::NotVisible)?;
        Ok(())
    }
}

#[derive(PartialEq, Eq)]
enum Entered {
    /// The walk moved into a directory, or took over the steps of a link.
    Moved,
    /// The walk reached a regular file: either its end, or a path that does not exist.
    File,
}

/// Opens one child directory, never through a link, and never a hidden one.
fn opened(parent: &Dir, name: &Segment, hidden: &HiddenFolders) -> Result<Dir, WalkError> {
    let dir = parent.open_dir_nofollow(name.as_str()).map_err(judge)?;
    let metadata = dir.dir_metadata().map_err(judge)?;
    if hidden.contains(FolderIdentity::from_metadata(&metadata)) {
        return Err(WalkError::NotVisible);
    }
    Ok(dir)
}

/// Decides which failures mean "not there" and which mean "broken". Only names inside a root are
/// ever opened, so a failure here reveals nothing about the world outside.
pub(super) fn judge(error: io::Error) -> WalkError {
    match error.kind() {
        _ if is_denied(&error) => WalkError::Io(error),
        io::ErrorKind::OutOfMemory | io::ErrorKind::Other => WalkError::Io(error),
        _ if is_exhausted(&error) => WalkError::Io(error),
        _ => WalkError::NotVisible,
    }
}

/// Checks whether the machine refused because of permissions. A refusal without an error number
/// comes from the library: something led outside while we looked, and that counts as not there.
pub(super) fn is_denied(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::PermissionDenied && error.raw_os_error().is_some()
}

/// Checks whether there are no file handles left, or a device does not answer.
fn is_exhausted(error: &io::Error) -> bool {
    const EIO: i32 = 5;
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    cfg!(unix) && matches!(error.raw_os_error(), Some(EIO | ENFILE | EMFILE))
}
