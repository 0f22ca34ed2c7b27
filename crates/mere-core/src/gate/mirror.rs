//! A reply for a client that reads text only.
//!
//! Rendered from the cleared value alone, so that nothing joins it after the gate. It is short: a
//! line for each thing, the way command-line tools print it; whoever wants it exact reads the
//! structured reply.

use std::fmt::Write;

use serde_json::{Map, Value};

/// Code and message, the hint, the data, and for an error the trace id.
pub(super) fn render(reply: &Value) -> String {
    let text = |key: &str| reply[key].as_str().unwrap_or_default();
    let mut out = format!("{} {}", text("code"), text("message"));
    if reply.get("hint").is_some() {
        out.push('\n');
        out.push_str(text("hint"));
    }
    for (key, value) in reply["data"].as_object().into_iter().flatten() {
        field(key, value, &mut out);
    }
    if reply["reply_type"] == "E" {
        out.push_str("\ntrace_id: ");
        out.push_str(reply["trace"]["trace_id"].as_str().unwrap_or("?"));
    }
    // Last, so that nothing of a file can be taken for our words about it.
    if let Some(content) = reply["data"]["content"].as_str() {
        out.push_str("\n\n");
        out.push_str(content);
    }
    out
}

/// `key: value`, or the key and a line for each item.
fn field(key: &str, value: &Value, out: &mut String) {
    if key == "content" {
        return;
    }
    out.push('\n');
    out.push_str(key);
    out.push(':');
    match value {
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                out.push('\n');
                entry(item, out);
            }
        }
        flat => {
            out.push(' ');
            entry(flat, out);
        }
    }
}

/// One thing on one line, its context around it.
fn entry(value: &Value, out: &mut String) {
    match value {
        Value::String(text) => line(text, out),
        Value::Object(map) => match (&map.get("path"), &map.get("line"), &map.get("text")) {
            (Some(Value::String(path)), Some(Value::Number(number)), Some(Value::String(text))) => {
                found(map, (path, number.as_u64().unwrap_or_default(), text), out);
            }
            (Some(Value::String(path)), None, None) if map.keys().all(|key| is_plain(key)) => {
                line(path, out);
            }
            _ => out.push_str(&value.to_string()),
        },
        other => out.push_str(&other.to_string()),
    }
}

/// What a path's address says already.
fn is_plain(key: &str) -> bool {
    matches!(key, "name" | "path" | "type" | "depth")
}

/// A line that was found, `path:line:text`; lines around it have dashes.
fn found(map: &Map<String, Value>, (path, number, text): (&str, u64, &str), out: &mut String) {
    let around = |key: &str| map.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    let before = around("before");
    for (at, text) in (number - (before.len() as u64).min(number)..).zip(before) {
        let _ = writeln!(out, "{path}-{at}-{}", text.as_str().unwrap_or_default());
    }
    let _ = write!(out, "{path}:{number}:{text}");
    for (at, text) in (number + 1..).zip(around("after")) {
        let _ = write!(out, "\n{path}-{at}-{}", text.as_str().unwrap_or_default());
    }
}

/// A text on one line.
fn line(text: &str, out: &mut String) {
    if text.contains(char::is_control) {
        out.push_str(&Value::from(text).to_string());
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::render;
    use serde_json::{Value, json};

    fn check(data: &Value, expected: &str) {
        let reply = json!({
            "reply_type": "S", "code": "C", "message": "Done.", "hint": "More.", "data": data
        });
        assert_eq!(render(&reply), format!("C Done.\nMore.{expected}"));
    }

    #[test]
    fn a_listing_is_a_line_for_each_entry() {
        let entries = json!([
            { "name": "a b", "path": "ROOT_PROJECT:/a b/", "type": "dir" },
            { "name": "x", "path": "ROOT_PROJECT:/x", "type": "file" },
        ]);
        let expected =
            "\nentries:\nROOT_PROJECT:/a b/\nROOT_PROJECT:/x\ncount: 2\nnone: []\nat: null";
        check(&json!({ "entries": entries, "count": 2, "none": [], "at": null }), expected);
    }

    #[test]
    fn found_lines_read_as_grep_prints_them() {
        let matches = json!([
            { "path": "ROOT_PROJECT:/a", "line": 7, "text": "hit", "before": ["b"], "after": ["c"] },
            { "path": "ROOT_PROJECT:/a", "line": 1, "text": "one" },
        ]);
        let expected = "\nmatches:\nROOT_PROJECT:/a-6-b\nROOT_PROJECT:/a:7:hit\nROOT_PROJECT:/a-8-c\
            \nROOT_PROJECT:/a:1:one";
        check(&json!({ "matches": matches }), expected);
    }

    #[test]
    fn content_comes_last_and_as_it_is() {
        let data =
            json!({ "content": "a: b\n\tc\n", "lines": 2, "odd": { "x": 1 }, "bad": "a\nb" });
        check(&data, "\nlines: 2\nodd: {\"x\":1}\nbad: \"a\\nb\"\n\na: b\n\tc\n");
    }
}
