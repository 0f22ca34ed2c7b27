//! The text mirror as one JSON or YAML document, for clients whose users asked for that.
//!
//! It is rendered from cleared values only. Keys and one-line texts are quoted as in JSON, which
//! YAML reads the same way; longer texts become block scalars.

use std::fmt::Write;

use super::cleared_value::{ClearedFields, ClearedValue, json_string};

/// The longest text in the mirror, in bytes. The structured reply has all of it.
const MAX_TEXT_BYTES: usize = 128 * 1024;
/// The number of spaces by which each level is indented.
const INDENT: usize = 2;

/// Renders the fields as one line of JSON.
pub(super) fn render_json(fields: ClearedFields<'_>) -> String {
    ClearedValue::Fields(fields).truncate_texts().to_json()
}

/// Renders the fields as YAML.
pub(super) fn render_yaml(fields: ClearedFields<'_>) -> String {
    let mut out = String::new();
    if let ClearedValue::Fields(fields) = ClearedValue::Fields(fields).truncate_texts() {
        write_fields(&fields, 0, &mut out);
    }
    out
}

impl ClearedValue<'_> {
    /// Cuts the long texts in a value.
    fn truncate_texts(self) -> Self {
        match self {
            Self::Text(text) if text.len() > MAX_TEXT_BYTES => {
                let end = text.floor_char_boundary(MAX_TEXT_BYTES);
                Self::Text(
                    format!("{}\n(cut here; the structured reply has the rest)", &text[..end])
                        .into(),
                )
            }
            Self::List(items) => Self::List(items.into_iter().map(Self::truncate_texts).collect()),
            Self::Fields(fields) => {
                let fields = fields.into_iter().map(|(name, value)| (name, value.truncate_texts()));
                Self::Fields(fields.collect())
            }
            other => other,
        }
    }
}

fn write_fields(fields: &ClearedFields<'_>, depth: usize, out: &mut String) {
    for (index, (name, value)) in fields.iter().enumerate() {
        if index > 0 || depth == 0 {
            let _ = write!(out, "{:depth$}", "");
        }
        let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if name.starts_with(|c: char| c.is_ascii_alphabetic()) && name.chars().all(is_plain) {
            out.push_str(name);
        } else {
            out.push_str(&json_string(name));
        }
        out.push(':');
        write_value(value, depth, out);
    }
}

/// Writes a value after its key, and the line end.
fn write_value(value: &ClearedValue<'_>, depth: usize, out: &mut String) {
    match value {
        ClearedValue::Fields(fields) if !fields.is_empty() => {
            let deeper = depth + INDENT;
            let _ = write!(out, "\n{:deeper$}", "");
            write_fields(fields, deeper, out);
        }
        ClearedValue::List(items) if !items.is_empty() => {
            out.push('\n');
            for item in items {
                let _ = write!(out, "{:depth$}- ", "");
                match item {
                    ClearedValue::Fields(fields) if !fields.is_empty() => {
                        write_fields(fields, depth + INDENT, out);
                    }
                    flat => {
                        out.push_str(&flat.to_json());
                        out.push('\n');
                    }
                }
            }
        }
        ClearedValue::Text(text) if can_be_block(text) => write_block(text, depth + INDENT, out),
        flat => {
            out.push(' ');
            out.push_str(&flat.to_json());
            out.push('\n');
        }
    }
}

/// Checks whether a text can be written as a YAML block scalar.
fn can_be_block(text: &str) -> bool {
    let is_odd =
        |c: char| c.is_control() && c != '\n' || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    text.contains('\n') && !text.contains(is_odd)
}

