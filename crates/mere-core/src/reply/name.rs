//! A parsed name of an item, a category or a memory.
//!
//! It consists of lowercase letters, digits, `_`, `-` and slashes between them, so it is not a host
//! path even if a part of it is spelled like one. The gate therefore lets it pass.

use crate::item::{Category, ItemId, ItemRef, MemoryPath};

/// A name that was parsed, of something that agents name too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedName(String);

impl ParsedName {
    /// Returns the name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns `word` as a name if it is this name or something below it.
    pub(super) fn match_word(&self, word: &str) -> Option<Self> {
        let below = word.strip_prefix(&self.0)?;
        let is_name = below.is_empty() || below.starts_with('/') && !below.contains("//");
        is_name.then(|| Self(word.to_owned()))
    }
}

impl std::fmt::Display for ParsedName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Implements the only conversions into a [`ParsedName`]: those from parsed types.
macro_rules! named {
    ($($parsed:ty),*) => {$(
        impl From<&$parsed> for ParsedName {
            fn from(parsed: &$parsed) -> Self {
                Self(parsed.to_string())
            }
        }
    )*};
}

named!(Category, ItemId, ItemRef, MemoryPath);
