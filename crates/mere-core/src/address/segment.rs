//! One name between two slashes of an address.
//!
//! A `Segment` is checked when it is created and never repaired, so whoever holds one may pass it
//! to a directory handle as a single component: it has no separator, is not `.` or `..`, and has no
//! character that a person reading it could not see.

use std::fmt;
use std::str::FromStr;

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
        if !text.bytes().all(plain) && text.chars().any(|c| c == '/' || !is_address_character(c)) {
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

/// Reports whether a character may occur in an address: it is not a control character, not a
/// backslash, and does not change invisibly how the text around it is read.
pub fn is_address_character(c: char) -> bool {
    !c.is_control()
        && !matches!(
            c,
            '\\' | '\u{ad}'
                | '\u{34f}'
                | '\u{61c}'
                | '\u{115f}'
                | '\u{1160}'
                | '\u{17b4}'
                | '\u{17b5}'
                | '\u{180b}'..='\u{180f}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{3164}'
                | '\u{fdd0}'..='\u{fdef}'
                | '\u{fe00}'..='\u{fe0f}'
                | '\u{feff}'
                | '\u{ffa0}'
                | '\u{fff0}'..='\u{fffb}'
                | '\u{fffe}'..='\u{ffff}'
                | '\u{13430}'..='\u{1343f}'
                | '\u{1bca0}'..='\u{1bca3}'
                | '\u{1d173}'..='\u{1d17a}'
                | '\u{e0000}'..='\u{e0fff}'
        )
}

/// Reports whether a character is invisible on a screen, so that a text with it is not what it
/// looks like.
pub fn is_invisible(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
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
