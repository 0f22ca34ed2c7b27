//! What a category is for, in a few words.

use std::fmt;
use std::str::FromStr;

use crate::segment::is_invisible;

/// The longest description, in characters.
const MAX_CHARACTERS: usize = 500;

/// The description of a category; empty for none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Description(String);

/// Why a text describes nothing. Never repeats it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescriptionError {
    /// Over 500 characters.
    #[error("a description has at most 500 characters")]
    TooLong,
    /// It holds what nobody can see.
    #[error("a description has no control or invisible characters")]
    Character,
}

impl Description {
    /// None.
    pub const EMPTY: Self = Self(String::new());

    /// The description as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether there is none.
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
