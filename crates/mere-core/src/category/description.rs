//! The description of a category: a short text that people and agents can see in full.
//!
//! It is checked when it is parsed and never repaired.

use std::fmt;
use std::str::FromStr;

use crate::address::is_invisible;

/// The longest description, in characters.
const MAX_CHARACTERS: usize = 500;

/// The description of a category; empty if it has none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description(String);

/// The reason why a text is not a valid description. The error never repeats the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// The text has more than 500 characters.
    #[error("a description has at most 500 characters")]
    TooLong,
    /// The text has control or invisible characters.
    #[error("a description must not contain control or invisible characters")]
    Character,
}

impl Description {
    /// The empty description.
    pub const EMPTY: Self = Self(String::new());

    /// Returns the description as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Reports whether the description is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl FromStr for Description {
    type Err = DescriptionError;

    fn from_str(text: &str) -> Result<Self, DescriptionError> {
        if text.chars().count() > MAX_CHARACTERS {
            return Err(DescriptionError::TooLong);
        }
        let is_odd = |c: char| c != '\n' && c != '\t' && (c.is_control() || is_invisible(c));
        if text.chars().any(is_odd) {
            return Err(DescriptionError::Character);
        }
        Ok(Self(text.to_owned()))
    }
}

impl fmt::Display for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_short_and_visible() {
        for good in ["", "Standards", "two\nlines", &"é".repeat(500)] {
            assert_eq!(good.parse::<Description>().map(|one| one.to_string()), Ok(good.to_owned()));
        }
        assert_eq!("é".repeat(501).parse::<Description>(), Err(DescriptionError::TooLong));
        for bad in ["a\0", "a\u{202e}b", "a\rb", "\u{200b}"] {
            assert_eq!(bad.parse::<Description>(), Err(DescriptionError::Character), "{bad:?}");
        }
    }
}
