//! Estimates the width of texts. The reader's fonts are unknown, so a wide font is assumed.

use crate::graph::label;

/// Stands for the rest of a text that was cut.
const ELLIPSIS: &str = "…";

/// Returns the width of a text in pixels, at a font size in pixels.
pub(super) fn text_width(text: &str, size: i32) -> i32 {
    text.chars().map(|c| char_advance(c) * size).sum::<i32>() / 100
}

/// Cuts a text to the given width.
pub(super) fn fit_to_width(text: &str, max_width: i32, size: i32) -> String {
    if text_width(text, size) <= max_width {
        return text.to_owned();
    }
    let start = &text[..fitting_prefix(text, max_width - text_width(ELLIPSIS, size) - 1, size)];
    [start.trim_end(), ELLIPSIS].concat()
}

/// Breaks a text into at most two lines, between words if possible.
pub(super) fn wrap_in_two(text: &str, max_width: i32, size: i32) -> Vec<String> {
    if text_width(text, size) <= max_width {
        return vec![text.to_owned()];
    }
    let end = fitting_prefix(text, max_width, size);
    let at_space = text[..end].rfind(' ').filter(|at| *at * 3 >= end);
    let end = if text[end..].starts_with(' ') { end } else { at_space.unwrap_or(end) };
    let (first, rest) = text.split_at(end);
    vec![first.trim_end().to_owned(), fit_to_width(rest.trim_start(), max_width, size)]
}

/// Returns the number of bytes of a text that fit.
fn fitting_prefix(text: &str, max_width: i32, size: i32) -> usize {
    let mut used = 0;
    let mut places = text.char_indices();
    let over = places.find(|(_, c)| {
        used += char_advance(*c) * size;
        used / 100 > max_width
    });
    over.map_or(text.len(), |(at, _)| at)
}

/// Returns the width of a character in hundredths of the font size.
fn char_advance(c: char) -> i32 {
    match c {
        'i' | 'j' | 'l' | '\'' | '|' | '.' | ',' | ':' | ';' | '!' | '·' => 34,
        'I' | 'f' | 't' | 'r' | ' ' | '(' | ')' | '[' | ']' | '/' | '-' => 43,
        'm' | 'w' | 'M' | 'W' | '@' | '%' | '…' => 98,
        'A'..='Z' | '&' | '+' | '=' | '<' | '>' | '~' | '#' => 76,
        c if c.is_ascii() => 64,
        c => match label::char_width(c) {
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
            assert_eq!(wrap_in_two(text, 186, 13), expected, "{text}");
        }
        let long = wrap_in_two(&"word ".repeat(2_000), 186, 13);
        assert_eq!(long.len(), 2);
        assert!(long[1].ends_with('…') && long.iter().all(|line| text_width(line, 13) <= 186));
        assert!(fit_to_width("", 0, 13).is_empty());
        assert_eq!(fit_to_width("abc", 0, 13), "…");
    }
}
