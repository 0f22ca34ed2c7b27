//! The five types of items, and the three scopes they live in.
//!
//! Parsing accepts several words for a type; printing always uses the same one.

use std::fmt;
use std::str::FromStr;

use super::path::{MANIFEST_FILE, SKILL_FILE};

/// The type of an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemType {
    /// A workflow, or an Agent Skill.
    Directive,
    /// A script with an executor chain.
    Tool,
    /// A knowledge note with typed links.
    Knowledge,
    /// A short note in a store.
    Memory,
    /// The pins of a tool's chain.
    Lockfile,
}

/// A word that is not an item type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a type is directive (skill), tool, knowledge (note), memory or lockfile")]
pub struct ItemTypeError;

impl ItemType {
    /// All types, in the order they are shown.
    pub const ALL: [Self; 5] =
        [Self::Directive, Self::Tool, Self::Knowledge, Self::Memory, Self::Lockfile];

    /// The words that people use for each type.
    pub const WORDS: [(&'static str, Self); 13] = [
        ("directive", Self::Directive),
        ("directives", Self::Directive),
        ("skill", Self::Directive),
        ("skills", Self::Directive),
        ("tool", Self::Tool),
        ("tools", Self::Tool),
        ("knowledge", Self::Knowledge),
        ("note", Self::Knowledge),
        ("notes", Self::Knowledge),
        ("memory", Self::Memory),
        ("memories", Self::Memory),
        ("lockfile", Self::Lockfile),
        ("lockfiles", Self::Lockfile),
    ];

    /// Returns its name in fields and commands.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directive => "directive",
            Self::Tool => "tool",
            Self::Knowledge => "knowledge",
            Self::Memory => "memory",
            Self::Lockfile => "lockfile",
        }
    }

    /// Returns what one item of this type is called in a sentence.
    pub fn noun(self) -> &'static str {
        match self {
            Self::Directive | Self::Tool | Self::Memory | Self::Lockfile => self.name(),
            Self::Knowledge => "knowledge entry",
        }
    }

    /// Returns the folder of a space that items of this type lie in.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Directive => "directives",
            Self::Tool => "tools",
            Self::Knowledge => "knowledge",
            Self::Memory => "memory",
            Self::Lockfile => "lockfiles",
        }
    }

    /// Returns the file that makes a folder an item of this type, if a folder can be one.
    pub fn folder_main_file(self) -> Option<&'static str> {
        match self {
            Self::Directive => Some(SKILL_FILE),
            Self::Tool => Some(MANIFEST_FILE),
            Self::Knowledge | Self::Memory | Self::Lockfile => None,
        }
    }

    /// Returns the type whose items lie in this folder of a space.
    pub fn from_folder(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.folder() == name)
    }
}

impl FromStr for ItemType {
    type Err = ItemTypeError;

    /// Accepts the name, its plural, and other words people use for it.
    fn from_str(text: &str) -> Result<Self, ItemTypeError> {
        let found = Self::WORDS.into_iter().find(|(word, _)| *word == text);
        found.map(|(_, kind)| kind).ok_or(ItemTypeError)
    }
}

impl fmt::Display for ItemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The scope that an item lives in. A smaller scope takes precedence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The project's space.
    Project,
    /// The user's own space.
    User,
    /// The registry.
    Registry,
}

/// A word that is not a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a scope is project, user or registry")]
pub struct ScopeError;

impl Scope {
    /// Returns its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::User => "user",
            Self::Registry => "registry",
        }
    }
}

impl FromStr for Scope {
    type Err = ScopeError;

    fn from_str(text: &str) -> Result<Self, ScopeError> {
        let all = [Self::Project, Self::User, Self::Registry];
        all.into_iter().find(|scope| scope.name() == text).ok_or(ScopeError)
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}
