//! A reply for a client that reads text only.
//!
//! Rendered from the cleared value alone, so that nothing joins it after the gate. The data is YAML
//! of the plainest kind: block style, and every string that another reader could take for something
//! else in double quotes.

use serde_json::Value;

/// Words that a plain scalar must not be.
const RESERVED: [&str; 12] =
    ["true", "false", "null", "yes", "no", "on", "off", "y", "n", ".inf", ".nan", "nan"];

/// Code and message, the hint, the data as YAML, and for an error the trace id.
pub(super) fn render(reply: &Value) -> String {
    let text = |key: &str| reply[key].as_str().unwrap_or_default();
    let mut out = format!("{} {}", text("code"), text("message"));
    if reply.get("hint").is_some() {
        out.push('\n');
        out.push_str(text("hint"));
    }
    if let Some(data) = reply["data"].as_object().filter(|data| !data.is_empty()) {
        for (key, value) in data {
            out.push('\n');
            field(key, value, 0, &mut out);
        }
    }
    if reply["reply_type"] == "E" {
        out.push_str("\ntrace_id: ");
        out.push_str(reply["trace"]["trace_id"].as_str().unwrap_or("?"));
    }
    out
}

/// `key: value`, the value's lines below it if it has any.
fn field(key: &str, value: &Value, indent: usize, out: &mut String) {
    scalar(key, out);
    out.push(':');
    match value {
        Value::Array(items) if !items.is_empty() => {
            for item in items {
                line(indent, out);
                out.push_str("- ");
                entry(item, indent + 2, out);
            }
        }
        Value::Object(map) if !map.is_empty() => {
            for (key, value) in map {
                line(indent + 2, out);
                field(key, value, indent + 2, out);
            }
        }
        flat => {
            out.push(' ');
            entry(flat, indent, out);
        }
    }
}

/// An item of a list, its first line where the pen stands.
fn entry(value: &Value, indent: usize, out: &mut String) {
    match value {
        Value::String(text) => scalar(text, out),
        Value::Object(map) if !map.is_empty() => {
            for (index, (key, value)) in map.iter().enumerate() {
                if index > 0 {
                    line(indent, out);
                }
                field(key, value, indent, out);
            }
        }
        // Lists in lists, and whatever is empty, as JSON, which is YAML too.
        other => out.push_str(&other.to_string()),
    }
}

fn scalar(text: &str, out: &mut String) {
    if is_plain(text) {
        out.push_str(text);
    } else {
        out.push_str(&Value::from(text).to_string());
    }
}

/// Whether a text needs no quotes: it cannot be a number, a reserved word or the start of anything.
fn is_plain(text: &str) -> bool {
    let starts_well =
        text.trim_start_matches(['.', '_']).starts_with(|c: char| c.is_ascii_alphabetic());
    let allowed = |b: u8| b.is_ascii_alphanumeric() || b"._-/:".contains(&b);
    starts_well
        && text.bytes().all(allowed)
        && !text.ends_with(':')
        && !RESERVED.iter().any(|word| word.eq_ignore_ascii_case(text))
}

fn line(indent: usize, out: &mut String) {
    out.push('\n');
    out.extend(std::iter::repeat_n(' ', indent));
}

#[cfg(test)]
mod tests {
    use super::render;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    #[test]
    fn a_listing_reads_well() {
        let entries =
            json!([{ "name": "a b", "path": "ROOT_PROJECT:/a", "size": 1 }, { "name": "x" }]);
        let reply = json!({
            "reply_type": "S", "code": "C", "message": "Two.", "hint": "More.",
            "data": { "entries": entries, "count": 2, "none": [], "at": null, "in": { "k": "1.0" } }
        });
        let expected = "C Two.\nMore.\nentries:\n- name: \"a b\"\n  path: ROOT_PROJECT:/a\n  size: 1\n\
            - name: x\ncount: 2\nnone: []\nat: null\nin:\n  k: \"1.0\"";
        assert_eq!(render(&reply), expected);
    }

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u32>().prop_map(Value::from),
            "[a-zA-Z0-9._:/~!#&*?{}\\[\\]>|@`%\" '-]{0,8}".prop_map(Value::from),
            "\\PC{0,4}".prop_map(Value::from),
            prop::sample::select(vec!["true", "No", "null", "~", ".5", "1e3", "-", "a:", "0x1"])
                .prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-z.:]{1,4}", inner, 0..4)
                    .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn what_is_rendered_reads_back(value in values()) {
            let reply = json!({
                "reply_type": "S", "code": "C", "message": "m", "data": { "value": value }
            });
            let text = render(&reply);
            let yaml = text.strip_prefix("C m\n").expect("the first line");
            let back: Value = serde_saphyr::from_str(yaml).expect("YAML");
            prop_assert_eq!(&back["value"], &value, "{}", yaml);
        }
    }
}
