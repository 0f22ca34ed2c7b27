//! Reads a text the way the programs do that will take a path from it.
//!
//! A path can be written with escapes of JSON, URLs, HTML, C and shells, with quotes or emphasis in
//! the middle, in colours, and with `//` and `/./`: all of these are one path. The reading is the
//! same for the folders that are looked for and for the text, so both need not be spelled alike. It
//! is lazy, because hardly any text needs more than its separators read.

use crate::address::is_invisible;

/// How often an escape can be escaped again: `%252F` has two layers.
pub(super) const MAX_LAYERS: usize = 8;
/// The most digits of a numeric entity that are read.
const MAX_ENTITY_DIGITS: usize = 7;
/// The longest colour sequence of a terminal that is recognised.
const MAX_COLOUR_BYTES: usize = 24;

/// Entities of HTML that have a name, as far as they occur in paths.
const ENTITIES: [(&[u8], u8); 12] = [
    (b"sol;", b'/'),
    (b"bsol;", b'\\'),
    (b"amp;", b'&'),
    (b"percnt;", b'%'),
    (b"quot;", b'"'),
    (b"apos;", b'\''),
    (b"lt;", b'<'),
    (b"gt;", b'>'),
    (b"period;", b'.'),
    (b"lowbar;", b'_'),
    (b"UnderBar;", b'_'),
    (b"nbsp;", b' '),
];

/// The meaning of a unit in a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum UnitRole {
    /// A part of a name.
    Name,
    /// A separator of names.
    Separator,
    /// A quote, a sign of emphasis, a colour, or a character that nobody sees. A path is the same
    /// without it.
    Mark,
}

/// One character of a path as it is read, or one byte of a character.
#[derive(Clone, Copy, Debug)]
pub(super) struct PathUnit {
    pub(super) role: UnitRole,
    bytes: [u8; 4],
    count: usize,
    /// The number of bytes that it takes in the text.
    pub(super) length: usize,
}

impl PathUnit {
    /// Returns what a name has at this place.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes[..self.count]
    }

    fn mark(length: usize) -> Self {
        Self { role: UnitRole::Mark, bytes: [0; 4], count: 0, length }
    }

    fn from_byte(byte: u8, length: usize) -> Self {
        let role = match byte {
            b'/' => UnitRole::Separator,
            b'\\' if cfg!(windows) => UnitRole::Separator,
            b'"' | b'\'' | b'`' | b'*' => UnitRole::Mark,
            _ => UnitRole::Name,
        };
        // In a form, a plus sign is a space.
        let byte = if byte == b'+' { b' ' } else { byte };
        Self { role, bytes: [byte, 0, 0, 0], count: 1, length }
    }

    fn from_char(c: char, length: usize) -> Self {
        if c.is_ascii() {
            return Self::from_byte(c as u8, length);
        }
        let mut bytes = [0; 4];
        let count = c.encode_utf8(&mut bytes).len();
        let role = if is_invisible(c) { UnitRole::Mark } else { UnitRole::Name };
        Self { role, bytes, count, length }
    }
}

/// Reads the first unit of a text, which is a part of a valid UTF-8 text.
#[inline]
pub(super) fn read_unit(text: &[u8]) -> Option<PathUnit> {
    let first = *text.first()?;
    Some(match first {
        b'%' | b'\\' | b'&' => read_escape(text, first),
        b'$' if matches!(text.get(1), Some(b'"' | b'\'')) => PathUnit::mark(2),
        0x1b => read_colour(text),
        0x80.. => read_character(text),
        byte => PathUnit::from_byte(byte, 1),
    })
}

/// Returns the end of the separators that begin at `at`: `/`, `//`, `/./`, in any spelling.
pub(super) fn skip_separators(text: &[u8], mut at: usize) -> usize {
    // Most separators are single slashes before a name.
    while text.get(at) == Some(&b'/') {
        at += 1;
        match text.get(at) {
            Some(b'/') => {}
            Some(b'.' | b'%' | b'\\' | b'&') => break,
            _ => return at,
        }
    }
    while let Some(end) = dot_end(text, at).filter(|dot| separator_end(text, *dot).is_some()) {
        at = separator_end(text, end).unwrap_or(end);
    }
    while let Some(end) = separator_end(text, at) {
        at = end;
        while let Some(end) = dot_end(text, at).filter(|dot| separator_end(text, *dot).is_some()) {
            at = separator_end(text, end).unwrap_or(end);
        }
    }
    at
}

/// Checks whether a name that begins with `byte` in a text may be read as another one.
pub(super) fn may_be_other(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'&' | b'$' | b'"' | b'\'' | b'`' | b'*' | b'+' | 0x1b | 0x80..)
}

