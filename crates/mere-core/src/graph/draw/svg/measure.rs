//! How wide a text is, about: nobody knows the reader's fonts, so it is reckoned for a wide one.

use crate::graph::label;

/// What stands for the rest of a text.
const REST: &str = "…";

/// The width of a text in pixels, at a size in pixels.
pub(super) fn width(text: &str, size: i32) -> i32 {
    text.chars().map(|c| advance(c) * size).sum::<i32>() / 100
}

/// The text, or as much of its beginning as fits.
pub(super) fn fit(text: &str, room: i32, size: i32) -> String {
    if width(text, size) <= room {
        return text.to_owned();
    }
    let start = &text[..prefix(text, room - width(REST, size) - 1, size)];
    [start.trim_end(), REST].concat()
}

/// The text on at most two lines, broken between words where it can be.
pub(super) fn wrap(text: &str, room: i32, size: i32) -> Vec<String> {
    if width(text, size) <= room {
        return vec![text.to_owned()];
    }
    let end = prefix(text, room, size);
    let at_space = text[..end].rfind(' ').filter(|at| *at * 3 >= end);
    let end = if text[end..].starts_with(' ') { end } else { at_space.unwrap_or(end) };
    let (first, rest) = text.split_at(end);
    vec![first.trim_end().to_owned(), fit(rest.trim_start(), room, size)]
}

/// How many bytes of a text fit.
fn prefix(text: &str, room: i32, size: i32) -> usize {
    let mut used = 0;
    let mut places = text.char_indices();
    let over = places.find(|(_, c)| {
        used += advance(*c) * size;
        used / 100 > room
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// How wide a character is, in hundredths of the size.
fn advance(c: char) -> i32 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | '·' => 34,
        'I' | 'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' => 43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 98,
        'A'..='Z' | '&' | '+' | '=' | '<' | '>' | '~' | '#' => 76,
        c if c.is_ascii() => 64,
        c => match label::width(c) {
            0 => 0,
            1 => 72,
            _ => 108,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_takes_two_lines_at_most() {
        for (text, expected) in [
            ("Short", vec!["Short"]),
            ("Token rotation for service accounts", vec!["Token rotation for service", "accounts"]),
            ("Unbreakableunbreakableunbreakable", vec!["Unbreakableunbreakableu", "nbreakable"]),
        ] {
            assert_eq!(wrap(text, 186, 13), expected, "{text}");
        }
        let long = wrap(&"word ".repeat(2_000), 186, 13);
        assert_eq!(long.len(), 2);
        assert!(long[1].ends_with('…') && long.iter().all(|line| width(line, 13) <= 186));
        assert!(fit("", 0, 13).is_empty());
        assert_eq!(fit("abc", 0, 13), "…");
    }
}
