//! Lines of a text by byte offset.
//!
//! A line ends with `\n`, `\r\n` or a lone `\r`, as in Markdown and YAML, so that this module and
//! the two parsers never disagree on where a line begins.

use std::ops::Range;

const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// Returns the line ending of a text: CRLF if most of its lines end that way, else LF.
pub(crate) fn dominant_ending(text: &str) -> &'static str {
    let carriage = text.matches("\r\n").count();
    let all = text.bytes().filter(|byte| *byte == b'\n').count();
    if carriage > all - carriage { "\r\n" } else { "\n" }
}

/// Removes leading and trailing blank lines from new content and gives it the given line endings.
pub(crate) fn normalize(content: &str, ending: &str) -> String {
    let plain = content.replace("\r\n", "\n").replace('\r', "\n");
    plain[content_range(&plain)].replace('\n', ending)
}

/// Returns the range without leading and trailing blank lines and without the last line ending.
pub(crate) fn content_range(text: &str) -> Range<usize> {
    let trimmed = trim_end(text).len();
    if trimmed == 0 {
        return 0..0;
    }
    let first = text.len() - text.trim_start_matches(is_space).len();
    start(text, first)..end(text, trimmed)
}

/// Returns the offset where the line of an offset begins.
pub(crate) fn start(text: &str, offset: usize) -> usize {
    text[..offset].rfind(LINE_ENDS).map_or(0, |end| end + 1)
}

/// Returns the offset where the line of an offset ends, before its line ending.
pub(crate) fn end(text: &str, offset: usize) -> usize {
    text[offset..].find(LINE_ENDS).map_or(text.len(), |length| offset + length)
}

/// Returns the offset where the next line begins.
pub(crate) fn next(text: &str, offset: usize) -> usize {
    let end = end(text, offset);
    let rest = &text.as_bytes()[end..];
    end + if rest.starts_with(b"\r\n") { 2 } else { rest.len().min(1) }
}

/// Reports whether the last line has a line ending.
pub(crate) fn has_final_newline(text: &str) -> bool {
    text.ends_with(LINE_ENDS)
}

/// Returns a text without the line ending of its last line.
pub(crate) fn without_final_newline(text: &str) -> &str {
    let closed = text.strip_suffix("\r\n").or_else(|| text.strip_suffix(LINE_ENDS));
    closed.unwrap_or(text)
}

/// Returns a text without trailing white space and line endings.
pub(crate) fn trim_end(text: &str) -> &str {
    text.trim_end_matches(is_space)
}

/// Reports whether a line, or several lines, are blank.
pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(is_space)
}

fn is_space(character: char) -> bool {
    matches!(character, ' ' | '\t' | '\u{b}' | '\u{c}' | '\n' | '\r')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_majority_decides_the_line_end() {
        for (text, expected) in [
            ("", "\n"),
            ("a", "\n"),
            ("a\r\n", "\r\n"),
            ("a\r\nb\n", "\n"),
            ("a\r\nb\nc\r\n", "\r\n"),
            ("a\rb\r", "\n"),
        ] {
            assert_eq!(dominant_ending(text), expected, "{text:?}");
        }
    }

    #[test]
    fn content_loses_blank_lines_and_keeps_indentation() {
        for (text, ending, expected) in [
            ("", "\n", ""),
            (" \n\t\r\n", "\n", ""),
            ("\n\n  a\n\n b \n\n", "\n", "  a\n\n b "),
            ("a\rb\r\nc\n", "\r\n", "a\r\nb\r\nc"),
        ] {
            assert_eq!(normalize(text, ending), expected, "{text:?}");
        }
    }

    #[test]
    fn lines_have_three_kinds_of_end() {
        let text = "a\nb\r\nc\rd";
        let starts = [0, 2, 5, 7];
        for (index, offset) in starts.into_iter().enumerate() {
            assert_eq!(start(text, offset), offset);
            assert_eq!(end(text, offset), offset + 1);
            assert_eq!(next(text, offset), starts.get(index + 1).copied().unwrap_or(8));
        }
    }
}
