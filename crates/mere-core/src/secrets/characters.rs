//! Character sets of secrets, where a secret may begin, and placeholders that only look like one.
//!
//! No set contains a character after which a secret may begin, except [`CharSet::Base64`], whose
//! forms are short. That keeps the search linear.

/// A set of ASCII characters.
#[derive(Clone, Copy, Debug)]
pub(super) enum CharSet {
    /// Hexadecimal digits.
    Hex,
    /// Capitals and digits.
    Capital,
    /// Letters and digits.
    Letter,
    /// Letters, digits, `_` and `-`.
    Word,
    /// Letters, digits, `+`, `/` and `=`.
    Base64,
}

impl CharSet {
    pub(super) fn contains(self, byte: u8) -> bool {
        match self {
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Capital => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Letter => byte.is_ascii_alphanumeric(),
            Self::Word => is_word_byte(byte),
            Self::Base64 => byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'='),
        }
    }

    /// Counts the bytes at the start of `bytes` that are in the set.
    pub(super) fn leading_run(self, bytes: &[u8]) -> usize {
        bytes.iter().take_while(|byte| self.contains(**byte)).count()
    }

    /// Counts the bytes at the end of `bytes` that are in the set.
    pub(super) fn trailing_run(self, bytes: &[u8]) -> usize {
        bytes.iter().rev().take_while(|byte| self.contains(**byte)).count()
    }
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Checks whether a secret may begin after `before`, which must not end inside a word. An escape
/// ends in letters or digits without being a word, and precedes secrets in JSON, URLs and logs
/// with colours.
pub(super) fn can_begin_after(before: &[u8]) -> bool {
    before.last().is_none_or(|byte| !is_word_byte(*byte)) || has_escape_suffix(before)
}

fn has_escape_suffix(before: &[u8]) -> bool {
    let hex = |digits: &[u8]| digits.iter().all(u8::is_ascii_hexdigit);
    match before {
        [.., b'\\', b'n' | b'r' | b't'] => true,
        [.., b'%', a, b] | [.., b'\\', b'x', a, b] if hex(&[*a, *b]) => true,
        [.., b'\\', b'u', a, b, c, d] if hex(&[*a, *b, *c, *d]) => true,
        [colour @ .., b'm'] => {
            let numbers = |byte: &&u8| byte.is_ascii_digit() || **byte == b';';
            let length = colour.iter().rev().take(16).take_while(numbers).count();
            colour[..colour.len() - length].ends_with(b"[")
        }
        _ => false,
    }
}

/// The number of characters at the end of a secret that are random in every form.
const RANDOM_TAIL: usize = 16;
const MIN_DISTINCT: usize = 6;

/// Checks whether the end of `body` could be random; `xxxxxxxx` and `replace-me-with-your-key`
/// could not. Padding or a ruler of dashes right after the body is ignored.
pub(super) fn is_plausibly_random(body: &[u8]) -> bool {
    let length = body.iter().rposition(u8::is_ascii_alphanumeric).map_or(0, |last| last + 1);
    let end = &body[length.saturating_sub(RANDOM_TAIL)..length];
    let distinct = end.iter().enumerate().filter(|(at, byte)| !end[..*at].contains(byte)).count();
    distinct >= MIN_DISTINCT && end.iter().any(|byte| CharSet::Capital.contains(*byte))
}
