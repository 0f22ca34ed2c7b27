//! The lines of one frontmatter value: which lines it has, and how a new value is written.
//!
//! Nothing relies on this being right: the caller parses the result and compares values.

use std::ops::Range;

use serde_json::Value;

use super::lines;
use super::yaml::YamlEntry;

/// Formats what follows the colon: a block collection on lines of its own, anything else on the
/// same line.
pub(super) fn format_value(value: &Value, content: &str) -> String {
    let mut code = content.lines().map(str::trim_start).filter(|line| !line.starts_with('#'));
    let is_flow =
        code.find(|line| !line.is_empty()).is_none_or(|line| line.starts_with(['[', '{']));
    let indented = |line: &str| match line {
        "" => "\n".to_owned(),
        line => format!("\n  {line}"),
    };
    if (value.is_array() || value.is_object()) && !is_flow {
        return content.split('\n').map(indented).collect();
    }
    let (first, rest) = content.split_once('\n').unwrap_or((content, ""));
    let first = first.trim_start();
    let space = if first.is_empty() { "" } else { " " };
    if rest.is_empty() {
        return format!("{space}{}", lines::trim_end(first));
    }
    // Lines that are already indented belong to the key as they are.
    if rest.split('\n').all(|line| line.is_empty() || line.starts_with(' ')) {
        return format!("{space}{first}\n{rest}");
    }
    format!("{space}{first}{}", rest.split('\n').map(indented).collect::<String>())
}

/// Returns the range of the first entry's value. Blank lines and first-column comments before the
/// next entry belong to that entry. A comment after a scalar stays if the new value is a scalar on
/// the same line.
pub(super) fn value_range(
    yaml: &str,
    entries: &[YamlEntry],
    written: &str,
) -> Option<Range<usize>> {
    let entry = entries.first()?;
    let next = entries.get(1).map_or(yaml.len(), |next| next.key_range.start);
    let rest = yaml.get(entry.key_range.end..next)?;
    let colon = rest.find(':')?;
    let start = entry.key_range.end + colon + 1;
    let old = trim_trailing_comments(&rest[colon + 1..]);
    let is_scalar = !written.trim_start().starts_with(['[', '{', '|', '>', '!']);
    let has_room = is_scalar && !written.contains(['\n', '#']);
    let length = length_before_comment(old, entry, start).filter(|_| has_room);
    Some(start..start + length.unwrap_or(old.len()))
}

/// Returns a value without the blank lines and first-column comments that follow it.
fn trim_trailing_comments(value: &str) -> &str {
    let mut end = lines::trim_end(value).len();
    loop {
        let line = lines::start(value, end);
        if line == 0 || !value[line..end].starts_with('#') {
            return &value[..lines::end(value, end)];
        }
        end = lines::trim_end(&value[..line]).len();
    }
}

/// Returns the length of a scalar that is followed by a comment on its only line.
fn length_before_comment(old: &str, entry: &YamlEntry, start: usize) -> Option<usize> {
    let is_scalar = !entry.value.is_array() && !entry.value.is_object();
    let length = entry.value_range.end.saturating_sub(start);
    let behind = old.get(length..)?.trim_start();
    (is_scalar && behind.starts_with('#') && !old.contains(['\n', '\r'])).then_some(length)
}
