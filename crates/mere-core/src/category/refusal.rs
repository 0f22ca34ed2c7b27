//! Why a change to categories or memories is refused, in the words people script against.

use jiff::Timestamp;

use super::{Mode, Operation};
use crate::item::{Category, ItemType, MemoryPath};
use crate::reply::{Name, Prose};
use crate::schema::Problem;

/// How many categories a message names.
const MAX_NAMED: usize = 100;

/// Whose categories they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Realm {
    /// A store's.
    Store,
    /// Those of the items of one type.
    Items(ItemType),
}

impl std::fmt::Display for Realm {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store => f.write_str("store"),
            Self::Items(kind) => write!(f, "`{}`", kind.folder()),
        }
    }
}

/// What is in a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Contents {
    /// Memories, those of subcategories included.
    pub memories: u64,
    /// Subcategories, however deep.
    pub categories: u64,
    /// Files that are neither, or that may not be seen.
    pub others: u64,
    /// How many of these may not be seen.
    pub hidden: u64,
}

impl Contents {
    /// Whether there is nothing.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }
}

/// Policy says no.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// A top category that is neither configured nor there.
    #[error(
        "Cannot create root category '{root}': {realm} is in 'subcategories' mode. {}",
        allowed_roots(.allowed)
    )]
    Root {
        /// Whose.
        realm: Realm,
        /// Its name.
        root: Category,
        /// Those that may be used.
        allowed: Vec<Category>,
    },
    /// No category is made in this mode.
    #[error("Cannot create category '{path}': {realm} is in 'strict' mode.")]
    Create {
        /// Whose.
        realm: Realm,
        /// Which.
        path: Category,
    },
    /// No category is deleted in this mode.
    #[error("Cannot delete category '{path}': {realm} is in 'strict' mode.")]
    Delete {
        /// Whose.
        realm: Realm,
        /// Which.
        path: Category,
    },
    /// The configuration names it.
    #[error(
        "Cannot delete category '{path}': category is defined in store configuration and is \
         protected. Remove it from config.yaml to allow deletion."
    )]
    Protected {
        /// Which.
        path: Category,
    },
    /// The configuration describes it.
    #[error(
        "Cannot set description of category '{path}': category is defined in store configuration \
         and is protected. Change it in config.yaml."
    )]
    Described {
        /// Which.
        path: Category,
    },
    /// A strict hierarchy without any category.
    #[error(
        "Cannot create {what} in category '{category}': {realm} is in 'strict' mode and its \
         configuration names no categories."
    )]
    NoCategories {
        /// Whose.
        realm: Realm,
        /// What was to be made there.
        what: &'static str,
        /// Where.
        category: Category,
    },
    /// The policy of a category forbids it.
    #[error("Cannot {} memory at '{path}': {} does not permit it (`permissions.{}` in config.yaml).", .operation.name(), in_category(.category), .operation.name())]
    Operation {
        /// What was to be done.
        operation: Operation,
        /// With which memory.
        path: MemoryPath,
        /// Whose policy it is.
        category: Category,
    },
    /// A category whose memories may not be removed.
    #[error(
        "Cannot delete category '{path}': it holds {} that may not be removed \
         (`permissions.delete` in config.yaml).",
        counted(*.memories, "memory", "memories")
    )]
    Kept {
        /// Which.
        path: Category,
        /// How many.
        memories: u64,
    },
    /// A category with files that are nobody's memories.
    #[error(
        "Cannot delete category '{path}': it holds {} that agents do not delete. Ask a person to \
         look at what is there.",
        counted(*.others, "other file", "other files")
    )]
    Foreign {
        /// Which.
        path: Category,
        /// How many.
        others: u64,
    },
    /// The content is too long.
    #[error("Cannot write memory at '{path}': its content has {length} bytes and {} allows {most} (`maxContentLength` in config.yaml).", in_category(.category))]
    Length {
        /// Which memory.
        path: MemoryPath,
        /// Whose policy it is.
        category: Category,
        /// How long it is.
        length: u64,
        /// How long it may be.
        most: u64,
    },
    /// The category is full.
    #[error("Cannot create memory at '{path}': {} holds {} already and may hold {most} (`maxMemories` in config.yaml).", in_category(.category), counted(*.count, "memory", "memories"))]
    Count {
        /// Which memory.
        path: MemoryPath,
        /// Whose policy it is.
        category: Category,
        /// How many there are.
        count: u64,
        /// How many there may be.
        most: u64,
    },
    /// It would be kept for too long.
    #[error("Cannot write memory at '{path}': {} keeps memories for at most {} (`defaultTtl` in config.yaml). Set `expires_at` to {latest:.0} or earlier.", in_category(.category), counted(u64::from(*.days), "day", "days"))]
    Expiry {
        /// Which memory.
        path: MemoryPath,
        /// Whose policy it is.
        category: Category,
        /// For how many days.
        days: u32,
        /// Until when.
        latest: Timestamp,
    },
}

