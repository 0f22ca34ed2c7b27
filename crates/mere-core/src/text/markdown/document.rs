//! The Markdown of a text as parser events, with offsets into the whole text.
//!
//! The frontmatter is left out here, so that it is defined in one place. A text that nests
//! containers more deeply than [`MAX_DEPTH`] is refused, because the parser walks all open
//! containers on every line.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser};

use super::{PatchError, frontmatter};

/// How deeply quotes, lists and footnotes may nest. Nobody writes this by hand.
const MAX_DEPTH: usize = 256;

/// Returns the parser events of the Markdown below the frontmatter.
pub(super) fn parse_events(
    text: &str,
) -> Result<impl Iterator<Item = (Event<'_>, Range<usize>)>, PatchError> {
    let base = frontmatter::body_start(text);
    let body = &text[base..];
    if is_too_deep(body) {
        return Err(PatchError::TooDeep);
    }
    let options = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS;
    let events = Parser::new_ext(body, options).into_offset_iter();
    Ok(events.map(move |(event, range)| (event, range.start + base..range.end + base)))
}

/// Tells whether a text nests containers more deeply than anybody writes by hand. Such a text is not
/// parsed as Markdown, because that could take time that grows with its square.
pub fn is_too_deep(text: &str) -> bool {
    text.split(['\n', '\r']).any(|line| nesting_depth(line) > MAX_DEPTH)
}

/// Returns an upper bound for the containers that are open after a line: its own markers, and one
/// for every two columns of indentation, as an item that continues may need.
fn nesting_depth(line: &str) -> usize {
    let (mut rest, mut columns, mut markers, mut depth) = (line, 0, 0, 0);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            ' ' | '\t' => {
                columns += if first == ' ' { 1 } else { 4 };
                1
            }
            _ => match container_marker_length(rest) {
                Some(length) => {
                    markers += 1;
                    depth = markers + columns / 2;
                    length
                }
                None => break,
            },
        };
        rest = &rest[length..];
    }
    depth
}

/// Returns the length of the container marker that a text begins with.
fn container_marker_length(text: &str) -> Option<usize> {
    if text.starts_with('>') {
        return Some(1);
    }
    if let Some(label) = text.strip_prefix("[^") {
        let length = label.find(']')?;
        return label[length..].starts_with("]:").then_some(length + 4);
    }
    let digits = text.bytes().take(10).take_while(u8::is_ascii_digit).count();
    let sign = if digits == 0 { ['-', '+', '*'].as_slice() } else { &['.', ')'] };
    let after = text[digits..].strip_prefix(sign)?;
    (after.is_empty() || after.starts_with([' ', '\t'])).then_some(digits + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_markers_and_indentation() {
        for (line, expected) in [
            ("text > - a", 0),
            ("    text", 0),
            ("-----", 0),
            ("- - a", 2),
            ("> > > a", 4),
            ("    - a", 3),
            ("\t- a", 3),
            ("1. 22) a", 2),
            ("1.a", 0),
            ("[^a]: > - b", 4),
            ("[^a] > - b", 0),
        ] {
            assert_eq!(nesting_depth(line), expected, "{line:?}");
        }
    }

    #[test]
    fn deep_nesting_is_refused() {
        for line in [">".repeat(300), "- ".repeat(300), "[^a]: > ".repeat(200)] {
            assert!(matches!(parse_events(&line).map(|_| ()), Err(PatchError::TooDeep)), "{line}");
        }
        assert!(parse_events(&">".repeat(100)).is_ok());
    }
}
