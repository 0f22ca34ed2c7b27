//! A traversal of everything below a directory, in parallel and in order.
//!
//! Workers always take the smallest task that is left, a folder or some of its files, so results
//! are found nearly in order; as soon as a page is full, whatever is larger is dropped. A page that
//! begins somewhere skips what lies before. So memory use depends on the page, a page costs what it
//! holds, and no state is kept between pages. Every folder is opened from the target's handle
//! without following links, and closed once it has been read: each worker holds one or two handles.

mod folder;
mod names;
mod page;
mod task;
mod workers;

use std::sync::Arc;

use cap_std::fs::{Dir, File};
use mere_core::address::RelPath;
use mere_core::reply::MAX_REPLY_BYTES;
use mere_core::turn::Turn;

use super::ignore::{IgnoreBase, IgnoreStack};
use super::list::TraversalError;
use super::walk::Limits;

pub(crate) use names::join_path;
pub(crate) use page::{Position, SweepPage};

/// Names that no sweep enters or shows, because what lies there is not meant to be read.
pub(super) const SKIPPED: [&str; 2] = [".git", "node_modules"];

/// What a sweep collects.
pub(crate) trait Collector: Sync {
    /// What is collected for a path.
    type Output: Send;
    /// What each worker needs for itself, such as buffers.
    type Scratch;
    /// The order in which paths are collected.
    const ORDER: PathOrder;

    /// Creates a worker's scratch data.
    fn make_scratch(&self) -> Self::Scratch;

    /// Returns the output for a folder.
    fn collect_folder(&self, path: &str) -> Option<Self::Output>;

    /// Whether links that are not followed are counted.
    const COUNTS_LINKS: bool = false;

    /// Checks whether a file of this name could have any output.
    fn may_want_name(&self, name: &str) -> bool;

    /// Returns the output for a file by its path alone, or that the file must be opened.
    fn match_file(&self, path: &str) -> FileInterest<Self::Output>;

    /// Returns the output for an open file.
    fn collect_file(&self, tool: &mut Self::Scratch, file: OpenedFile<'_>) -> Option<Self::Output>;

    /// Returns how much of a page the output takes.
    fn weight(&self, key: &str, output: &Self::Output) -> Weight;
}

/// What is needed from a file.
pub(crate) enum FileInterest<F> {
    Nothing,
    Name(F),
    Content,
}

/// A file that was opened for its content.
pub(crate) struct OpenedFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) file: File,
    /// Tells whether the call is over.
    pub(crate) is_over: &'a dyn Fn() -> bool,
}

/// How much of a page something takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Weight {
    pub(crate) count: usize,
    pub(crate) bytes: usize,
}

impl Weight {
    /// The most bytes that a page holds, so that its reply is never cut.
    pub(crate) const MAX_BYTES: usize = MAX_REPLY_BYTES / 2;

    pub(crate) fn add(&mut self, other: Self) {
        self.count += other.count;
        self.bytes += other.bytes;
    }

    /// Checks whether this is more than a page of `size` results holds.
    pub(crate) fn overflows(self, size: usize) -> bool {
        self.count > size || self.bytes > Self::MAX_BYTES
    }
}

/// Where a sweep starts, and how far it goes.
pub(super) struct SweepPlan<'a> {
    /// The directory below which everything lies.
    pub(super) target: &'a Dir,
    /// The folder of the root, from which links lead.
    pub(super) root: &'a Arc<Dir>,
    pub(super) path: &'a RelPath,
    pub(super) limits: Limits<'a>,
    /// `None` where ignore files do not count.
    pub(super) ignore_base: Option<IgnoreBase<'a>>,
    pub(super) order: PathOrder,
    /// The maximum depth, in folders.
    pub(super) depth: usize,
    /// How many results a page holds.
    pub(super) size: usize,
    pub(super) start: Option<&'a Position>,
}

/// The order of paths.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum PathOrder {
    /// By the bytes of the whole path.
    Bytes,
    /// Folder by folder, siblings by the bytes of their names.
    FolderByFolder,
}

impl PathOrder {
    /// Returns the separator between the names of a key. It makes the keys' bytes sort in this
    /// order.
    fn separator(self) -> char {
        match self {
            Self::Bytes => '/',
            Self::FolderByFolder => '\0',
        }
    }

    /// Returns the key of a path.
    fn key(self, path: &str) -> String {
        match self {
            Self::Bytes => path.to_owned(),
            Self::FolderByFolder => path.replace('/', "\0"),
        }
    }
}

/// Collects one page.
pub(super) fn sweep<H: Collector>(
    plan: &SweepPlan<'_>,
    collector: &H,
    turn: &dyn Turn,
) -> Result<SweepPage<H::Output>, TraversalError> {
    let rules = plan.ignore_base.as_ref().map(IgnoreStack::above);
    let visibility = plan.limits.visibility.path_visibility(plan.path.as_str());
    workers::run_workers(
        plan,
        collector,
        task::Task::for_target(rules.unwrap_or_default(), visibility),
        turn,
    )
}