/// The call names what is not there, or is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Flaw {
    /// A memory's category is not there.
    #[error("Cannot create memory at '{path}': category '{category}' does not exist. {}", remedy(*.mode))]
    NoCategory {
        /// Which memory.
        path: MemoryPath,
        /// The category that is missing.
        category: Category,
        /// What could be done about it.
        mode: Mode,
        /// Whether the configuration names it, and it was not made yet.
        is_named: bool,
    },
    /// A category is not there.
    #[error("Cannot {what} category '{path}': it does not exist.")]
    Missing {
        /// What was to be done.
        what: &'static str,
        /// Which.
        path: Category,
    },
    /// Something that is no category is in the way.
    #[error(
        "Cannot create category '{path}': something else has its name, or that of a category above it."
    )]
    Obstructed {
        /// Which.
        path: Category,
    },
    /// A category has the name that a memory was to have.
    #[error(
        "Cannot create memory at '{path}': a category has that name. Name the memory too: '{path}/name'."
    )]
    Category {
        /// Which memory.
        path: MemoryPath,
    },
    /// A memory whose time is not over.
    #[error("Cannot prune memory at '{path}': it has not expired.")]
    Unexpired {
        /// Which.
        path: MemoryPath,
    },
    /// There is something in it.
    #[error("Cannot delete category '{path}': it is not empty ({}). Set `recursive` to delete what is in it too.", holdings(*.contents))]
    NotEmpty {
        /// Which.
        path: Category,
        /// What is in it.
        contents: Contents,
    },
    /// The frontmatter is not what the category asks for.
    #[error("Cannot write memory at '{path}': its frontmatter does not fit the schema of {}.", in_category(.category))]
    Schema {
        /// Which memory.
        path: MemoryPath,
        /// Whose policy it is.
        category: Category,
        /// What does not fit.
        problems: Vec<Problem>,
    },
}

impl Denial {
    /// What it says.
    pub fn prose(&self) -> Prose {
        let names = match self {
            Self::Root { root, allowed, .. } => {
                allowed.iter().chain([root]).map(Name::from).collect()
            }
            Self::Create { path, .. }
            | Self::Delete { path, .. }
            | Self::Protected { path }
            | Self::Described { path }
            | Self::Kept { path, .. }
            | Self::Foreign { path, .. }
            | Self::NoCategories { category: path, .. } => vec![path.into()],
            Self::Operation { path, category, .. }
            | Self::Length { path, category, .. }
            | Self::Count { path, category, .. }
            | Self::Expiry { path, category, .. } => vec![path.into(), category.into()],
        };
        said(&self.to_string(), &names)
    }
}

impl Flaw {
    /// What it says.
    pub fn prose(&self) -> Prose {
        let names = match self {
            Self::NoCategory { path, category, .. } | Self::Schema { path, category, .. } => {
                vec![path.into(), category.into()]
            }
            Self::Missing { path, .. }
            | Self::NotEmpty { path, .. }
            | Self::Obstructed { path } => vec![path.into()],
            Self::Category { path } | Self::Unexpired { path } => vec![path.into()],
        };
        said(&self.to_string(), &names)
    }
}

/// A sentence with its names; no name is no name.
fn said(words: &str, names: &[Name]) -> Prose {
    let names = names.iter().filter(|name| !name.as_str().is_empty()).cloned();
    Prose::naming(words, &names.collect::<Vec<_>>())
}

/// Why there is no permit.
#[derive(Debug)]
pub enum Refusal<E> {
    /// Policy says no: ask a person.
    Denied(Denial),
    /// The call is wrong: correct it.
    Flawed(Flaw),
    /// What is there could not be found out.
    Unknown(E),
}

impl<E> From<Denial> for Refusal<E> {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

impl<E> From<Flaw> for Refusal<E> {
    fn from(flaw: Flaw) -> Self {
        Self::Flawed(flaw)
    }
}

fn allowed_roots(allowed: &[Category]) -> String {
    if allowed.is_empty() {
        return "No root category is defined: ask a person to add one to config.yaml.".to_owned();
    }
    let names = allowed.iter().map(Category::as_str).take(MAX_NAMED).collect::<Vec<_>>();
    let names = match allowed.len().saturating_sub(MAX_NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names.join(", ")),
    };
    format!("Allowed root categories: {names}. You may create subcategories under these.")
}

fn remedy(mode: Mode) -> &'static str {
    match mode {
        Mode::Free | Mode::Subcategories => "Create the category first using create_category.",
        Mode::Strict => "Ask a person to add it to config.yaml.",
    }
}

fn in_category(category: &Category) -> String {
    if category.is_none() { "the store".to_owned() } else { format!("category '{category}'") }
}

fn holdings(contents: Contents) -> String {
    let Contents { memories, categories, others, .. } = contents;
    let parts = [
        (memories, "memory", "memories"),
        (categories, "subcategory", "subcategories"),
        (others, "other file", "other files"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    parts.map(|(count, one, many)| counted(count, one, many)).collect::<Vec<_>>().join(", ")
}

fn counted(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
