//! The arguments of the tools about memories.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::category::category;
use super::{CURSOR, CallError, StoreVerb, Verb};
use crate::cursor::Cursor;
use crate::digest::ShownDigest;
use crate::item::{Category, MemoryExpiry, MemoryPath, MemoryRevision, NewMemory};

pub(super) const CREATE_ABOUT: &str =
    "Store a memory. Its category must exist; nothing is overwritten.";
pub(super) const GET_ABOUT: &str = "Get a memory by its path, as list_memories shows it.";
pub(super) const UPDATE_ABOUT: &str = "Change a memory; properties that are not given stay.";
pub(super) const MOVE_ABOUT: &str = "Move or rename a memory. Nothing is overwritten.";
pub(super) const REMOVE_ABOUT: &str = "Remove a memory.";
pub(super) const LIST_ABOUT: &str =
    "Memories of a category and below, or of the store; its subcategories.";

const fn optional_parameter(
    name: &'static str,
    kind: ParameterKind,
    about: &'static str,
) -> Parameter {
    Parameter { name, kind, need: Need::Optional, about }
}

const fn required_parameter(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, kind: ParameterKind::Text, need: Need::Required, about }
}

const PATH: Parameter = required_parameter("path", "category/slug or slug");
const TAGS: Parameter = optional_parameter("tags", ParameterKind::Texts, "");
const CITATIONS: Parameter = optional_parameter("citations", ParameterKind::Texts, "");
const INCLUDE_EXPIRED: Parameter = optional_parameter("include_expired", ParameterKind::Flag, "");

pub(super) const CREATE: &[Parameter] = &[
    PATH,
    required_parameter("content", "Markdown."),
    TAGS,
    optional_parameter("expires_at", ParameterKind::Time, "Hidden from then on."),
    CITATIONS,
    optional_parameter("source", ParameterKind::Text, ""),
];

pub(super) const GET: &[Parameter] = &[PATH, INCLUDE_EXPIRED];

pub(super) const UPDATE: &[Parameter] = &[
    PATH,
    optional_parameter("content", ParameterKind::Text, ""),
    TAGS,
    optional_parameter("expires_at", ParameterKind::TimeOrNull, "Null for never."),
    CITATIONS,
    optional_parameter("expect_sha256", ParameterKind::Digest, "Its `sha256` before."),
];

pub(super) const MOVE: &[Parameter] =
    &[required_parameter("from", "Its path."), required_parameter("to", "Its new path.")];

pub(super) const REMOVE: &[Parameter] = &[PATH];

/// The number of memories on a page unless the caller says otherwise.
const DEFAULT_PAGE_SIZE: u64 = 50;
/// The most memories on a page.
const MAX_PAGE_SIZE: u64 = 1000;

pub(super) const LIST: &[Parameter] = &[
    optional_parameter("category", ParameterKind::Text, ""),
    optional_parameter("sort", ParameterKind::ChoiceWithDefault(&["path", "recent"]), ""),
    optional_parameter(
        "limit",
        ParameterKind::Integer {
            minimum: 1,
            maximum: MAX_PAGE_SIZE,
            default: Some(DEFAULT_PAGE_SIZE),
        },
        "",
    ),
    INCLUDE_EXPIRED,
    CURSOR,
];

/// One call about memories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryCall {
    /// Stores a memory.
    Create {
        /// The path of the memory.
        path: MemoryPath,
        /// The text and its properties.
        wording: NewMemory,
    },
    /// Reads a memory.
    Get {
        /// The path of the memory.
        path: MemoryPath,
        /// Tells whether an expired memory is shown.
        expired: ExpiredMemories,
    },
    /// Changes a memory.
    Update {
        /// The path of the memory.
        path: MemoryPath,
        /// The changes.
        revision: MemoryRevision,
        /// The digest that its file must have before the change.
        expect: Option<ShownDigest>,
    },
    /// Moves a memory.
    Move {
        /// The old path.
        from: MemoryPath,
        /// The new path.
        to: MemoryPath,
    },
    /// Removes a memory.
    Remove {
        /// The path of the memory.
        path: MemoryPath,
    },
    /// Lists memories.
    List(ListMemories),
}