fn write_block(text: &str, depth: usize, out: &mut String) {
    // The chomping indicator says how the text ends: with one line end, none, or several.
    let sign = match text.strip_suffix('\n') {
        None => "-",
        Some(rest) if rest.ends_with('\n') || rest.is_empty() => "+",
        Some(_) => "",
    };
    let _ = writeln!(out, " |{INDENT}{sign}");
    for line in text.strip_suffix('\n').unwrap_or(text).split('\n') {
        if !line.is_empty() {
            let _ = write!(out, "{:depth$}{line}", "");
        }
        out.push('\n');
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn clean(value: &Value) -> ClearedValue<'_> {
        match value {
            Value::Null => ClearedValue::Null,
            Value::Bool(value) => ClearedValue::Bool(*value),
            Value::Number(number) => ClearedValue::Number(number.as_u64().unwrap_or_default()),
            Value::String(text) => ClearedValue::Text(text.into()),
            Value::Array(items) => ClearedValue::List(items.iter().map(clean).collect()),
            Value::Object(map) => ClearedValue::Fields(
                map.iter().map(|(name, value)| (name.into(), clean(value))).collect(),
            ),
        }
    }

    #[test]
    fn both_documents_read_back_as_the_same() {
        for text in [
            "a\nb",
            "a\nb\n",
            "a\n\n\n",
            "\n",
            "  x\n y\n",
            "\ta\nb",
            "no",
            "- a\n#b: c\n",
            "é\n\u{1}",
            "\n\n",
            "a\n ",
        ] {
            let value = json!({
                "message": "x: y", "data": {
                    "list": [{ "path": "a", "tags": ["x", "yes"], "none": [] }, "b", [1]],
                    "empty": {}, "at": null, "on": true, "count": 3, "odd key": { "a-b": 1 },
                    "content": text
                }
            });
            let ClearedValue::Fields(fields) = clean(&value) else { panic!("fields") };
            let written = render_yaml(fields);
            let read = serde_saphyr::from_str::<Value>(&written);
            assert_eq!(read.ok().as_ref(), Some(&value), "{written}");
            let ClearedValue::Fields(fields) = clean(&value) else { panic!("fields") };
            assert_eq!(serde_json::from_str::<Value>(&render_json(fields)).ok(), Some(value));
        }
    }

    #[test]
    fn yaml_is_written_as_people_write_it() {
        let value = json!({
            "message": "x: y",
            "items": [{ "a": 1, "b": 2 }],
            "top": "a\nb",
            "data": {
                "list": [{ "path": "a", "tags": ["x"], "none": [] }, "b", {}],
                "empty": {}, "odd key": 1, "a-b": 2, "_c": 3, "d_1": 4,
                "line": "a\n", "lines": "a\n\n", "odd": "a\n\u{1}"
            }
        });
        let ClearedValue::Fields(fields) = clean(&value) else { panic!("fields") };
        let expected = "message: \"x: y\"\nitems:\n- a: 1\n  b: 2\ntop: |2-\n  a\n  b\n\
            data:\n  list:\n  - path: \"a\"\n    tags:\n    - \"x\"\n    none: []\n  - \"b\"\n  - {}\n\
            \u{20} empty: {}\n  \"odd key\": 1\n  \"a-b\": 2\n  \"_c\": 3\n  d_1: 4\n\
            \u{20} line: |2\n    a\n  lines: |2+\n    a\n\n  odd: \"a\\n\\u0001\"\n";
        assert_eq!(render_yaml(fields), expected);
    }

    #[test]
    fn only_a_text_that_is_too_long_is_cut() {
        for (length, is_cut) in
            [(128 * 1024 - 1, false), (128 * 1024, false), (128 * 1024 + 1, true)]
        {
            let value = json!({ "list": [{ "text": "a".repeat(length) }] });
            let ClearedValue::Fields(fields) = clean(&value) else { panic!("fields") };
            let written = serde_json::from_str::<Value>(&render_json(fields)).expect("JSON");
            let text = written["list"][0]["text"].as_str().expect("a text");
            let mark = "\n(cut here; the structured reply has the rest)";
            let (end, mark) = if is_cut { (128 * 1024, mark) } else { (length, "") };
            assert!(text == "a".repeat(end) + mark, "{length}");
        }
    }
}