/// Returns the end of one separator.
pub(super) fn separator_end(text: &[u8], at: usize) -> Option<usize> {
    let unit = read_unit(&text[at..])?;
    (unit.role == UnitRole::Separator).then_some(at + unit.length)
}

/// Returns the end of the name `..` and of what separates it from the next name.
pub(super) fn parent_end(text: &[u8], at: usize) -> Option<usize> {
    let end = dot_end(text, dot_end(text, at)?)?;
    separator_end(text, end).map(|_| skip_separators(text, end))
}

fn dot_end(text: &[u8], at: usize) -> Option<usize> {
    let unit = read_unit(&text[at..])?;
    (unit.bytes() == b".").then_some(at + unit.length)
}

/// Returns the end of `name` if the text has it at `at`.
pub(super) fn name_end(text: &[u8], mut at: usize, name: &str) -> Option<usize> {
    let mut rest = name.as_bytes();
    while !rest.is_empty() {
        let unit = read_unit(&text[at..])?;
        if unit.role != UnitRole::Mark {
            rest = rest.strip_prefix(unit.bytes())?;
        }
        at += unit.length;
    }
    Some(at)
}

/// Checks whether a name ends where `rest` begins. Signs that join words, such as `-`, continue it
/// only if a letter or a digit follows. Letters outside ASCII do not continue it: in many languages
/// prose follows a path without a space, and a leak is worse than rewriting a sibling.
pub(super) fn is_name_end(rest: &[u8]) -> bool {
    let mut at = 0;
    let mut previous = None;
    while let Some(unit) = read_unit(&rest[at..]) {
        match unit.bytes() {
            [byte] if byte.is_ascii_alphanumeric() => return false,
            // An ellipsis and a dash follow a name.
            [byte @ (b'.' | b'-')] if previous != Some(*byte) => previous = Some(*byte),
            b"_" => previous = Some(b'_'),
            _ => return true,
        }
        at += unit.length;
    }
    true
}

