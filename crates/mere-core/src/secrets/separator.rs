//! What stands between a name and its value, in the notations that assign values to names.

use std::ops::Range;

use super::assignment::MAX_GAP_BYTES;

/// What stands between a name and its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Separator {
    /// `=` without gaps, as in environments, URLs and connection strings.
    Tight,
    /// `=`, `:=`, `?=` or `=>`.
    Equals,
    Colon,
    /// Anything after which only a quoted value counts: `=` after a colon and a type, `||`, and the
    /// comma in a call with name and value.
    Quoted,
    /// `>` of an element.
    Tag,
    /// The gap after an option of a command.
    Gap,
    /// The value stands beside the name under a name of its own: `name: X`, `value: …`.
    Beside,
}

impl Separator {
    /// Parses what follows a name, and returns where the value begins.
    pub(super) fn parse(text: &str, name: &Range<usize>) -> Option<(Self, usize)> {
        let bytes = text.as_bytes();
        let end = name.end + emphasis_length(&bytes[name.end..]);
        let quoted = end + quote_length(&bytes[end..]);
        let closed = quoted + usize::from(quoted > end && bytes.get(quoted) == Some(&b']'));
        let at = closed + gap_length(&bytes[closed..]);
        let rest = &bytes[at..];
        let (separator, length) = match rest {
            [b':', b':', ..] | [b'=', b'=' | b'~', ..] => return None,
            [b'=', b'>', ..] | [b':' | b'?', b'=', ..] => (Self::Equals, 2),
            [b'|', b'|', ..] | [b'?', b'?', ..] => (Self::Quoted, 2),
            [b',', ..] if quoted > end && is_first_argument(text, name.start) => (Self::Quoted, 1),
            [b'=', ..] => (Self::Equals, 1),
            [b':', ..] => (Self::Colon, 1),
            [b'>', ..] if at == end => (Self::Tag, 1),
            _ if at > end && quoted == end && rest.first().is_some_and(u8::is_ascii_graphic) => {
                (Self::Gap, 0)
            }
            _ => return Self::parse_beside(text, quoted),
        };
        let value = at + length + emphasis_length(&bytes[at + length..]);
        let gap = gap_length(&bytes[value..]);
        let gap = gap + tag_length(&bytes[value + gap..]);
        let is_tight = separator == Self::Equals && at == quoted && gap == 0;
        Some((if is_tight { Self::Tight } else { separator }, value + gap))
    }

    /// Parses `, "value": ` and `\n  value: ` after the end of a name that is itself a value.
    fn parse_beside(text: &str, end: usize) -> Option<(Self, usize)> {
        let skip = |from: usize, skipped: &[u8]| {
            let near = &text.as_bytes()[from..text.len().min(from + MAX_GAP_BYTES)];
            from + near.iter().take_while(|byte| skipped.contains(byte)).count()
        };
        let start = skip(end, b" \t\r\n,\\n\"'");
        let word = text.get(start..start + 5)?;
        if !word.eq_ignore_ascii_case("value") {
            return None;
        }
        let at = skip(start + 5, b"\\\"' \t");
        let separator = text.as_bytes().get(at)?;
        let value = at + 1;
        let gap = gap_length(&text.as_bytes()[value..]);
        matches!(separator, b':' | b'=').then_some((Self::Beside, value + gap))
    }
}

/// Checks whether the quoted name at `name` is the first argument of a call.
fn is_first_argument(text: &str, name: usize) -> bool {
    let before = text[..name].trim_end_matches(['"', '\'', '`', '\\']);
    before.len() < name && before.ends_with('(')
}

/// Measures the asterisks that emphasise a name in Markdown.
fn emphasis_length(bytes: &[u8]) -> usize {
    bytes.iter().take(2).take_while(|byte| **byte == b'*').count()
}

/// Measures a tag or an anchor of YAML before a value, with the gap after it.
fn tag_length(bytes: &[u8]) -> usize {
    let is_tag = bytes.starts_with(b"!!") || bytes.starts_with(b"&");
    let near = &bytes[..bytes.len().min(MAX_GAP_BYTES)];
    let word = near.iter().take_while(|byte| byte.is_ascii_graphic()).count();
    let gap = gap_length(&near[word..]);
    if is_tag && gap > 0 { word + gap } else { 0 }
}

/// Measures the quote that `bytes` begin with, with the backslashes before it.
pub(super) fn quote_length(bytes: &[u8]) -> usize {
    let escapes = bytes.iter().take(8).take_while(|byte| **byte == b'\\').count();
    match bytes.get(escapes) {
        Some(b'"' | b'\'' | b'`') => escapes + 1,
        _ => 0,
    }
}

pub(super) fn gap_length(bytes: &[u8]) -> usize {
    bytes.iter().take(MAX_GAP_BYTES).take_while(|byte| matches!(byte, b' ' | b'\t')).count()
}
