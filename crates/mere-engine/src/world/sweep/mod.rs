//! A walk through everything below a directory, in parallel and in order.
//!
//! Workers always take the smallest task that is left, a folder or some of its files, so what is
//! found is found nearly in order; as soon as a page is full, whatever is larger is dropped. A page
//! that begins somewhere passes over what lies before. So memory depends on the page, a page costs
//! what it holds, and no state is kept between pages. Every folder is opened from the target's
//! handle without following links, and closed when it was read: each worker holds one or two
//! handles.

mod crew;
mod folder;
mod names;
mod page;
mod task;

use cap_std::fs::{Dir, File};
use mere_core::address::RelPath;
use mere_core::turn::Turn;

use super::ignored::{IgnoreBase, IgnoreStack};
use super::list::TraversalError;
use super::walk::Limits;

pub(crate) use page::{Position, SweepPage};

/// What a sweep gathers.
pub(crate) trait Collector: Sync {
    /// What is gathered for a path.
    type Output: Send;
    /// What one worker needs at hand.
    type Scratch;

    /// Makes a worker's tool.
    fn make_scratch(&self) -> Self::Scratch;

    /// What a folder gives.
    fn collect_folder(&self, path: &str) -> Option<Self::Output>;

    /// Whether a file of this name could give anything.
    fn may_want_name(&self, name: &str) -> bool;

    /// What a file gives by its name alone, or that it must be opened for that.
    fn match_file(&self, path: &str) -> FileInterest<Self::Output>;

    /// What an open file gives.
    fn collect_file(&self, tool: &mut Self::Scratch, file: OpenedFile<'_>) -> Option<Self::Output>;

    /// How much of a page it takes.
    fn weight(&self, key: &str, fruit: &Self::Output) -> Weight;
}

/// What is wanted of a file.
pub(crate) enum FileInterest<F> {
    Nothing,
    Name(F),
    Content,
}

/// A file that was opened for its content.
pub(crate) struct OpenedFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) file: File,
    /// Whether the call is over.
    pub(crate) is_over: &'a dyn Fn() -> bool,
}

/// How much of a page something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) count: usize,
    pub(crate) bytes: usize,
}

impl Weight {
    /// The most bytes a page holds.
    pub(crate) const MAX_BYTES: usize = 1024 * 1024;

    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
    }

    /// Whether this is more than a page of `size` holds.
    pub(crate) fn overflows(self, size: usize) -> bool {
        self.count > size || self.bytes > Self::MAX_BYTES
    }
}

/// Where and how far a sweep goes.
pub(super) struct SweepPlan<'a> {
    /// The directory below which everything lies.
    pub(super) target: &'a Dir,
    pub(super) path: &'a RelPath,
    pub(super) limits: Limits<'a>,
    /// `None` where ignore files do not count.
    pub(super) ignore_base: Option<IgnoreBase<'a>>,
    pub(super) order: PathOrder,
    /// How many folders deep.
    pub(super) depth: usize,
    /// How much a page holds.
    pub(super) size: usize,
    pub(super) start: Option<&'a Position>,
}

/// In which order paths come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathOrder {
    /// By the bytes of the whole path.
    Bytes,
    /// Folder by folder, siblings by the bytes of their names.
    FolderByFolder,
}

impl PathOrder {
    /// What stands between two names of a key: the keys' bytes then sort as the order says.
    fn separator(self) -> char {
        match self {
            Self::Bytes => '/',
            Self::FolderByFolder => '\0',
        }
    }

    /// The key of a path.
    fn key(self, path: &str) -> String {
        match self {
            Self::Bytes => path.to_owned(),
            Self::FolderByFolder => path.replace('/', "\0"),
        }
    }
}

/// Gathers one page.
pub(super) fn sweep<H: Collector>(
    plan: &SweepPlan<'_>,
    harvest: &H,
    turn: &dyn Turn,
) -> Result<SweepPage<H::Output>, TraversalError> {
    let rules = plan.ignore_base.as_ref().map(IgnoreStack::above);
    let sight = plan.limits.visibility.path_visibility(plan.path.as_str());
    crew::run_workers(plan, harvest, task::Task::for_target(rules.unwrap_or_default(), sight), turn)
}
