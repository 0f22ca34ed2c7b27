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

use super::ignored::{Ignored, RulesFrom};
use super::list::LookError;
use super::walk::Limits;

pub(crate) use page::{Gathered, Position};

/// What a sweep gathers.
pub(crate) trait Harvest: Sync {
    /// What is gathered for a path.
    type Fruit: Send;
    /// What one worker needs at hand.
    type Tool;

    /// Makes a worker's tool.
    fn tool(&self) -> Self::Tool;

    /// What a folder gives.
    fn folder(&self, path: &str) -> Option<Self::Fruit>;

    /// Whether a file of this name could give anything.
    fn could_want(&self, name: &str) -> bool;

    /// What a file gives by its name alone, or that it must be opened for that.
    fn file(&self, path: &str) -> Want<Self::Fruit>;

    /// What an open file gives.
    fn open(&self, tool: &mut Self::Tool, file: Opened<'_>) -> Option<Self::Fruit>;

    /// How much of a page it takes.
    fn weight(&self, key: &str, fruit: &Self::Fruit) -> Weight;
}

/// What is wanted of a file.
pub(crate) enum Want<F> {
    Nothing,
    Name(F),
    Content,
}

/// A file that was opened for its content.
pub(crate) struct Opened<'a> {
    pub(crate) path: &'a str,
    pub(crate) file: File,
    /// Whether the call is over.
    pub(crate) over: &'a dyn Fn() -> bool,
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
pub(super) struct Plan<'a> {
    /// The directory below which everything lies.
    pub(super) target: &'a Dir,
    pub(super) path: &'a RelPath,
    pub(super) limits: Limits<'a>,
    /// `None` where ignore files do not count.
    pub(super) rules: Option<RulesFrom<'a>>,
    pub(super) order: Order,
    /// How many folders deep.
    pub(super) depth: usize,
    /// How much a page holds.
    pub(super) size: usize,
    pub(super) start: Option<&'a Position>,
}

/// In which order paths come.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// By the bytes of the whole path.
    Bytes,
    /// Folder by folder, siblings by the bytes of their names.
    Walking,
}

impl Order {
    /// What stands between two names of a key: the keys' bytes then sort as the order says.
    fn separator(self) -> char {
        match self {
            Self::Bytes => '/',
            Self::Walking => '\0',
        }
    }

    /// The key of a path.
    fn key(self, path: &str) -> String {
        match self {
            Self::Bytes => path.to_owned(),
            Self::Walking => path.replace('/', "\0"),
        }
    }
}

/// Gathers one page.
pub(super) fn sweep<H: Harvest>(
    plan: &Plan<'_>,
    harvest: &H,
    turn: &dyn Turn,
) -> Result<Gathered<H::Fruit>, LookError> {
    let rules = plan.rules.as_ref().map(Ignored::above);
    let sight = plan.limits.eyes.path(plan.path.as_str());
    crew::work(plan, harvest, task::Task::first(rules.unwrap_or_default(), sight), turn)
}
