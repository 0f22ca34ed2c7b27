//! Files and folders of a store that are neither memories nor categories, and why.
//!
//! Names that begin with a dot are left out: they belong to this program, to git or to an editor.

use cap_std::fs::Dir;
use mere_core::item::{Category, IdError, ItemId};

use crate::memory::contents::StoreEntry;
use mere_host::EntryKind;

/// Why an entry of a store is neither a memory nor a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StrayReason {
    /// Its name is not UTF-8.
    NotUtf8,
    /// It is a link.
    Link,
    /// It is Markdown, and its name is not a slug.
    InvalidSlug,
    /// It is Markdown, and its name ends in something other than `.md`.
    WrongEnding,
    /// It is a folder whose name is not that of a category.
    InvalidCategory,
    /// It is a folder below the deepest level of categories.
    TooDeep,
    /// It is any other file.
    OtherFile,
}

impl StrayReason {
    /// Says what is wrong in a few words, of which the entry is the subject.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::NotUtf8 => "its name is not UTF-8",
            Self::Link => "links are not followed",
            Self::InvalidSlug => "its name is not a valid slug",
            Self::WrongEnding => "its name must end in `.md`",
            Self::InvalidCategory => "its name is not a valid category",
            Self::TooDeep => "it is nested too deeply",
            Self::OtherFile => "it is not Markdown",
        }
    }

    /// Returns true if somebody seems to have meant it as a memory or a category.
    pub(crate) fn seems_meant(self) -> bool {
        self != Self::OtherFile
    }
}

/// A file or a folder that is neither a memory nor a category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StoreStray {
    pub(crate) reason: StrayReason,
    pub(crate) is_folder: bool,
    /// How many there are. Names that are not UTF-8 share one path.
    pub(crate) count: u64,
}

impl StoreStray {
    /// Returns the stray that an entry of a category's folder is, if it is one.
    pub(super) fn find(category: &Category, name: Option<&str>, kind: EntryKind) -> Option<Self> {
        if name.is_some_and(|name| name.starts_with('.')) {
            return None;
        }
        let entry = StoreEntry::classify(category, name, kind);
        let (name, is_folder) = match (name, entry) {
            (_, StoreEntry::Description | StoreEntry::Memory(_) | StoreEntry::Category(_)) => {
                return None;
            }
            (name, StoreEntry::OtherFolder) => (name, true),
            (name, StoreEntry::OtherFile) => (name, false),
        };
        let reason = match (name, kind) {
            (None, _) => StrayReason::NotUtf8,
            (Some(_), EntryKind::Link) => StrayReason::Link,
            (Some(name), EntryKind::Folder) => {
                match name.parse::<ItemId>().and_then(|level| category.child(&level)) {
                    Err(IdError::Levels) => StrayReason::TooDeep,
                    _ => StrayReason::InvalidCategory,
                }
            }
            (Some(name), EntryKind::File) => match markdown_stem(name) {
                Some((_, "md")) => StrayReason::InvalidSlug,
                Some(_) => StrayReason::WrongEnding,
                None => StrayReason::OtherFile,
            },
            _ => StrayReason::OtherFile,
        };
        Some(Self { reason, is_folder, count: 1 })
    }

    /// Returns the stray that has this name in the folder of a category now, if there is one.
    pub(super) fn find_on_disk(folder: &Dir, category: &Category, name: &str) -> Option<Self> {
        let kind = folder.symlink_metadata(name).ok()?.file_type();
        let kind = if kind.is_dir() {
            EntryKind::Folder
        } else if kind.is_symlink() {
            EntryKind::Link
        } else if kind.is_file() {
            EntryKind::File
        } else {
            EntryKind::Special
        };
        Self::find(category, Some(name), kind)
    }
}

/// Splits the name of a Markdown file into its stem and its ending.
pub(crate) fn markdown_stem(name: &str) -> Option<(&str, &str)> {
    let endings = ["md", "markdown", "mdx"];
    name.rsplit_once('.')
        .filter(|(_, ending)| endings.iter().any(|markdown| markdown.eq_ignore_ascii_case(ending)))
}