/// Returns a text without its escapes. Its signs stay: what a path touches matters to the caller.
pub(super) fn read_plain(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(unit) = read_unit(&bytes[at..]) {
        let is_escaped = unit.length != unit.count;
        let as_written = &bytes[at..at + unit.length];
        plain.extend_from_slice(if is_escaped { unit.bytes() } else { as_written });
        at += unit.length;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

/// Returns a folder's path as it is read, with one slash before each name.
pub(super) fn read_folder(path: &str) -> Vec<u8> {
    let bytes = path.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(unit) = read_unit(&bytes[at..]) {
        match unit.role {
            UnitRole::Mark => {}
            UnitRole::Name => plain.extend_from_slice(unit.bytes()),
            UnitRole::Separator if plain.ends_with(b"/") => {}
            UnitRole::Separator => plain.push(b'/'),
        }
        at += unit.length;
    }
    while plain.ends_with(b"/") {
        plain.pop();
    }
    plain
}

/// Reads an escape that may be escaped itself. What is no escape is read as it is.
fn read_escape(text: &[u8], first: u8) -> PathUnit {
    let (mut lead, mut length) = (first, 1);
    for _ in 0..MAX_LAYERS {
        let body = &text[length..];
        let read = match lead {
            b'%' => read_percent(body),
            b'&' => read_entity(body),
            _ => read_backslash(body),
        };
        let Some(unit) = read else { break };
        length += unit.length;
        match unit.bytes() {
            [byte @ (b'%' | b'&' | b'\\')] => lead = *byte,
            _ => return PathUnit { length, ..unit },
        }
    }
    // A backslash that escapes nothing may be left out.
    if lead == b'\\' && !cfg!(windows) {
        return PathUnit::mark(length);
    }
    PathUnit::from_byte(lead, length)
}

fn read_percent(body: &[u8]) -> Option<PathUnit> {
    Some(PathUnit::from_byte(u8::try_from(hex_value(body.get(..2)?)?).ok()?, 2))
}

fn read_entity(body: &[u8]) -> Option<PathUnit> {
    let Some(number) = body.strip_prefix(b"#") else {
        let named = ENTITIES.iter().find(|(name, _)| body.starts_with(name));
        return named.map(|(name, byte)| PathUnit::from_byte(*byte, name.len()));
    };
    let is_hex = matches!(number.first(), Some(b'x' | b'X'));
    let (prefix, radix) = if is_hex { (2, 16) } else { (1, 10) };
    let digits = &body[prefix..];
    let is_digit = |byte: &&u8| char::from(**byte).is_digit(radix);
    let count = digits.iter().take(MAX_ENTITY_DIGITS).take_while(is_digit).count();
    let value = u32::from_str_radix(std::str::from_utf8(&digits[..count]).ok()?, radix).ok()?;
    let semicolon = usize::from(digits.get(count) == Some(&b';'));
    Some(PathUnit::from_char(char::from_u32(value)?, prefix + count + semicolon))
}

fn read_backslash(body: &[u8]) -> Option<PathUnit> {
    let unicode = |digits: &[u8]| hex_value(digits).and_then(char::from_u32);
    match body {
        [b'/', ..] => Some(PathUnit::from_byte(b'/', 1)),
        [b'u', b'{', rest @ ..] => {
            let count = rest.iter().take(8).position(|byte| *byte == b'}')?;
            Some(PathUnit::from_char(unicode(&rest[..count])?, count + 3))
        }
        [b'u', rest @ ..] if rest.len() >= 4 && hex_value(&rest[..4]).is_some() => {
            match unicode(&rest[..4]) {
                Some(c) => Some(PathUnit::from_char(c, 5)),
                None => read_surrogates(rest),
            }
        }
        [b'U', rest @ ..] => Some(PathUnit::from_char(unicode(rest.get(..8)?)?, 9)),
        _ if cfg!(windows) => None,
        [b'x', rest @ ..] => Some(PathUnit { length: 3, ..read_percent(rest)? }),
        [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', ..] => {
            let byte = (a - b'0') * 64 + (b - b'0') * 8 + (c - b'0');
            Some(PathUnit::from_byte(byte, 3))
        }
        [b'n' | b'r' | b't', ..] => Some(PathUnit::from_byte(b'\n', 1)),
        // A line that is continued.
        [b'\n', ..] => Some(PathUnit::mark(1)),
        [byte, ..] if byte.is_ascii_punctuation() || *byte == b' ' => {
            Some(PathUnit::from_byte(*byte, 1))
        }
        _ => None,
    }
}

/// Reads a character that JSON writes as two numbers. `rest` follows the first `\u`.
fn read_surrogates(rest: &[u8]) -> Option<PathUnit> {
    let low = rest[4..].strip_prefix(b"\\u").and_then(|rest| hex_value(rest.get(..4)?))?;
    let units = [hex_value(&rest[..4])?, low].map(|unit| u16::try_from(unit).unwrap_or_default());
    let c = char::decode_utf16(units).next()?.ok()?;
    Some(PathUnit::from_char(c, 11))
}

/// Reads the number that consists of these hexadecimal digits alone.
fn hex_value(digits: &[u8]) -> Option<u32> {
    let all_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
    let text = std::str::from_utf8(digits).ok().filter(|_| all_hex)?;
    u32::from_str_radix(text, 16).ok()
}

/// Reads a colour of a terminal: escape, bracket, numbers, letter.
fn read_colour(text: &[u8]) -> PathUnit {
    let near = &text[..text.len().min(MAX_COLOUR_BYTES)];
    let numbers = near.get(2..).unwrap_or_default();
    let letter = numbers.iter().position(|byte| !byte.is_ascii_digit() && *byte != b';');
    match letter {
        Some(at) if near[1] == b'[' && numbers[at].is_ascii_alphabetic() => PathUnit::mark(at + 3),
        _ => PathUnit::from_byte(0x1b, 1),
    }
}

/// Reads one character outside ASCII.
fn read_character(text: &[u8]) -> PathUnit {
    let near = &text[..text.len().min(4)];
    let c = near.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next());
    match c {
        Some(c) => PathUnit::from_char(c, c.len_utf8()),
        None => PathUnit::from_byte(text[0], 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_has_hexadecimal_digits_alone() {
        for (digits, value) in
            [("2f", Some(0x2f)), ("2F", Some(0x2f)), ("", None), ("+f", None), ("g", None)]
        {
            assert_eq!(hex_value(digits.as_bytes()), value, "{digits}");
        }
    }

    #[test]
    fn a_colour_has_a_bracket_numbers_and_a_letter() {
        for (text, role, length) in [
            ("\u{1b}[31mx", UnitRole::Mark, 5),
            ("\u{1b}[1;31mx", UnitRole::Mark, 7),
            ("\u{1b}[mx", UnitRole::Mark, 3),
            ("\u{1b}x1a", UnitRole::Name, 1),
            ("\u{1b}[1;!", UnitRole::Name, 1),
            ("\u{1b}[31", UnitRole::Name, 1),
        ] {
            let unit = read_unit(text.as_bytes()).expect("a unit");
            assert_eq!((unit.role, unit.length), (role, length), "{text:?}");
        }
    }
}
