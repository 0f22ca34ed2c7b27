//! Names of extra folders and of agents, as people and configurations give them.
//!
//! Both share one alphabet, `[A-Za-z0-9][A-Za-z0-9._-]{0,63}`, so a name is always a single safe
//! path segment and can never look like `..` or a root.

use std::fmt;
use std::str::FromStr;

/// The longest name in bytes.
pub const MAX_NAME_BYTES: usize = 64;

/// A text that is not a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "a name starts with a letter or digit, and has at most 64 letters, digits, `.`, `_` or `-`"
)]
pub struct NameError;

/// The name or id of an extra folder, as in `mod:docs:/`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModName(String);

/// The name of the agent that a call is made for. It also names that agent's workspace.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct AgentName(String);

impl ModName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl ModName {
    /// Returns the name of the store that exists if none is configured.
    pub fn default_store() -> Self {
        Self("memory".to_owned())
    }

    /// Derives a name from the title of a folder, by the same rule as for an agent.
    pub fn from_title(title: &str) -> Option<Self> {
        sanitize_title(title)?.parse().ok()
    }
}

impl AgentName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Derives a name from the title a client introduced itself with: every run of other characters
    /// becomes one `-`. Returns `None` if nothing of the title is left.
    pub fn from_title(title: &str) -> Option<Self> {
        sanitize_title(title)?.parse().ok()
    }
}

fn sanitize_title(title: &str) -> Option<String> {
    let words = title.split(|c: char| !c.is_ascii_alphanumeric() && !"._-".contains(c));
    let joined = words.filter(|w| !w.is_empty()).collect::<Vec<_>>().join("-");
    let start = joined.find(|c: char| c.is_ascii_alphanumeric())?;
    Some(joined[start..].chars().take(MAX_NAME_BYTES).collect())
}

impl Default for AgentName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

fn parse_name(text: &str) -> Result<String, NameError> {
    let starts_well = text.starts_with(|c: char| c.is_ascii_alphanumeric());
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if starts_well && text.len() <= MAX_NAME_BYTES && text.chars().all(allowed) {
        Ok(text.to_owned())
    } else {
        Err(NameError)
    }
}

impl FromStr for ModName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        parse_name(text).map(Self)
    }
}

impl FromStr for AgentName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        parse_name(text).map(Self)
    }
}

impl fmt::Display for ModName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_one_safe_segment() {
        for good in ["a", "A1", "a.b_c-d", &"x".repeat(64)] {
            assert!(good.parse::<ModName>().is_ok(), "{good}");
        }
        for bad in ["", ".", "..", ".a", "-a", "a/b", "a b", "a:b", "é", &"x".repeat(65)] {
            assert!(bad.parse::<ModName>().is_err(), "{bad}");
            assert!(bad.parse::<AgentName>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_clients_title_becomes_a_name() {
        let name = |title| AgentName::from_title(title).map(|n| n.to_string());
        assert_eq!(name("Claude Code").as_deref(), Some("Claude-Code"));
        assert_eq!(name("../../etc").as_deref(), Some("etc"));
        assert_eq!(name("日本"), None);
        assert_eq!(name(&"x".repeat(300)).map(|n| n.len()), Some(64));
        let name = |title| ModName::from_title(title).map(|n| n.to_string());
        assert_eq!(name("My notes").as_deref(), Some("My-notes"));
        assert_eq!(name("日本"), None);
    }
}
