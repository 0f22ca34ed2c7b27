//! The reason why a change to categories or memories is refused.
//!
//! The messages are part of the contract: people script against them.

use jiff::Timestamp;

use super::{CategoryMode, MemoryOperation};
use crate::item::{Category, ItemType, MemoryPath};
use crate::reply::{ParsedName, Prose};
use crate::schema::Problem;

/// The largest number of categories a message lists.
const MAX_NAMED: usize = 100;

/// The owner of a set of categories.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CategoryOwner {
    /// The categories of a store.
    Store,
    /// The categories of the items of one type.
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

/// The number of things in a category.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CategoryContents {
    /// Memories, including those in subcategories.
    pub memories: u64,
    /// Subcategories at any depth.
    pub categories: u64,
    /// Files that are not memories, and files that may not be seen, at any depth.
    pub other_files: u64,
    /// Folders that are not categories, at any depth.
    pub other_folders: u64,
    /// How many memories, categories and other files of categories may not be seen.
    pub hidden: u64,
}

impl CategoryContents {
    /// Reports whether the category contains nothing.
    pub fn is_empty(self) -> bool {
        self == Self::default()
    }

    /// Counts what is neither a memory nor a category.
    pub fn others(self) -> u64 {
        self.other_files + self.other_folders
    }

    /// Describes the contents in a few words, such as `2 memories, 1 other file`.
    pub fn describe(self) -> String {
        let parts = [
            (self.memories, "memory", "memories"),
            (self.categories, "subcategory", "subcategories"),
            (self.other_files, "other file", "other files"),
            (self.other_folders, "other folder", "other folders"),
        ];
        let parts = parts.into_iter().filter(|(count, ..)| *count > 0);
        parts.map(|(count, one, many)| pluralize(count, one, many)).collect::<Vec<_>>().join(", ")
    }
}

/// A change that policy denies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// The top category is neither configured nor present.
    #[error(
        "Cannot create root category '{root}': {owner} is in 'subcategories' mode. {}",
        allowed_roots(.allowed)
    )]
    NewTopCategory {
        /// The owner of the categories.
        owner: CategoryOwner,
        /// The top category.
        root: Category,
        /// The top categories that may be used.
        allowed: Vec<Category>,
    },
    /// Categories may not be created in strict mode.
    #[error("Cannot create category '{path}': {owner} is in 'strict' mode.")]
    CreateInStrictMode {
        /// The owner of the categories.
        owner: CategoryOwner,
        /// The category to create.
        path: Category,
        /// The categories of the configuration.
        known: Vec<Category>,
    },
    /// Categories may not be deleted in strict mode.
    #[error("Cannot delete category '{path}': {owner} is in 'strict' mode.")]
    DeleteInStrictMode {
        /// The owner of the categories.
        owner: CategoryOwner,
        /// The category to delete.
        path: Category,
    },
    /// The category is in the configuration, so it may not be deleted.
    #[error(
        "Cannot delete category '{path}': category is defined in store configuration and is \
         protected. Remove it from config.yaml to allow deletion."
    )]
    Protected {
        /// The protected category.
        path: Category,
    },
    /// The category is in the configuration, so its description is set there.
    #[error(
        "Cannot set description of category '{path}': category is defined in store configuration \
         and is protected. Change it in config.yaml."
    )]
    ProtectedDescription {
        /// The protected category.
        path: Category,
    },
    /// The mode is strict and the configuration names no category at all.
    #[error(
        "Cannot create {what} in category '{category}': {owner} is in 'strict' mode and its \
         configuration names no categories."
    )]
    NoCategories {
        /// The owner of the categories.
        owner: CategoryOwner,
        /// What was to be created there.
        what: &'static str,
        /// The category that was asked for.
        category: Category,
    },
    /// The policy of a category forbids the operation.
    #[error("Cannot {} memory at '{path}': {} does not permit it (`permissions.{}` in config.yaml).", .operation.name(), category_phrase(.category), .operation.name())]
    OperationDenied {
        /// The denied operation.
        operation: MemoryOperation,
        /// The memory it was meant for.
        path: MemoryPath,
        /// The category whose policy denies it.
        category: Category,
    },
    /// The category holds memories that may not be deleted.
    #[error(
        "Cannot delete category '{path}': it holds {} that may not be removed \
         (`permissions.delete` in config.yaml).",
        pluralize(*.memories, "memory", "memories")
    )]
    UndeletableMemories {
        /// The category to delete.
        path: Category,
        /// How many memories it holds.
        memories: u64,
    },
    /// The category holds nothing but what is neither a memory nor a category, or something that
    /// may not be seen.
    #[error(
        "Cannot delete category '{path}': it contains {} that agents may not delete. Ask a person \
         to check what is there.",
        pluralize(*.others, "other file", "other files")
    )]
    ForeignFiles {
        /// The category to delete.
        path: Category,
        /// How many such files and folders there are.
        others: u64,
    },
    /// The content of a memory is too long.
    #[error("Cannot write memory at '{path}': its content has {length} bytes and {} allows {most} (`maxContentLength` in config.yaml).", category_phrase(.category))]
    ContentTooLong {
        /// The memory.
        path: MemoryPath,
        /// The category whose policy sets the limit.
        category: Category,
        /// The length of the content, in bytes.
        length: u64,
        /// The largest length allowed.
        most: u64,
    },
    /// The category is full.
    #[error("Cannot create memory at '{path}': {} holds {} already and may hold {most} (`maxMemories` in config.yaml).", category_phrase(.category), pluralize(*.count, "memory", "memories"))]
    CategoryFull {
        /// The memory.
        path: MemoryPath,
        /// The category whose policy sets the limit.
        category: Category,
        /// How many memories it holds.
        count: u64,
        /// How many it may hold.
        most: u64,
    },
    /// The memory would be kept for too long.
    #[error("Cannot write memory at '{path}': {} keeps memories for at most {} (`defaultTtl` in config.yaml). Set `expires_at` to {latest:.0} or earlier.", category_phrase(.category), pluralize(u64::from(*.days), "day", "days"))]
    ExpiryTooLate {
        /// The memory.
        path: MemoryPath,
        /// The category whose policy sets the limit.
        category: Category,
        /// How many days memories are kept.
        days: u32,
        /// The latest expiry allowed.
        latest: Timestamp,
    },
}

