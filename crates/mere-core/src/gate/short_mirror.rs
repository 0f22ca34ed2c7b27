//! The short text mirror of a reply, for clients that read text only.
//!
//! It is rendered from cleared values only, so nothing can join it after the gate. It is short: a
//! line for each entry, as command-line tools print them. Clients that need exact values read the
//! structured reply.

use std::fmt::Write;

use super::CONTENT_FIELD;
use super::cleared_value::{ClearedFields, ClearedValue, json_string};

/// Appends the data to the message, one line for each entry. The content of a file is left out.
pub(super) fn render_data(data: &ClearedFields<'_>, out: &mut String) {
    for (key, value) in data.iter().filter(|(key, _)| key != CONTENT_FIELD) {
        render_field(key, value, out);
    }
}

/// The amount of a file's content that the mirror holds, in bytes of JSON. Longer content is rare,
/// because a read without a limit has 2,000 lines, and the structured reply has all of it.
const MAX_CONTENT: usize = 128 * 1024;

/// Joins the message and the content of a file, which is JSON already, into one JSON string. The
/// content comes last, so that nothing in it can be taken for our words about it.
pub(super) fn join_content(message: &str, content: Option<&str>) -> String {
    let message = json_string(message);
    let Some(content) = content else { return message };
    let (message, content) = (&message[..message.len() - 1], &content[1..]);
    if content.len() <= MAX_CONTENT {
        return [message, "\\n\\n", content].concat();
    }
    let note = "\\n(The text is cut off; `content` in the structured reply has all of it, and \
        `offset` and `limit` return it in parts.)\\n\\n";
    [message, note, truncate_json(content), "\""].concat()
}

/// Cuts a JSON string to the maximum without splitting a character or an escape.
fn truncate_json(json: &str) -> &str {
    let mut end = MAX_CONTENT;
    while !json.is_char_boundary(end) {
        end -= 1;
    }
    // An escape is at most six bytes long, and begins with a backslash that is not escaped itself.
    let tail = json[..end].char_indices().rev().take(6).find(|(_, c)| *c == '\\');
    let escape = tail.map(|(at, _)| {
        let run = json[..=at].bytes().rev().take_while(|byte| *byte == b'\\').count();
        if run % 2 == 1 { at } else { end }
    });
    &json[..escape.unwrap_or(end)]
}

/// Renders `key: value`, or the key and a line for each item.
fn render_field(key: &str, value: &ClearedValue<'_>, out: &mut String) {
    out.push('\n');
    out.push_str(key);
    out.push(':');
    match value {
        ClearedValue::List(items) if !items.is_empty() => {
            for item in items {
                out.push('\n');
                render_entry(item, out);
            }
        }
        ClearedValue::Text(text) => {
            out.push(' ');
            render_line(text, out);
        }
        // One object is a value, such as an example, and no entry of a listing.
        value => {
            out.push(' ');
            out.push_str(&value.to_json());
        }
    }
}

/// Renders one value on one line; a matched line gets its context lines around it.
fn render_entry(value: &ClearedValue<'_>, out: &mut String) {
    match value {
        ClearedValue::Text(text) => render_line(text, out),
        ClearedValue::Fields(fields) => match MatchedLine::from_fields(fields) {
            Some(found) => found.render(out),
            None => match find_listed_name(fields) {
                Some((name, end)) => {
                    render_line(name, out);
                    out.push_str(end);
                }
                None => out.push_str(&value.to_json()),
            },
        },
        other => out.push_str(&other.to_json()),
    }
}

/// Returns the name of an entry that has nothing but a name, a path and its kind, and what ends it.
fn find_listed_name<'a>(fields: &'a ClearedFields<'_>) -> Option<(&'a str, &'static str)> {
    let text = |key: &str| find_field(fields, key).and_then(ClearedValue::as_text);
    let path = text("path").filter(|_| fields.iter().all(|(key, _)| is_implied(key)))?;
    let Some(name) = text("name") else { return Some((path, "")) };
    Some((name, if path.ends_with('/') { "/" } else { "" }))
}

/// Checks for a key whose value the name or the address of an entry already tells.
fn is_implied(key: &str) -> bool {
    matches!(key, "name" | "path" | "type" | "depth")
}

fn find_field<'a, 'b>(fields: &'a ClearedFields<'b>, name: &str) -> Option<&'a ClearedValue<'b>> {
    fields.iter().find(|(key, _)| key == name).map(|(_, value)| value)
}

/// A matched line, rendered as `path:line:text`; the context lines around it have dashes.
struct MatchedLine<'a> {
    path: &'a str,
    line: u64,
    text: &'a str,
    before: Vec<&'a str>,
    after: Vec<&'a str>,
}

impl<'a> MatchedLine<'a> {
    fn from_fields(fields: &'a ClearedFields<'_>) -> Option<Self> {
        let around = |name: &str| match find_field(fields, name) {
            Some(ClearedValue::List(lines)) => {
                lines.iter().filter_map(ClearedValue::as_text).collect()
            }
            _ => Vec::new(),
        };
        let Some(ClearedValue::Number(line)) = find_field(fields, "line") else { return None };
        Some(Self {
            path: find_field(fields, "path")?.as_text()?,
            line: *line,
            text: find_field(fields, "text")?.as_text()?,
            before: around("before"),
            after: around("after"),
        })
    }

