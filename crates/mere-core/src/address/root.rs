//! The roots: the named trees an address starts from.
//!
//! A root is only a name here; whether it is visible in a session is decided elsewhere.

use std::fmt;
use std::str::FromStr;

use crate::address::ModName;

/// The root of an address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Root {
    /// The detected project.
    Project,
    /// The user's own space.
    User,
    /// The calling agent's workspace.
    Workspace,
    /// The items of the configured registry. It is virtual: there is no folder behind it.
    Registry,
    /// An extra folder, by its name or its id.
    Mod(ModName),
}

/// A text that is not a root.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a root")]
pub struct RootError;

impl Root {
    /// Parses what `cd` and `home` accept: the root alone, with or without its `:/`.
    pub fn parse_bare(text: &str) -> Result<Self, RootError> {
        text.strip_suffix(":/").unwrap_or(text).parse()
    }

    /// Returns the length of its text in bytes.
    pub(crate) fn text_length(&self) -> usize {
        match self {
            Self::Mod(name) => MOD_PREFIX.len() + name.as_str().len(),
            fixed => fixed.fixed_name().len(),
        }
    }

    /// Appends it to a text.
    pub(crate) fn push_to(&self, text: &mut String) {
        text.push_str(self.fixed_name());
        if let Self::Mod(name) = self {
            text.push_str(name.as_str());
        }
    }

    /// Returns the fixed name of the root, or the prefix of an extra folder's name.
    fn fixed_name(&self) -> &'static str {
        match self {
            Self::Project => "ROOT_PROJECT",
            Self::User => "ROOT_USER",
            Self::Workspace => "ROOT_WORKSPACE",
            Self::Registry => "ROOT_REGISTRY",
            Self::Mod(_) => MOD_PREFIX,
        }
    }
}

/// The prefix before the name of an extra folder.
const MOD_PREFIX: &str = "mod:";

impl FromStr for Root {
    type Err = RootError;

    fn from_str(text: &str) -> Result<Self, RootError> {
        match text {
            "ROOT_PROJECT" => Ok(Self::Project),
            "ROOT_USER" => Ok(Self::User),
            "ROOT_WORKSPACE" => Ok(Self::Workspace),
            "ROOT_REGISTRY" => Ok(Self::Registry),
            _ => {
                let name = text.strip_prefix(MOD_PREFIX).ok_or(RootError)?;
                name.parse().map(Self::Mod).map_err(|_| RootError)
            }
        }
    }
}

impl fmt::Display for Root {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.fixed_name())?;
        match self {
            Self::Mod(name) => f.write_str(name.as_str()),
            _ => Ok(()),
        }
    }
}
