//! Edits of a block mapping, which has one key per line.
//!
//! The edits are not checked here: the caller parses the result and compares values.

use std::ops::Range;

use serde_json::{Map, Value};

use super::tree::{DocumentTree, KeyValue, MappingStyle};
use super::writer::{self, INDENT};
use super::{PathStep, lines, position};
use crate::text::edit::Edit;

/// Returns the edits that add a key below the last one.
pub(super) fn append(
    text: &str,
    pairs: &[KeyValue],
    key: &str,
    value: &Value,
) -> Option<Vec<Edit>> {
    let last = pairs.last()?;
    let column = position::column(text, last.key.start)?;
    let place = position::end_of_own_lines(text, last.value.end, column);
    Some(vec![lines_edit(text, place..place, &writer::format_block(key, value, column))])
}

/// Returns the edits that add the first key of a document that has none.
pub(super) fn insert_first(
    text: &str,
    tree: &DocumentTree,
    key: &str,
    value: &Value,
) -> Option<Vec<Edit>> {
    let root = &tree.root;
    let lines = writer::format_block(key, value, 0);
    if !root.is_written() {
        // A comment in an empty file is about the file, not about this key.
        let ahead = text.get(tree.start..tree.end)?;
        let is_apart =
            lines::is_blank(ahead) || lines::has_final_newline(lines::without_final_newline(ahead));
        let space = if is_apart { "" } else { "\n" };
        return Some(vec![lines_edit(text, tree.end..tree.end, &format!("{space}{lines}"))]);
    }
    let is_alone = position::line_start(text, root.start) == root.start
        && root.end == lines::end(text, root.start);
    is_alone.then(|| vec![lines_edit(text, root.start..lines::next(text, root.end), &lines)])
}

/// Returns the edits that put keys below a key whose value is empty or null on its line.
pub(super) fn fill_empty(
    text: &str,
    pair: &KeyValue,
    map: Map<String, Value>,
) -> Option<Vec<Edit>> {
    let old = text.get(pair.colon?..pair.value.end)?;
    let is_on_line = lines::end(old, 0) == old.len();
    is_on_line.then(|| replace(text, pair, &Value::Object(map)))?
}

/// Returns the edits that replace a value. The comment on the line of the key stays; those inside
/// the old value do not.
pub(super) fn replace(text: &str, pair: &KeyValue, value: &Value) -> Option<Vec<Edit>> {
    let column = position::column(text, pair.key.start)?;
    let colon = pair.colon?;
    let old = &pair.value;
    let map = value.as_object().filter(|map| !map.is_empty());
    let lines = map.map(|map| writer::format_block_mapping(map, column + INDENT));
    if old.start > lines::end(text, colon) {
        let range = lines::next(text, colon)..position::end_of_own_lines(text, old.end, column);
        return Some(match lines {
            Some(lines) => vec![lines_edit(text, range, &lines)],
            None => vec![value_after_colon(colon, value), Edit { range, text: String::new() }],
        });
    }
    Some(match lines {
        Some(lines) => {
            let place = position::end_of_own_lines(text, old.end, column + INDENT);
            let clear = Edit { range: colon..old.end, text: String::new() };
            vec![clear, lines_edit(text, place..place, &lines)]
        }
        None if old.is_written() => {
            let text = writer::format_inline(value, MappingStyle::Block);
            vec![Edit { range: old.start..old.end, text }]
        }
        None => vec![value_after_colon(colon, value)],
    })
}

/// Returns the edit that puts a value after a colon.
fn value_after_colon(colon: usize, value: &Value) -> Edit {
    let text = format!(" {}", writer::format_inline(value, MappingStyle::Block));
    Edit { range: colon..colon, text }
}

/// Returns the edits that remove a key, with its value and the comment directly above it. A mapping
/// that had only this key becomes `{}`.
pub(super) fn remove(
    text: &str,
    tree: &DocumentTree,
    step: &PathStep<'_>,
    owner: Option<&KeyValue>,
) -> Option<Vec<Edit>> {
    let (pairs, index) = (step.pairs, step.index);
    let floor = match (index.checked_sub(1), owner) {
        (Some(last), _) => lines::next(text, pairs.get(last)?.value.end),
        (None, Some(owner)) => lines::next(text, owner.colon?),
        (None, None) => position::below_title_comment(text, tree.start),
    };
    let range = own_lines(text, pairs.get(index)?, floor)?;
    Some(match owner {
        _ if pairs.len() > 1 => vec![Edit { range, text: String::new() }],
        Some(owner) => {
            let empty = Value::Object(Map::new());
            vec![value_after_colon(owner.colon?, &empty), Edit { range, text: String::new() }]
        }
        None => vec![lines_edit(text, range, "{}\n")],
    })
}

/// Returns the range of a key's lines: the key, its value, and the comments that belong to them.
fn own_lines(text: &str, pair: &KeyValue, floor: usize) -> Option<Range<usize>> {
    let column = position::column(text, pair.key.start)?;
    let line = position::line_start(text, pair.key.start);
    let start = position::comment_start_above(text, line, column, floor);
    Some(start..position::end_of_own_lines(text, pair.value.end, column))
}

/// Returns the edit that replaces lines by others, with the line ending of the text. A last line
/// without a line ending stays so.
fn lines_edit(text: &str, range: Range<usize>, lines: &str) -> Edit {
    let is_last = range.end == text.len() && position::after_byte_order_mark(text) < text.len();
    let is_open = is_last && !lines::has_final_newline(text);
    let begins = position::line_start(text, range.start) == range.start;
    let lines = match (is_open, begins) {
        (false, _) => lines.to_owned(),
        (true, true) => lines::without_final_newline(lines).to_owned(),
        (true, false) => format!("\n{}", lines::without_final_newline(lines)),
    };
    Edit { range, text: lines.replace('\n', lines::dominant_ending(text)) }
}
