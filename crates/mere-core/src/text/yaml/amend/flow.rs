//! Edits of a flow mapping, which is written in braces.
//!
//! The edits are not checked here: the caller parses the result and compares values.

use std::ops::Range;

use serde_json::Value;

use super::tree::{KeyValue, MappingStyle, NodeShape, ValueNode};
use super::{lines, position, writer};
use crate::text::edit::Edit;

/// Returns the edits that add a key after the last one, on a line of its own if the last one has
/// such a line.
pub(super) fn append(text: &str, node: &ValueNode, key: &str, value: &Value) -> Option<Vec<Edit>> {
    let NodeShape::Mapping(MappingStyle::Flow, pairs) = &node.shape else { return None };
    let written = writer::format_flow(key, value);
    let Some(last) = pairs.last() else { return insert_first(text, node, &written) };
    let end = last.value.end;
    let comma = position::find_comma(text, end, closing_brace(node));
    if let Some(line) = own_lines(text, node, last) {
        let pad = text.get(position::line_start(text, last.key.start)..last.key.start)?;
        let ending = lines::dominant_ending(text);
        let trailing = if comma.is_some() { "," } else { "" };
        let added = insertion(line.end, format!("{pad}{written}{trailing}{ending}"));
        return Some(match comma {
            Some(_) => vec![added],
            None => vec![insertion(end, ",".to_owned()), added],
        });
    }
    Some(vec![match comma {
        Some(comma) => insertion(comma + 1, format!(" {written}")),
        None => insertion(end, format!(", {written}")),
    }])
}

/// Returns the edits that add the first key in braces that contain nothing but comments and line
/// breaks.
fn insert_first(text: &str, node: &ValueNode, written: &str) -> Option<Vec<Edit>> {
    let range = node.start + 1..closing_brace(node);
    let inside = text.get(range.clone())?;
    let is_blank = inside.bytes().all(|byte| byte == b' ');
    Some(vec![if is_blank {
        Edit { range, text: format!(" {written} ") }
    } else {
        insertion(range.start, format!(" {written}"))
    }])
}

/// Returns the edits that replace a value.
pub(super) fn replace(pair: &KeyValue, value: &Value) -> Vec<Edit> {
    let old = &pair.value;
    let written = writer::format_inline(value, MappingStyle::Flow);
    vec![match pair.colon {
        _ if old.is_written() => Edit { range: old.start..old.end, text: written },
        Some(colon) => insertion(colon, format!(" {written}")),
        None => insertion(pair.key.end, format!(": {written}")),
    }]
}

/// Returns the edits that remove a key with its value and its comma, and with the comment directly
/// above it if the key has lines of its own.
pub(super) fn remove(
    text: &str,
    node: &ValueNode,
    pairs: &[KeyValue],
    index: usize,
) -> Option<Vec<Edit>> {
    let pair = pairs.get(index)?;
    let before = index.checked_sub(1).and_then(|last| pairs.get(last));
    let range = match (own_lines(text, node, pair), before) {
        (Some(line), before) => {
            let column = position::column(text, pair.key.start)?;
            let floor = before.map_or(node.start, |before| after_comma(text, node, before));
            position::comment_start_above(text, line.start, column, lines::next(text, floor))
                ..line.end
        }
        (None, _) if index + 1 < pairs.len() => {
            let rest = text.get(after_comma(text, node, pair)..)?;
            let rest = rest.len() - rest.trim_start_matches(' ').len();
            pair.key.start..after_comma(text, node, pair) + rest
        }
        (None, Some(before)) => {
            let between = text.get(before.value.end..pair.key.start)?;
            let is_comma = between.trim_matches(' ') == ",";
            if is_comma { before.value.end..pair.value.end } else { pair_range(text, node, pair) }
        }
        (None, None) => {
            let end = after_comma(text, node, pair);
            let around = [node.start + 1..pair.key.start, end..closing_brace(node)];
            let is_only = around.into_iter().all(|range| {
                text.get(range).is_some_and(|around| around.trim_matches(' ').is_empty())
            });
            if is_only { node.start + 1..closing_brace(node) } else { pair_range(text, node, pair) }
        }
    };
    Some(vec![Edit { range, text: String::new() }])
}

/// Returns the range of a key, its value and its comma.
fn pair_range(text: &str, node: &ValueNode, pair: &KeyValue) -> Range<usize> {
    pair.key.start..after_comma(text, node, pair)
}

/// Returns the range of a key's lines, if it shares them neither with another key nor with the
/// braces.
fn own_lines(text: &str, node: &ValueNode, pair: &KeyValue) -> Option<Range<usize>> {
    position::column(text, pair.key.start)?;
    let behind = after_comma(text, node, pair);
    let start = position::line_start(text, pair.key.start);
    let is_own = lines::end(text, behind) == lines::end(text, pair.value.end)
        && position::is_end_of_line(text, behind)
        && start > node.start
        && lines::end(text, behind) < closing_brace(node);
    is_own.then(|| start..lines::next(text, behind))
}

/// Returns the offset after the comma of a key, or after its value if it has no comma.
fn after_comma(text: &str, node: &ValueNode, pair: &KeyValue) -> usize {
    let end = pair.value.end;
    position::find_comma(text, end, closing_brace(node)).map_or(end, |comma| comma + 1)
}

/// Returns the offset of the closing brace.
fn closing_brace(node: &ValueNode) -> usize {
    node.end.saturating_sub(1)
}

fn insertion(place: usize, text: String) -> Edit {
    Edit { range: place..place, text }
}
