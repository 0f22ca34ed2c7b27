//! How a new key and its value are written.
//!
//! A text goes without quotes only where every reader takes it for the same text there.

use serde_json::{Map, Value};

use super::tree::Style;
use crate::yaml;

/// How much further in a mapping is than its key.
pub(super) const STEP: usize = 2;

/// A key and its value as lines in a column, each with a line end. Mappings have lines of their
/// own, everything else is on that of its key.
pub(super) fn block(key: &str, value: &Value, column: usize) -> String {
    let head = format!("{:column$}{}:", "", self::key(key, Style::Block));
    match value {
        Value::Object(map) if !map.is_empty() => {
            format!("{head}\n{}", block_mapping(map, column + STEP))
        }
        value => format!("{head} {}\n", inline(value, Style::Block)),
    }
}

/// The lines of a mapping in a column.
pub(super) fn block_mapping(map: &Map<String, Value>, column: usize) -> String {
    map.iter().map(|(key, value)| block(key, value, column)).collect()
}

/// A key and its value in braces.
pub(super) fn flow(name: &str, value: &Value) -> String {
    format!("{}: {}", key(name, Style::Flow), inline(value, Style::Flow))
}

/// A value on the line of its key.
pub(super) fn inline(value: &Value, style: Style) -> String {
    match value {
        Value::String(text) => scalar(text, style),
        Value::Array(items) => {
            let items = items.iter().map(|item| inline(item, Style::Flow)).collect::<Vec<_>>();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| flow(key, value)).collect::<Vec<_>>();
            format!("{{ {} }}", pairs.join(", "))
        }
        value => value.to_string(),
    }
}

fn key(name: &str, style: Style) -> String {
    let line = match style {
        Style::Block => format!("{name}: v"),
        Style::Flow => format!("{{{name}: v}}"),
    };
    if is_read(name, &line, (name, "v")) { name.to_owned() } else { quoted(name) }
}

fn scalar(text: &str, style: Style) -> String {
    let line = match style {
        Style::Block => format!("k: {text}"),
        Style::Flow => format!("{{k: {text}}}"),
    };
    if is_read(text, &line, ("k", text)) { text.to_owned() } else { quoted(text) }
}

/// Whether a line with a text that has no quotes is read as this key and this value.
fn is_read(text: &str, line: &str, (key, value): (&str, &str)) -> bool {
    let entries = (!text.contains(is_unseen)).then(|| yaml::plain_mapping(line));
    let is_it = |entries: Vec<yaml::Entry>| match &*entries {
        [entry] => entry.key == key && entry.value == value,
        _ => false,
    };
    entries.is_some_and(|entries| entries.is_ok_and(is_it))
}

/// What is only written as an escape: controls and line ends, and marks that readers skip.
fn is_unseen(character: char) -> bool {
    let is_mark =
        matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    is_mark || character.is_control()
}

fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        unseen if is_unseen(unseen) => format!("\\u{:04X}", u32::from(unseen)),
        seen => seen.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn texts_have_quotes_where_a_reader_needs_them() {
        for (text, in_block, in_flow) in [
            ("plain words", "plain words", "plain words"),
            ("./memory", "./memory", "./memory"),
            ("~/memory", "~/memory", "~/memory"),
            ("it's", "it's", "it's"),
            ("größe", "größe", "größe"),
            ("a, b", "a, b", "\"a, b\""),
            ("a]", "a]", "\"a]\""),
            ("{a", "\"{a\"", "\"{a\""),
            ("", "\"\"", "\"\""),
            ("on", "\"on\"", "\"on\""),
            ("017", "\"017\"", "\"017\""),
            ("null", "\"null\"", "\"null\""),
            ("~", "\"~\"", "\"~\""),
            ("a: b", "\"a: b\"", "\"a: b\""),
            ("a:", "\"a:\"", "\"a:\""),
            ("a #b", "\"a #b\"", "\"a #b\""),
            (" a", "\" a\"", "\" a\""),
            ("a\nb\tc", "\"a\\nb\\tc\"", "\"a\\nb\\tc\""),
            ("- a", "\"- a\"", "\"- a\""),
            ("| a", "\"| a\"", "\"| a\""),
            ("*a", "\"*a\"", "\"*a\""),
            ("&a", "\"&a\"", "\"&a\""),
            ("!a", "\"!a\"", "\"!a\""),
            ("%a", "\"%a\"", "\"%a\""),
            ("\"\\", "\"\\\"\\\\\"", "\"\\\"\\\\\""),
            ("\u{feff}\u{85}", "\"\\uFEFF\\u0085\"", "\"\\uFEFF\\u0085\""),
        ] {
            assert_eq!(scalar(text, Style::Block), in_block, "{text:?}");
            assert_eq!(scalar(text, Style::Flow), in_flow, "{text:?}");
        }
        for (name, expected) in [
            ("coding-style", "coding-style"),
            ("a b", "a b"),
            ("1", "\"1\""),
            ("no", "\"no\""),
            ("<<", "\"<<\""),
            ("- a", "\"- a\""),
            ("%a", "\"%a\""),
            ("? a", "\"? a\""),
            ("", "\"\""),
        ] {
            assert_eq!(key(name, Style::Block), expected);
            assert_eq!(key(name, Style::Flow), expected);
        }
    }

    #[test]
    fn mappings_have_lines_and_the_rest_is_on_one() {
        let value = json!({"a": {"b": {}, "c": [1, "x, y", {"d": null}]}, "e": true, "f": 1.5});
        let expected = "  k:\n    a:\n      b: {}\n      c: [1, \"x, y\", { d: null }]\n    \
                        e: true\n    f: 1.5\n";
        assert_eq!(block("k", &value, 2), expected);
        assert_eq!(flow("k", &json!({"a": {"b": {}}})), "k: { a: { b: {} } }");
    }
}
