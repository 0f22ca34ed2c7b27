//! Why a change to categories or memories is refused, in the words people script against.

use jiff::Timestamp;

use super::{CategoryMode, MemoryOperation};
use crate::item::{Category, ItemType, MemoryPath};
use crate::reply::{ParsedName, Prose};
use crate::schema::Problem;

/// How many categories a message names.
const MAX_NAMED: usize = 100;

/// Whose categories they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CategoryOwner {
    /// A store's.
    Store,
    /// Those of the items of one type.
    Items(ItemType),
}

impl std::fmt::Display for CategoryOwner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Store => f.write_str("store"),
            Self::Items(kind) => write!(f, "`{}`", kind.folder()),
        }
    }
}

/// What is in a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryContents {
    /// Memories, those of subcategories included.
    pub memories: u64,
    /// Subcategories, however deep.
    pub categories: u64,
    /// Files that are neither, or that may not be seen.
    pub others: u64,
    /// How many of these may not be seen.
    pub hidden: u64,
}

impl CategoryContents {
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
        "Cannot create root category '{root}': {owner} is in 'subcategories' mode. {}",
        allowed_roots(.allowed)
    )]
    NewTopCategory {
        /// Whose.
        owner: CategoryOwner,
        /// Its name.
        root: Category,
        /// Those that may be used.
        allowed: Vec<Category>,
    },
    /// No category is made in this mode.
    #[error("Cannot create category '{path}': {owner} is in 'strict' mode.")]
    CreateInStrictMode {
        /// Whose.
        owner: CategoryOwner,
        /// Which.
        path: Category,
    },
    /// No category is deleted in this mode.
    #[error("Cannot delete category '{path}': {owner} is in 'strict' mode.")]
    DeleteInStrictMode {
        /// Whose.
        owner: CategoryOwner,
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
    ProtectedDescription {
        /// Which.
        path: Category,
    },
    /// A strict hierarchy without any category.
    #[error(
        "Cannot create {what} in category '{category}': {owner} is in 'strict' mode and its \
         configuration names no categories."
    )]
    NoCategories {
        /// Whose.
        owner: CategoryOwner,
        /// What was to be made there.
        what: &'static str,
        /// Where.
        category: Category,
    },
    /// The policy of a category forbids it.
    #[error("Cannot {} memory at '{path}': {} does not permit it (`permissions.{}` in config.yaml).", .operation.name(), category_phrase(.category), .operation.name())]
    OperationDenied {
        /// What was to be done.
        operation: MemoryOperation,
        /// With which memory.
        path: MemoryPath,
        /// Whose policy it is.
        category: Category,
    },
    /// A category whose memories may not be removed.
    #[error(
        "Cannot delete category '{path}': it holds {} that may not be removed \
         (`permissions.delete` in config.yaml).",
        pluralize(*.memories, "memory", "memories")
    )]
    UndeletableMemories {
        /// Which.
        path: Category,
        /// How many.
        memories: u64,
    },
    /// A category with files that are nobody's memories.
    #[error(
        "Cannot delete category '{path}': it holds {} that agents do not delete. Ask a person to \
         look at what is there.",
        pluralize(*.others, "other file", "other files")
    )]
    ForeignFiles {
        /// Which.
        path: Category,
        /// How many.
        others: u64,
    },
    /// The content is too long.
    #[error("Cannot write memory at '{path}': its content has {length} bytes and {} allows {most} (`maxContentLength` in config.yaml).", category_phrase(.category))]
    ContentTooLong {
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
    #[error("Cannot create memory at '{path}': {} holds {} already and may hold {most} (`maxMemories` in config.yaml).", category_phrase(.category), pluralize(*.count, "memory", "memories"))]
    CategoryFull {
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
    #[error("Cannot write memory at '{path}': {} keeps memories for at most {} (`defaultTtl` in config.yaml). Set `expires_at` to {latest:.0} or earlier.", category_phrase(.category), pluralize(u64::from(*.days), "day", "days"))]
    ExpiryTooLate {
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
pub enum InvalidChange {
    /// A memory's category is not there.
    #[error("Cannot create memory at '{path}': category '{category}' does not exist. {}", remedy(*.mode))]
    MemoryCategoryMissing {
        /// Which memory.
        path: MemoryPath,
        /// The category that is missing.
        category: Category,
        /// What could be done about it.
        mode: CategoryMode,
        /// Whether the configuration names it, and it was not made yet.
        is_configured: bool,
    },
    /// A category is not there.
    #[error("Cannot {what} category '{path}': it does not exist.")]
    CategoryMissing {
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
    NameIsCategory {
        /// Which memory.
        path: MemoryPath,
    },
    /// A memory whose time is not over.
    #[error("Cannot prune memory at '{path}': it has not expired.")]
    NotExpired {
        /// Which.
        path: MemoryPath,
    },
    /// There is something in it.
    #[error("Cannot delete category '{path}': it is not empty ({}). Set `recursive` to delete what is in it too.", describe_contents(*.contents))]
    NotEmpty {
        /// Which.
        path: Category,
        /// What is in it.
        contents: CategoryContents,
    },
    /// The frontmatter is not what the category asks for.
    #[error("Cannot write memory at '{path}': its frontmatter does not fit the schema of {}.", category_phrase(.category))]
    SchemaMismatch {
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
            Self::NewTopCategory { root, allowed, .. } => {
                allowed.iter().chain([root]).map(ParsedName::from).collect()
            }
            Self::CreateInStrictMode { path, .. }
            | Self::DeleteInStrictMode { path, .. }
            | Self::Protected { path }
            | Self::ProtectedDescription { path }
            | Self::UndeletableMemories { path, .. }
            | Self::ForeignFiles { path, .. }
            | Self::NoCategories { category: path, .. } => vec![path.into()],
            Self::OperationDenied { path, category, .. }
            | Self::ContentTooLong { path, category, .. }
            | Self::CategoryFull { path, category, .. }
            | Self::ExpiryTooLate { path, category, .. } => vec![path.into(), category.into()],
        };
        prose_naming(&self.to_string(), &names)
    }
}

impl InvalidChange {
    /// What it says.
    pub fn prose(&self) -> Prose {
        let names = match self {
            Self::MemoryCategoryMissing { path, category, .. }
            | Self::SchemaMismatch { path, category, .. } => {
                vec![path.into(), category.into()]
            }
            Self::CategoryMissing { path, .. }
            | Self::NotEmpty { path, .. }
            | Self::Obstructed { path } => vec![path.into()],
            Self::NameIsCategory { path } | Self::NotExpired { path } => vec![path.into()],
        };
        prose_naming(&self.to_string(), &names)
    }
}

/// A sentence with its names; no name is no name.
fn prose_naming(words: &str, names: &[ParsedName]) -> Prose {
    let names = names.iter().filter(|name| !name.as_str().is_empty()).cloned();
    Prose::with_names(words, &names.collect::<Vec<_>>())
}

/// Why there is no permit.
#[derive(Debug)]
pub enum Refusal<E> {
    /// Policy says no: ask a person.
    Denied(Denial),
    /// The call is wrong: correct it.
    Invalid(InvalidChange),
    /// What is there could not be found out.
    Unreadable(E),
}

impl<E> From<Denial> for Refusal<E> {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

impl<E> From<InvalidChange> for Refusal<E> {
    fn from(flaw: InvalidChange) -> Self {
        Self::Invalid(flaw)
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

fn remedy(mode: CategoryMode) -> &'static str {
    match mode {
        CategoryMode::Free | CategoryMode::Subcategories => {
            "Create the category first using create_category."
        }
        CategoryMode::Strict => "Ask a person to add it to config.yaml.",
    }
}

fn category_phrase(category: &Category) -> String {
    if category.is_empty() { "the store".to_owned() } else { format!("category '{category}'") }
}

fn describe_contents(contents: CategoryContents) -> String {
    let CategoryContents { memories, categories, others, .. } = contents;
    let parts = [
        (memories, "memory", "memories"),
        (categories, "subcategory", "subcategories"),
        (others, "other file", "other files"),
    ];
    let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
    parts.map(|(count, one, many)| pluralize(count, one, many)).collect::<Vec<_>>().join(", ")
}

fn pluralize(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
