//! The five kinds of things a space holds.

use std::fmt;
use std::str::FromStr;

use super::path::{MANIFEST_FILE, SKILL_FILE};

/// What an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ItemType {
    /// A workflow, or an Agent Skill.
    Directive,
    /// A script with an executor chain.
    Tool,
    /// A note with typed links.
    Knowledge,
    /// A short note in a store.
    Memory,
    /// What a tool's chain is pinned to.
    Lockfile,
}

/// A word that names no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a type is directive (skill), tool, knowledge (note), memory or lockfile")]
pub struct ItemTypeError;

impl ItemType {
    /// All of them, in the order they are shown.
    pub const ALL: [Self; 5] =
        [Self::Directive, Self::Tool, Self::Knowledge, Self::Memory, Self::Lockfile];

    /// Its name in fields and messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Directive => "directive",
            Self::Tool => "tool",
            Self::Knowledge => "knowledge",
            Self::Memory => "memory",
            Self::Lockfile => "lockfile",
        }
    }

    /// The folder of a space it lies in.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Directive => "directives",
            Self::Tool => "tools",
            Self::Knowledge => "knowledge",
            Self::Memory => "memory",
            Self::Lockfile => "lockfiles",
        }
    }

    /// The file that makes a folder an item of this type, where a folder can be one.
    pub fn folder_main_file(self) -> Option<&'static str> {
        match self {
            Self::Directive => Some(SKILL_FILE),
            Self::Tool => Some(MANIFEST_FILE),
            Self::Knowledge | Self::Memory | Self::Lockfile => None,
        }
    }

    /// The type that lies in this folder of a space.
    pub fn from_folder(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.folder() == name)
    }
}

impl FromStr for ItemType {
    type Err = ItemTypeError;

    /// Takes the name, its plural, and the words people use for it.
    fn from_str(text: &str) -> Result<Self, ItemTypeError> {
        match text {
            "directive" | "directives" | "skill" | "skills" => Ok(Self::Directive),
            "tool" | "tools" => Ok(Self::Tool),
            "knowledge" | "note" | "notes" => Ok(Self::Knowledge),
            "memory" | "memories" => Ok(Self::Memory),
            "lockfile" | "lockfiles" => Ok(Self::Lockfile),
            _ => Err(ItemTypeError),
        }
    }
}

impl fmt::Display for ItemType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Where an item lives. Smaller wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// In the project's space.
    Project,
    /// In the user's own space.
    User,
    /// In the registry.
    Registry,
}

/// A word that names no scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a scope is project, user or registry")]
pub struct ScopeError;

impl Scope {
    /// Its name.
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
