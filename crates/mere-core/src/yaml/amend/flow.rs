//! Edits of a mapping in braces.

use std::ops::Range;

use serde_json::Value;

use super::tree::{Node, Pair, Style};
use super::{lines, place, write};
use crate::edit::Edit;

/// A new key behind the last one, on a line of its own if that one has such a line.
pub(super) fn append(
    text: &str,
    (node, pairs): (&Node, &[Pair]),
    key: &str,
    value: &Value,
) -> Option<Vec<Edit>> {
    let written = write::flow(key, value);
    let Some(last) = pairs.last() else { return fill(text, node, &written) };
    let end = last.value.end;
    let comma = place::comma(text, end, closing(node));
    if let Some(line) = line(text, node, last) {
        let pad = text.get(place::line(text, last.key.start)..last.key.start)?;
        let ending = lines::ending(text);
        let trailing = if comma.is_some() { "," } else { "" };
        let added = insert(line.end, format!("{pad}{written}{trailing}{ending}"));
        return Some(match comma {
            Some(_) => vec![added],
            None => vec![insert(end, ",".to_owned()), added],
        });
    }
    Some(vec![match comma {
        Some(comma) => insert(comma + 1, format!(" {written}")),
        None => insert(end, format!(", {written}")),
    }])
}

/// A first key in braces that are empty, but for comments and line ends.
fn fill(text: &str, node: &Node, written: &str) -> Option<Vec<Edit>> {
    let range = node.start + 1..closing(node);
    let inside = text.get(range.clone())?;
    let is_blank = inside.bytes().all(|byte| byte == b' ');
    Some(vec![if is_blank {
        Edit { range, text: format!(" {written} ") }
    } else {
        insert(range.start, format!(" {written}"))
    }])
}

/// A new value.
pub(super) fn replace(pair: &Pair, value: &Value) -> Vec<Edit> {
    let old = &pair.value;
    let written = write::inline(value, Style::Flow);
    vec![match pair.colon {
        _ if old.is_written() => Edit { range: old.start..old.end, text: written },
        Some(colon) => insert(colon, format!(" {written}")),
        None => insert(pair.key.end, format!(": {written}")),
    }]
}

/// A key goes, with its value and its comma, and with the comment right above it if it has lines of
/// its own.
pub(super) fn remove(text: &str, node: &Node, pairs: &[Pair], index: usize) -> Option<Vec<Edit>> {
    let pair = pairs.get(index)?;
    let before = index.checked_sub(1).and_then(|last| pairs.get(last));
    let range = match (line(text, node, pair), before) {
        (Some(line), before) => {
            let column = place::column(text, pair.key.start)?;
            let floor = before.map_or(node.start, |before| behind(text, node, before));
            place::above(text, line.start, column, lines::next(text, floor))..line.end
        }
        (None, _) if index + 1 < pairs.len() => {
            let rest = text.get(behind(text, node, pair)..)?;
            let rest = rest.len() - rest.trim_start_matches(' ').len();
            pair.key.start..behind(text, node, pair) + rest
        }
        (None, Some(before)) => {
            let between = text.get(before.value.end..pair.key.start)?;
            let is_comma = between.trim_matches(' ') == ",";
            if is_comma { before.value.end..pair.value.end } else { alone(text, node, pair) }
        }
        (None, None) => {
            let end = behind(text, node, pair);
            let around = [node.start + 1..pair.key.start, end..closing(node)];
            let is_only = around.into_iter().all(|range| {
                text.get(range).is_some_and(|around| around.trim_matches(' ').is_empty())
            });
            if is_only { node.start + 1..closing(node) } else { alone(text, node, pair) }
        }
    };
    Some(vec![Edit { range, text: String::new() }])
}

/// A key, its value and its comma.
fn alone(text: &str, node: &Node, pair: &Pair) -> Range<usize> {
    pair.key.start..behind(text, node, pair)
}

/// The lines of a key that shares them with no other and not with the braces.
fn line(text: &str, node: &Node, pair: &Pair) -> Option<Range<usize>> {
    place::column(text, pair.key.start)?;
    let behind = behind(text, node, pair);
    let start = place::line(text, pair.key.start);
    let is_own = lines::end(text, behind) == lines::end(text, pair.value.end)
        && place::ends_line(text, behind)
        && start > node.start
        && lines::end(text, behind) < closing(node);
    is_own.then(|| start..lines::next(text, behind))
}

/// After the comma of a key, if it has one.
fn behind(text: &str, node: &Node, pair: &Pair) -> usize {
    let end = pair.value.end;
    place::comma(text, end, closing(node)).map_or(end, |comma| comma + 1)
}

/// Where the closing brace is.
fn closing(node: &Node) -> usize {
    node.end.saturating_sub(1)
}

fn insert(place: usize, text: String) -> Edit {
    Edit { range: place..place, text }
}
