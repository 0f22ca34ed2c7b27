//! One name between two slashes of an address.
//!
//! A `Segment` is checked when it is created and never repaired, so whoever holds one may pass it
//! to a directory handle as a single component: it has no separator, is not `.` or `..`, and has no
//! character that a person reading it could not see, except where writing needs one.

use std::fmt;
use std::str::FromStr;

use super::characters::has_address_characters;

/// The longest segment in bytes, which every common file system allows.
pub const MAX_SEGMENT_BYTES: usize = 255;

/// A valid path component.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Segment(String);

/// The reason why a text is not a segment. The error says what is wrong and never repeats the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SegmentError {
    /// The segment is empty.
    #[error("a segment is empty")]
    Empty,
    /// The segment is `.` or `..`.
    #[error("a segment is `.` or `..`")]
    Dots,
    /// The segment is longer than [`MAX_SEGMENT_BYTES`].
    #[error("a segment is longer than 255 bytes")]
    TooLong,
    /// The segment has a separator, a control character, or an invisible character.
    #[error("a segment has a character that addresses do not allow")]
    Character,
}

impl Segment {
    /// Returns the segment as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Checks that a text is a segment.
    pub fn check(text: &str) -> Result<(), SegmentError> {
        if text.is_empty() {
            return Err(SegmentError::Empty);
        }
        if text == "." || text == ".." {
            return Err(SegmentError::Dots);
        }
        if text.len() > MAX_SEGMENT_BYTES {
            return Err(SegmentError::TooLong);
        }
        let plain = |byte: u8| matches!(byte, b' '..=b'~') && !matches!(byte, b'/' | b'\\');
        if !text.bytes().all(plain) && (text.contains('/') || !has_address_characters(text)) {
            return Err(SegmentError::Character);
        }
        if cfg!(windows) && text.contains(':') {
            // On Windows a colon opens an alternate data stream.
            return Err(SegmentError::Character);
        }
        Ok(())
    }

    /// Creates a segment from part of a path whose segments have been checked already.
    pub(crate) fn from_checked(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl FromStr for Segment {
    type Err = SegmentError;

    fn from_str(text: &str) -> Result<Self, SegmentError> {
        Self::check(text).map(|()| Self(text.to_owned()))
    }
}

impl fmt::Display for Segment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(), SegmentError>) {
        assert_eq!(text.parse::<Segment>().map(|_| ()), expected, "{text:?}");
    }

    #[test]
    fn accepts_ordinary_names() {
        for name in ["a", "a.rs", "..a", "...", "%2e%2e", "naïve", "日本", "a b", "~x", "-"] {
            check(name, Ok(()));
        }
        check(&"a".repeat(255), Ok(()));
    }

    #[test]
    fn rejects_what_an_address_must_not_hold() {
        check("", Err(SegmentError::Empty));
        check(".", Err(SegmentError::Dots));
        check("..", Err(SegmentError::Dots));
        check(&"a".repeat(256), Err(SegmentError::TooLong));
        for name in [
            "a/b",
            "a\\b",
            "a\0",
            "a\n",
            "\u{7f}",
            "a\u{202e}b",
            "a\u{200b}",
            "\u{feff}a",
            "a\u{2066}",
            "a\u{e0041}",
            "a\u{85}",
        ] {
            check(name, Err(SegmentError::Character));
        }
    }
}
