//! The arguments of the tools that keep memories.

use super::arguments::{Arguments, Kind, Need, Parameter};
use super::category::category;
use super::{CURSOR, CallError, Verb};
use crate::cursor::Cursor;
use crate::digest::Sha256;
use crate::item::{Category, MemoryExpiry, MemoryPath, MemoryRevision, NewMemory};

pub(super) const CREATE_ABOUT: &str =
    "Keep a memory. Its category must be there; nothing is overwritten.";
pub(super) const GET_ABOUT: &str = "A memory by its path, as list_memories tells it.";
pub(super) const UPDATE_ABOUT: &str = "Change a memory; what is not given stays.";
pub(super) const MOVE_ABOUT: &str = "Move or rename a memory. Nothing is overwritten.";
pub(super) const REMOVE_ABOUT: &str = "Remove a memory.";
pub(super) const LIST_ABOUT: &str =
    "The memories of a category and below, or of the whole store; its subcategories.";

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, need: Need::Optional, about }
}

const fn required(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, need: Need::Required, about }
}

const PATH: Parameter = required("path", "`category/slug`, or `slug`.");
const TAGS: Parameter = optional("tags", Kind::Texts, "");
const CITATIONS: Parameter = optional("citations", Kind::Texts, "");
const EXPIRED: Parameter = optional("include_expired", Kind::Flag, "");

pub(super) const CREATE: &[Parameter] = &[
    PATH,
    required("content", "Markdown."),
    TAGS,
    optional("expires_at", Kind::Time, "Hidden from then on."),
    CITATIONS,
    optional("source", Kind::Text, ""),
];

pub(super) const GET: &[Parameter] = &[PATH, EXPIRED];

pub(super) const UPDATE: &[Parameter] = &[
    PATH,
    optional("content", Kind::Text, ""),
    TAGS,
    optional("expires_at", Kind::TimeOrNull, "Null for never."),
    CITATIONS,
    optional("expect_sha256", Kind::Sha256, "What it must still have."),
];

pub(super) const MOVE: &[Parameter] =
    &[required("from", "Its path."), required("to", "Its new path.")];

pub(super) const REMOVE: &[Parameter] = &[PATH];

/// How many memories a page has if nothing is said.
const PAGE: u64 = 50;
/// The most that a page can have.
const LARGEST_PAGE: u64 = 1000;

pub(super) const LIST: &[Parameter] = &[
    optional("category", Kind::Text, ""),
    optional("sort", Kind::Choice(&["path", "recent"]), ""),
    optional("limit", Kind::Whole { least: 1, most: LARGEST_PAGE, default: Some(PAGE) }, ""),
    EXPIRED,
    CURSOR,
];

/// One call about memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryCall {
    /// Keep one.
    Create {
        /// Where.
        path: MemoryPath,
        /// What it says.
        wording: NewMemory,
    },
    /// What does it say?
    Get {
        /// Which.
        path: MemoryPath,
        /// Whether one that has expired counts.
        expired: Expired,
    },
    /// Let it say something else.
    Update {
        /// Which.
        path: MemoryPath,
        /// What it says from now on.
        revision: MemoryRevision,
        /// What its file must be before.
        expect: Option<Sha256>,
    },
    /// Let it lie elsewhere.
    Move {
        /// Where it lies.
        from: MemoryPath,
        /// Where it goes.
        to: MemoryPath,
    },
    /// Let it go.
    Remove {
        /// Which.
        path: MemoryPath,
    },
    /// Which are there?
    List(ListMemories),
}

/// Which memories are listed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListMemories {
    /// In which category and below; the empty one is the whole store.
    pub category: Category,
    /// In which order.
    pub sort: Sort,
    /// How many on a page.
    pub limit: usize,
    /// Whether those that have expired are listed too.
    pub expired: Expired,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
}

impl Default for ListMemories {
    fn default() -> Self {
        let limit = usize::try_from(PAGE).unwrap_or(usize::MAX);
        Self {
            category: Category::default(),
            sort: Sort::Path,
            limit,
            expired: Expired::Hidden,
            cursor: None,
        }
    }
}

/// The order of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sort {
    /// By path.
    Path,
    /// What was changed last comes first.
    Recent,
}

/// Whether memories that have expired are seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expired {
    /// They are not there.
    Hidden,
    /// They are there like any other.
    Included,
}

pub(super) fn create(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let wording = NewMemory {
        content: arguments.required("content")?.to_owned(),
        tags: arguments.texts("tags")?.unwrap_or_default(),
        expires_at: arguments.time("expires_at")?.and_then(MemoryExpiry::time),
        citations: arguments.texts("citations")?.unwrap_or_default(),
        source: arguments.text("source")?.map(str::to_owned),
    };
    Ok(Verb::Memory(MemoryCall::Create { path: path(arguments, "path")?, wording }))
}

pub(super) fn get(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let (path, expired) = (path(arguments, "path")?, expired(arguments)?);
    Ok(Verb::Memory(MemoryCall::Get { path, expired }))
}

pub(super) fn update(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let revision = MemoryRevision {
        content: arguments.text("content")?.map(str::to_owned),
        tags: arguments.texts("tags")?,
        expires_at: arguments.time("expires_at")?,
        citations: arguments.texts("citations")?,
    };
    if revision == MemoryRevision::default() {
        return Err(arguments.none_of(&["content", "tags", "expires_at", "citations"]));
    }
    let expect = arguments.sha256("expect_sha256")?;
    Ok(Verb::Memory(MemoryCall::Update { path: path(arguments, "path")?, revision, expect }))
}

pub(super) fn relocate(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let (from, to) = (path(arguments, "from")?, path(arguments, "to")?);
    Ok(Verb::Memory(MemoryCall::Move { from, to }))
}

pub(super) fn remove(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    Ok(Verb::Memory(MemoryCall::Remove { path: path(arguments, "path")? }))
}

pub(super) fn list(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let sort = match arguments.choice("sort")? {
        "recent" => Sort::Recent,
        _ => Sort::Path,
    };
    Ok(Verb::Memory(MemoryCall::List(ListMemories {
        category: category(arguments, "category")?.unwrap_or_default(),
        sort,
        limit: arguments.size("limit")?,
        expired: expired(arguments)?,
        cursor: arguments.cursor()?,
    })))
}

fn expired(arguments: &Arguments<'_>) -> Result<Expired, CallError> {
    let included = arguments.flag("include_expired")?;
    Ok(if included { Expired::Included } else { Expired::Hidden })
}

/// The path of a memory, which must be there.
fn path(arguments: &Arguments<'_>, name: &'static str) -> Result<MemoryPath, CallError> {
    const TAKES: &str = "a category and a slug of small letters, digits, `_` and `-`, such as \
        `api/auth/tokens`, or a slug alone";
    let said = arguments.text(name)?.ok_or_else(|| arguments.missing(name, TAKES))?;
    said.parse().map_err(|_| arguments.malformed(name, TAKES))
}