    fn render(&self, out: &mut String) {
        let Self { path, line, text, before, after } = self;
        for (at, text) in (line.saturating_sub(before.len() as u64)..).zip(before) {
            let _ = writeln!(out, "{path}-{at}-{text}");
        }
        let _ = write!(out, "{path}:{line}:{text}");
        for (at, text) in (line + 1..).zip(after) {
            let _ = write!(out, "\n{path}-{at}-{text}");
        }
    }
}

/// Renders a text on one line.
fn render_line(text: &str, out: &mut String) {
    if text.bytes().any(|byte| byte < b' ') {
        out.push_str(&json_string(text));
    } else {
        out.push_str(text);
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Gate, ReplyMetadata};
    use crate::address::Address;
    use crate::address::AgentName;
    use crate::reply::{Content, Data, Draft, Fields, codes};

    fn check(data: Fields, expected: &str) {
        let draft = Draft::success(codes::DIR_PWD, "Done.").hint("More.").data(data);
        let trace_id = uuid::Uuid::nil().into();
        let agent = AgentName::default();
        let metadata = ReplyMetadata { trace_id, session_id: None, tool: None, agent };
        let cleared = Gate::new(Vec::new()).clear(&draft, &metadata);
        let mirror: String = serde_json::from_str(cleared.mirror_json()).expect("a JSON string");
        assert_eq!(mirror, format!("WA-DIR-S-001 Done.\nMore.{expected}"));
    }

    fn address(text: &str) -> Address {
        text.parse().expect("an address")
    }

    #[test]
    fn a_listing_is_a_line_for_each_entry() {
        let entry = |name: &str, path: &str| {
            let name = Content::mention(name);
            Fields::default().with("name", name).with("path", address(path)).with("type", "dir")
        };
        let entries = [entry("a b", "ROOT_PROJECT:/a b/"), entry("x", "ROOT_PROJECT:/x")];
        let data = Fields::default()
            .with("entries", entries.into_iter().map(Data::from).collect::<Data>())
            .with("count", 2)
            .with("none", Data::List(Vec::new()))
            .with("at", Data::Null);
        let expected = "\nentries:\na b/\nx\ncount: 2\nnone: []\nat: null";
        check(data, expected);
    }

    #[test]
    fn only_an_entry_with_a_path_is_a_name() {
        let named = || Fields::default().with("name", Content::mention("text"));
        let at = || named().with("path", address("ROOT_PROJECT:/a/")).with("type", "dir");
        let data = Fields::default()
            .with("example", Data::from(named()))
            .with("entry", Data::from(at()))
            .with("rows", Data::List(vec![named().into(), at().into()]));
        let expected = "\nexample: {\"name\":\"text\"}\
            \nentry: {\"name\":\"text\",\"path\":\"ROOT_PROJECT:/a/\",\"type\":\"dir\"}\
            \nrows:\n{\"name\":\"text\"}\ntext/";
        check(data, expected);
    }

    #[test]
    fn found_lines_read_as_grep_prints_them() {
        let text = |text: &str| Data::from(Content::mention(text));
        let found = Fields::default()
            .with("path", address("ROOT_PROJECT:/a"))
            .with("line", 7)
            .with("text", text("hit"))
            .with("before", Data::List(vec![text("b")]))
            .with("after", Data::List(vec![text("c")]));
        let data = Fields::default().with("matches", Data::List(vec![found.into()]));
        check(data, "\nmatches:\nROOT_PROJECT:/a-6-b\nROOT_PROJECT:/a:7:hit\nROOT_PROJECT:/a-8-c");
    }

    #[test]
    fn a_large_content_is_cut_between_characters() {
        for filling in ["x", "é", "\\", "\n", "\u{1}", "a\\\"", "日"] {
            for shift in 0..8 {
                let text = "y".repeat(shift) + &filling.repeat(super::MAX_CONTENT);
                let data = Fields::default().with("content", Content::body(text.as_str()));
                let draft = Draft::success(codes::DIR_PWD, "Done.").data(data);
                let (trace_id, agent) = (uuid::Uuid::nil().into(), AgentName::default());
                let metadata = ReplyMetadata { trace_id, session_id: None, tool: None, agent };
                let cleared = Gate::new(Vec::new()).clear(&draft, &metadata);
                let mirror: String = serde_json::from_str(cleared.mirror_json()).expect("JSON");
                let (note, part) = mirror.split_once("\n\n").expect("two parts");
                assert!(note.contains("cut off") && text.starts_with(part), "{filling} {shift}");
                let length = super::json_string(part).len() - "\"\"".len();
                assert!((128 * 1024 - 8..=128 * 1024).contains(&length), "{filling} {length}");
            }
        }
    }

    #[test]
    fn content_comes_last_and_as_it_is() {
        let nested = Fields::default().with("x", 1);
        let data = Fields::default()
            .with("content", Content::body("a: b\n\tc\n"))
            .with("lines", 2)
            .with("odd", nested)
            .with("bad", Content::mention("a\nb"));
        check(data, "\nlines: 2\nodd: {\"x\":1}\nbad: \"a\\nb\"\n\na: b\n\tc\n");
    }
}
