//! Edits of a mapping that is one key below the other.

use std::ops::Range;

use serde_json::{Map, Value};

use super::tree::{Pair, Style, Tree};
use super::write::{self, STEP};
use super::{lines, place};
use crate::edit::Edit;

/// A new key below the last one.
pub(super) fn append(text: &str, pairs: &[Pair], key: &str, value: &Value) -> Option<Vec<Edit>> {
    let last = pairs.last()?;
    let column = place::column(text, last.key.start)?;
    let place = place::below(text, last.value.end, column);
    Some(vec![lined(text, place..place, &write::block(key, value, column))])
}

/// A first key for a document that has none.
pub(super) fn begin(text: &str, tree: &Tree, key: &str, value: &Value) -> Option<Vec<Edit>> {
    let root = &tree.root;
    let lines = write::block(key, value, 0);
    if !root.is_written() {
        // The comment of an empty file is about the file, not about this key.
        let ahead = text.get(tree.start..tree.end)?;
        let is_apart = lines::is_blank(ahead) || lines::is_closed(lines::without_end(ahead));
        let space = if is_apart { "" } else { "\n" };
        return Some(vec![lined(text, tree.end..tree.end, &format!("{space}{lines}"))]);
    }
    let is_alone =
        place::line(text, root.start) == root.start && root.end == lines::end(text, root.start);
    is_alone.then(|| vec![lined(text, root.start..lines::next(text, root.end), &lines)])
}

/// Keys for a key that has nothing, or a word for it, on its line.
pub(super) fn fill(text: &str, pair: &Pair, map: Map<String, Value>) -> Option<Vec<Edit>> {
    let old = text.get(pair.colon?..pair.value.end)?;
    let is_on_line = lines::end(old, 0) == old.len();
    is_on_line.then(|| replace(text, pair, &Value::Object(map)))?
}

/// A new value. The comment on the line of the key stays; those inside the old value do not.
pub(super) fn replace(text: &str, pair: &Pair, value: &Value) -> Option<Vec<Edit>> {
    let column = place::column(text, pair.key.start)?;
    let colon = pair.colon?;
    let old = &pair.value;
    let map = value.as_object().filter(|map| !map.is_empty());
    let lines = map.map(|map| write::block_mapping(map, column + STEP));
    if old.start > lines::end(text, colon) {
        let range = lines::next(text, colon)..place::below(text, old.end, column);
        return Some(match lines {
            Some(lines) => vec![lined(text, range, &lines)],
            None => vec![behind(colon, value), Edit { range, text: String::new() }],
        });
    }
    Some(match lines {
        Some(lines) => {
            let place = place::below(text, old.end, column + STEP);
            let clear = Edit { range: colon..old.end, text: String::new() };
            vec![clear, lined(text, place..place, &lines)]
        }
        None if old.is_written() => {
            let text = write::inline(value, Style::Block);
            vec![Edit { range: old.start..old.end, text }]
        }
        None => vec![behind(colon, value)],
    })
}

/// A value behind a colon.
fn behind(colon: usize, value: &Value) -> Edit {
    let text = format!(" {}", write::inline(value, Style::Block));
    Edit { range: colon..colon, text }
}

/// A key goes, with its value and the comment right above it. What had only this key is `{}`.
pub(super) fn remove(
    text: &str,
    tree: &Tree,
    (pairs, index): (&[Pair], usize),
    owner: Option<&Pair>,
) -> Option<Vec<Edit>> {
    let floor = match (index.checked_sub(1), owner) {
        (Some(last), _) => lines::next(text, pairs.get(last)?.value.end),
        (None, Some(owner)) => lines::next(text, owner.colon?),
        (None, None) => place::under_title(text, tree.start),
    };
    let range = own(text, pairs.get(index)?, floor)?;
    Some(match owner {
        _ if pairs.len() > 1 => vec![Edit { range, text: String::new() }],
        Some(owner) => {
            let empty = Value::Object(Map::new());
            vec![behind(owner.colon?, &empty), Edit { range, text: String::new() }]
        }
        None => vec![lined(text, range, "{}\n")],
    })
}

/// The lines of a key and its value, and of the comments that belong to them.
fn own(text: &str, pair: &Pair, floor: usize) -> Option<Range<usize>> {
    let column = place::column(text, pair.key.start)?;
    let line = place::line(text, pair.key.start);
    let start = place::above(text, line, column, floor);
    Some(start..place::below(text, pair.value.end, column))
}

/// Lines in place of others, with the line end of the text. A last line without one stays so.
fn lined(text: &str, range: Range<usize>, lines: &str) -> Edit {
    let is_last = range.end == text.len() && place::top(text) < text.len();
    let is_open = is_last && !lines::is_closed(text);
    let begins = place::line(text, range.start) == range.start;
    let lines = match (is_open, begins) {
        (false, _) => lines.to_owned(),
        (true, true) => lines::without_end(lines).to_owned(),
        (true, false) => format!("\n{}", lines::without_end(lines)),
    };
    Edit { range, text: lines.replace('\n', lines::ending(text)) }
}
