//! Formats new keys and values.
//!
//! A text is written without quotes only if every reader takes it for the same text there.

use serde_json::{Map, Value};

use super::tree::MappingStyle;
use crate::text::yaml;

/// How many columns a mapping is indented relative to its key.
pub(super) const INDENT: usize = 2;

/// Formats a key and its value as lines in a column, each with a line ending. A mapping gets lines
/// of its own; everything else is on the line of its key.
pub(super) fn format_block(key: &str, value: &Value, column: usize) -> String {
    let head = format!("{:column$}{}:", "", self::format_key(key, MappingStyle::Block));
    match value {
        Value::Object(map) if !map.is_empty() => {
            format!("{head}\n{}", format_block_mapping(map, column + INDENT))
        }
        value => format!("{head} {}\n", format_inline(value, MappingStyle::Block)),
    }
}

/// Formats a mapping as lines in a column.
pub(super) fn format_block_mapping(map: &Map<String, Value>, column: usize) -> String {
    map.iter().map(|(key, value)| format_block(key, value, column)).collect()
}

/// Formats a key and its value for use in braces.
pub(super) fn format_flow(name: &str, value: &Value) -> String {
    format!(
        "{}: {}",
        format_key(name, MappingStyle::Flow),
        format_inline(value, MappingStyle::Flow)
    )
}

/// Formats a value for the line of its key.
pub(super) fn format_inline(value: &Value, style: MappingStyle) -> String {
    match value {
        Value::String(text) => format_scalar(text, style),
        Value::Array(items) => {
            let items = items
                .iter()
                .map(|item| format_inline(item, MappingStyle::Flow))
                .collect::<Vec<_>>();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) if map.is_empty() => "{}".to_owned(),
        Value::Object(map) => {
            let pairs = map.iter().map(|(key, value)| format_flow(key, value)).collect::<Vec<_>>();
            format!("{{ {} }}", pairs.join(", "))
        }
        value => value.to_string(),
    }
}

fn format_key(name: &str, style: MappingStyle) -> String {
    let line = match style {
        MappingStyle::Block => format!("{name}: v"),
        MappingStyle::Flow => format!("{{{name}: v}}"),
    };
    if is_read_as(name, &line, (name, "v")) { name.to_owned() } else { quote(name) }
}

fn format_scalar(text: &str, style: MappingStyle) -> String {
    let line = match style {
        MappingStyle::Block => format!("k: {text}"),
        MappingStyle::Flow => format!("{{k: {text}}}"),
    };
    if is_read_as(text, &line, ("k", text)) { text.to_owned() } else { quote(text) }
}

/// Reports whether a line with an unquoted text is parsed as this key and this value.
fn is_read_as(text: &str, line: &str, (key, value): (&str, &str)) -> bool {
    let entries = (!text.contains(is_unprintable)).then(|| yaml::parse_plain_mapping(line));
    let is_it = |entries: Vec<yaml::YamlEntry>| match &*entries {
        [entry] => entry.key == key && entry.value == value,
        _ => false,
    };
    entries.is_some_and(|entries| entries.is_ok_and(is_it))
}

/// Reports whether a character must be written as an escape: control characters, line breaks, and
/// marks that readers skip.
fn is_unprintable(character: char) -> bool {
    let is_mark =
        matches!(character, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}');
    is_mark || character.is_control()
}

fn quote(text: &str) -> String {
    let escaped = text.chars().map(|character| match character {
        '"' | '\\' => format!("\\{character}"),
        '\n' => "\\n".to_owned(),
        '\t' => "\\t".to_owned(),
        unseen if is_unprintable(unseen) => format!("\\u{:04X}", u32::from(unseen)),
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
            assert_eq!(format_scalar(text, MappingStyle::Block), in_block, "{text:?}");
            assert_eq!(format_scalar(text, MappingStyle::Flow), in_flow, "{text:?}");
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
            assert_eq!(format_key(name, MappingStyle::Block), expected);
            assert_eq!(format_key(name, MappingStyle::Flow), expected);
        }
    }

    #[test]
    fn mappings_have_lines_and_the_rest_is_on_one() {
        let value = json!({"a": {"b": {}, "c": [1, "x, y", {"d": null}]}, "e": true, "f": 1.5});
        let expected = "  k:\n    a:\n      b: {}\n      c: [1, \"x, y\", { d: null }]\n    \
                        e: true\n    f: 1.5\n";
        assert_eq!(format_block("k", &value, 2), expected);
        assert_eq!(format_flow("k", &json!({"a": {"b": {}}})), "k: { a: { b: {} } }");
    }
}
