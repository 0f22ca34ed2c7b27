//! Positions in a text that the parser does not report: columns, comments, colons and commas.
//!
//! All positions are byte offsets into the text.

use super::lines;

const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns the offset after the byte order mark.
pub(super) fn after_byte_order_mark(text: &str) -> usize {
    if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len_utf8() } else { 0 }
}

/// Returns where the line of an offset begins, after the byte order mark.
pub(super) fn line_start(text: &str, offset: usize) -> usize {
    lines::start(text, offset).max(after_byte_order_mark(text))
}

/// Returns the column of an offset, if only spaces come before it on its line.
pub(super) fn column(text: &str, offset: usize) -> Option<usize> {
    let ahead = text.get(line_start(text, offset)..offset)?;
    ahead.bytes().all(|byte| byte == b' ').then_some(ahead.len())
}

/// Returns the first offset from here on that is neither a space nor a line ending.
pub(super) fn skip_blank(text: &str, from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    from + rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len()
}

/// Returns the offset after the colon of a key that ends here.
pub(super) fn after_colon(text: &str, from: usize) -> Option<usize> {
    let place = skip_blank(text, from);
    text.get(place..)?.starts_with(':').then_some(place + 1)
}

/// Returns the offset of the comma between two offsets, skipping comments.
pub(super) fn find_comma(text: &str, from: usize, to: usize) -> Option<usize> {
    let mut place = skip_blank(text, from);
    while text.get(place..to)?.starts_with('#') {
        place = skip_blank(text, lines::next(text, place));
    }
    text.get(place..to)?.starts_with(',').then_some(place)
}

/// Reports whether nothing, or only a comment, follows on the line.
pub(super) fn is_end_of_line(text: &str, offset: usize) -> bool {
    let rest = text.get(offset..lines::end(text, offset)).unwrap_or_default();
    lines::is_blank(rest) || comment_column(rest).is_some()
}

/// Returns the column of the comment on a line that has nothing else.
fn comment_column(line: &str) -> Option<usize> {
    let words = line.trim_start_matches([' ', '\t']);
    words.starts_with('#').then_some(line.len() - words.len())
}

/// Returns the beginning of the first line that does not belong to a value with this end and a key
/// in this column. A comment that is indented further belongs to it, even after blank lines.
pub(super) fn end_of_own_lines(text: &str, end: usize, column: usize) -> usize {
    let mut below = lines::next(text, end);
    let mut place = below;
    while place < text.len() {
        let line = &text[place..lines::end(text, place)];
        place = lines::next(text, place);
        match comment_column(line) {
            Some(inner) if inner > column => below = place,
            None if lines::is_blank(line) => {}
            _ => break,
        }
    }
    below
}

/// Returns the beginning of the comment directly above a line, but not before the line at `floor`.
/// The comment is in the same column; a blank line or another column ends it.
pub(super) fn comment_start_above(text: &str, line: usize, column: usize, floor: usize) -> usize {
    let mut above = None;
    let mut place = floor;
    while place < line {
        let next = lines::next(text, place);
        let is_about = comment_column(&text[place..lines::end(text, place)]) == Some(column);
        above = is_about.then(|| above.unwrap_or(place));
        place = next;
    }
    above.unwrap_or(line)
}

/// Returns the beginning of the line below the comment that a document begins with, which is about
/// the whole file.
pub(super) fn below_title_comment(text: &str, start: usize) -> usize {
    let mut place = start;
    let mut has_title = false;
    while place < text.len() {
        let line = &text[place..lines::end(text, place)];
        let is_title = comment_column(line).is_some();
        if !is_title && (has_title || !lines::is_blank(line)) {
            break;
        }
        has_title |= is_title;
        place = lines::next(text, place);
    }
    place
}