/// Whether the configuration names a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configured {
    /// It does.
    Yes,
    /// It does not.
    No,
}

/// A change that is wrong in itself: the caller can correct it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidChange {
    /// The category of a memory does not exist.
    #[error("Cannot create memory at '{path}': category '{category}' does not exist. {}", remedy(*.mode, *.configured))]
    MemoryCategoryMissing {
        /// The memory.
        path: MemoryPath,
        /// The missing category.
        category: Category,
        /// The category mode, which decides the remedy in the message.
        mode: CategoryMode,
        /// Whether the configuration names the category, which was not created yet.
        configured: Configured,
        /// The categories that there are: in strict mode those of the configuration, else the top
        /// ones.
        known: Vec<Category>,
    },
    /// The category does not exist.
    #[error("Cannot {what} category '{path}': it does not exist.")]
    CategoryMissing {
        /// The verb of the change, for the message.
        what: &'static str,
        /// The missing category.
        path: Category,
        /// Whether the configuration names it.
        configured: Configured,
    },
    /// Something that is not a category has its name, or the name of one of its ancestors.
    #[error(
        "Cannot create category '{path}': something that is not a category already has this name, \
         or the name of one of its parents."
    )]
    Obstructed {
        /// The category to create.
        path: Category,
    },
    /// The path of the memory is the path of a category.
    #[error(
        "Cannot create memory at '{path}': a category has that name. Add the memory's own name: \
         '{path}/name'."
    )]
    NameIsCategory {
        /// The memory.
        path: MemoryPath,
    },
    /// The memory to be pruned has not expired.
    #[error("Cannot prune memory at '{path}': it has not expired.")]
    NotExpired {
        /// The memory.
        path: MemoryPath,
    },
    /// The category to delete is not empty.
    #[error(
        "Cannot delete category '{path}': it is not empty ({}). Set `recursive` to delete its \
         contents as well.",
        .contents.describe()
    )]
    NotEmpty {
        /// The category.
        path: Category,
        /// Its contents.
        contents: CategoryContents,
    },
    /// The frontmatter does not fit the category's schema.
    #[error("Cannot write memory at '{path}': its frontmatter does not fit the schema of {}.", category_phrase(.category))]
    SchemaMismatch {
        /// The memory.
        path: MemoryPath,
        /// The category whose policy has the schema.
        category: Category,
        /// The problems that the schema found.
        problems: Vec<Problem>,
    },
}

impl Denial {
    /// Returns the message, with every name in it marked as a name.
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
    /// Returns the message, with every name in it marked as a name.
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

/// Turns a message into prose that marks the given names. Empty names are skipped, because they do
/// not appear in the message.
fn prose_naming(words: &str, names: &[ParsedName]) -> Prose {
    let names = names.iter().filter(|name| !name.as_str().is_empty()).cloned();
    Prose::with_names(words, &names.collect::<Vec<_>>())
}

/// The reason why there is no permit.
#[derive(Debug)]
pub enum Refusal<E> {
    /// Policy denies the change: a person must be asked.
    Denied(Denial),
    /// The change is wrong: the caller must correct it.
    Invalid(InvalidChange),
    /// The state of the store could not be read.
    Unreadable(E),
}

impl<E> From<Denial> for Refusal<E> {
    fn from(denial: Denial) -> Self {
        Self::Denied(denial)
    }
}

impl<E> From<InvalidChange> for Refusal<E> {
    fn from(change: InvalidChange) -> Self {
        Self::Invalid(change)
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

/// Returns the one thing to do about a missing category.
fn remedy(mode: CategoryMode, configured: Configured) -> &'static str {
    match (mode, configured) {
        (CategoryMode::Free | CategoryMode::Subcategories, _) => {
            "Create the category first using create_category."
        }
        (CategoryMode::Strict, Configured::Yes) => "Ask a person to run mere store sync.",
        (CategoryMode::Strict, Configured::No) => "Ask a person to add it to config.yaml.",
    }
}

fn category_phrase(category: &Category) -> String {
    if category.is_empty() { "the store".to_owned() } else { format!("category '{category}'") }
}

fn pluralize(count: u64, one: &str, many: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {many}") }
}
