//! Prepares texts of entries for a drawing: one line, cut to the available width, and without
//! characters that are not visible themselves.

use unicode_width::UnicodeWidthChar;

/// Stands for the rest of a text that was cut.
const ELLIPSIS: char = '…';
/// The most combining marks on one character.
const MAX_COMBINING_MARKS: usize = 2;

/// Fits a text on one line of at most `columns` columns.
pub(super) fn fit_to_columns(text: &str, columns: usize) -> String {
    let mut line = String::new();
    let mut used = 0;
    let mut before_last = 0;
    let mut gap = false;
    let mut marks = 0;
    for c in text.chars().filter(|c| !is_hidden(*c)) {
        marks = if char_width(c) == 0 { marks + 1 } else { 0 };
        if marks > MAX_COMBINING_MARKS || marks > 0 && line.is_empty() {
            continue;
        }
        if c.is_whitespace() || c.is_control() {
            gap = !line.is_empty();
            continue;
        }
        let needed = char_width(c) + usize::from(gap);
        if used + needed > columns {
            line.truncate(if used < columns { line.len() } else { before_last });
            line.truncate(line.trim_end().len());
            line.push(ELLIPSIS);
            return line;
        }
        if gap {
            line.push(' ');
        }
        if char_width(c) > 0 {
            before_last = line.len();
        }
        line.push(c);
        used += needed;
        gap = false;
    }
    line
}

/// Checks for a character that only changes how others are shown, or that no document may contain.
fn is_hidden(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}' | '\u{200e}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
            | '\u{fff0}'..='\u{fffc}' | '\u{e0000}'..='\u{e0fff}'
    ) || (c as u32) & 0xfffe == 0xfffe
}

/// Returns the number of columns that a character takes. A control character counts as a space.
pub(super) fn char_width(c: char) -> usize {
    c.width().unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_made_to_fit() {
        for (text, columns, expected) in [
            ("", 5, ""),
            ("abc", 5, "abc"),
            ("abcde", 5, "abcde"),
            ("abcdef", 5, "abcd…"),
            ("abcd ef", 5, "abcd…"),
            ("abcd e", 6, "abcd e"),
            ("  a \n\t b\u{0}c  ", 9, "a b c"),
            ("\u{202e}abc\u{2066}\u{feff}\u{ffff}", 9, "abc"),
            ("日本語", 6, "日本語"),
            ("日本語", 5, "日本…"),
            ("日本語語", 6, "日本…"),
            ("\u{1f600}", 2, "\u{1f600}"),
        ] {
            assert_eq!(fit_to_columns(text, columns), expected, "{text:?}");
        }
        assert_eq!(fit_to_columns(&"e\u{301}".repeat(9_000), 3), "e\u{301}e\u{301}…");
        assert_eq!(fit_to_columns(&"\u{301}".repeat(9_000), 10), "");
        assert_eq!(
            fit_to_columns(&format!("e{}!", "\u{301}".repeat(9_000)), 10),
            "e\u{301}\u{301}!"
        );
    }
}
