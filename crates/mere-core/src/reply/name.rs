//! A name that was parsed: of an item, a category or a memory.
//!
//! It is small letters, digits, `_`, `-` and slashes between them, so it is no path of a machine
//! even where a part of it is spelled like one: the gate knows it and lets it pass.

use crate::item::{Category, ItemId, ItemRef, MemoryPath};

/// The name of something that agents name too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParsedName(String);

impl ParsedName {
    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The word, if this name begins it: what lies below has a name as well.
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

/// Only what was parsed is one.
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