impl MemoryCall {
    /// Returns the paths of the memories that the call changes.
    pub fn changed_paths(&self) -> Vec<&MemoryPath> {
        match self {
            Self::Create { path, .. } | Self::Update { path, .. } | Self::Remove { path } => {
                vec![path]
            }
            Self::Move { from, to } => vec![from, to],
            Self::Get { .. } | Self::List(_) => Vec::new(),
        }
    }
}

/// The memories to list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListMemories {
    /// The category, including those below it; the empty one stands for the whole store.
    pub category: Category,
    /// The order.
    pub sort: MemorySort,
    /// The number of memories on a page.
    pub limit: usize,
    /// Tells whether expired memories are listed too.
    pub expired: ExpiredMemories,
    /// The cursor of the page.
    pub cursor: Option<Cursor>,
}

impl Default for ListMemories {
    fn default() -> Self {
        let limit = usize::try_from(DEFAULT_PAGE_SIZE).unwrap_or(usize::MAX);
        Self {
            category: Category::default(),
            sort: MemorySort::Path,
            limit,
            expired: ExpiredMemories::Hidden,
            cursor: None,
        }
    }
}

/// The order of memories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemorySort {
    /// By path.
    Path,
    /// Most recently changed first.
    Recent,
}

/// Tells whether expired memories are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExpiredMemories {
    /// They are hidden.
    Hidden,
    /// They are shown like any others.
    Included,
}

pub(super) fn parse_create(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let wording = NewMemory {
        content: arguments.required_text("content")?.to_owned(),
        tags: arguments.texts("tags")?.unwrap_or_default(),
        expires_at: arguments.time("expires_at")?.and_then(MemoryExpiry::time),
        citations: arguments.texts("citations")?.unwrap_or_default(),
        source: arguments.text("source")?.map(str::to_owned),
    };
    Ok(Verb::Stores(StoreVerb::Memory(MemoryCall::Create {
        path: memory_path(arguments, "path")?,
        wording,
    })))
}

pub(super) fn parse_get(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let (path, expired) = (memory_path(arguments, "path")?, parse_expired(arguments)?);
    Ok(Verb::Stores(StoreVerb::Memory(MemoryCall::Get { path, expired })))
}

pub(super) fn parse_update(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let revision = MemoryRevision {
        content: arguments.text("content")?.map(str::to_owned),
        tags: arguments.texts("tags")?,
        expires_at: arguments.time("expires_at")?,
        citations: arguments.texts("citations")?,
    };
    if revision == MemoryRevision::default() {
        return Err(arguments.none_of_error(&["content", "tags", "expires_at", "citations"]));
    }
    let expect = arguments.digest("expect_sha256")?;
    Ok(Verb::Stores(StoreVerb::Memory(MemoryCall::Update {
        path: memory_path(arguments, "path")?,
        revision,
        expect,
    })))
}

pub(super) fn parse_move(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let (from, to) = (memory_path(arguments, "from")?, memory_path(arguments, "to")?);
    Ok(Verb::Stores(StoreVerb::Memory(MemoryCall::Move { from, to })))
}

pub(super) fn parse_remove(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    Ok(Verb::Stores(StoreVerb::Memory(MemoryCall::Remove {
        path: memory_path(arguments, "path")?,
    })))
}

pub(super) fn parse_list(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let sort = match arguments.choice_or_default("sort")? {
        "recent" => MemorySort::Recent,
        _ => MemorySort::Path,
    };
    Ok(Verb::Stores(StoreVerb::Memory(MemoryCall::List(ListMemories {
        category: category(arguments, "category")?.unwrap_or_default(),
        sort,
        limit: arguments.count("limit")?,
        expired: parse_expired(arguments)?,
        cursor: arguments.cursor()?,
    }))))
}

fn parse_expired(arguments: &Arguments<'_>) -> Result<ExpiredMemories, CallError> {
    let included = arguments.flag("include_expired")?;
    Ok(if included { ExpiredMemories::Included } else { ExpiredMemories::Hidden })
}

/// Returns the path of a memory, which must be given.
fn memory_path(arguments: &Arguments<'_>, name: &'static str) -> Result<MemoryPath, CallError> {
    const TAKES: &str = "a category and a slug of lower-case letters, digits, `_` and `-`, such as \
        `api/auth/tokens`, or a slug alone";
    let text = arguments.text(name)?.ok_or_else(|| arguments.missing_error(name, TAKES))?;
    text.parse().map_err(|_| arguments.malformed_error(name, TAKES))
}
