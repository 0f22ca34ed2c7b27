//! A JSON text with the place of every value in it, comments and trailing commas included.
//!
//! Other programs' settings are changed in place (see `json_edit`), so that what is not changed
//! keeps every byte. That needs to know where each value begins and ends.

use serde_json::Value;

/// The deepest nesting that is read.
const MAX_DEPTH: usize = 128;

/// A value and where it is written.
#[derive(Debug)]
pub(super) struct JsonNode {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) kind: NodeKind,
}

/// The kinds of values that an edit tells apart.
#[derive(Debug)]
pub(super) enum NodeKind {
    Object(Vec<JsonEntry>),
    Array(Vec<JsonEntry>),
    Scalar(Value),
}

/// A member of an object or an element of an array, with the comma after it.
#[derive(Debug)]
pub(super) struct JsonEntry {
    /// The name of a member. Elements have none.
    pub(super) key: Option<String>,
    pub(super) start: usize,
    pub(super) value: JsonNode,
    pub(super) comma: Option<usize>,
}

impl JsonNode {
    /// Parses a text that holds one value.
    pub(super) fn parse(text: &str) -> Option<Self> {
        let mut scanner = Scanner { text, at: if text.starts_with('\u{feff}') { 3 } else { 0 } };
        let node = scanner.read_value(0)?;
        scanner.skip_blank()?;
        (scanner.at == text.len()).then_some(node)
    }

    /// Returns the members or elements; a scalar has none.
    pub(super) fn entries(&self) -> &[JsonEntry] {
        match &self.kind {
            NodeKind::Object(entries) | NodeKind::Array(entries) => entries,
            NodeKind::Scalar(_) => &[],
        }
    }

    pub(super) fn is_object(&self) -> bool {
        matches!(self.kind, NodeKind::Object(_))
    }

    /// Returns the value without its place.
    pub(super) fn to_value(&self) -> Value {
        match &self.kind {
            NodeKind::Object(entries) => {
                let named = entries.iter();
                let named =
                    named.filter_map(|entry| Some((entry.key.clone()?, entry.value.to_value())));
                Value::Object(named.collect())
            }
            NodeKind::Array(entries) => {
                entries.iter().map(|entry| entry.value.to_value()).collect()
            }
            NodeKind::Scalar(value) => value.clone(),
        }
    }
}

/// A position in a text that is read from left to right.
struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl Scanner<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Skips spaces, line ends and comments. Returns `None` in a comment without an end.
    fn skip_blank(&mut self) -> Option<()> {
        loop {
            let rest = &self.text[self.at..];
            let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
            self.at += blank;
            let rest = &rest[blank..];
            if rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if let Some(comment) = rest.strip_prefix("/*") {
                self.at += comment.find("*/")? + "/**/".len();
            } else {
                return Some(());
            }
        }
    }

    fn read_value(&mut self, depth: usize) -> Option<JsonNode> {
        self.skip_blank()?;
        let start = self.at;
        let kind = match self.peek()? {
            b'{' | b'[' if depth >= MAX_DEPTH => return None,
            b'{' => NodeKind::Object(self.read_entries(b'}', depth)?),
            b'[' => NodeKind::Array(self.read_entries(b']', depth)?),
            b'"' => NodeKind::Scalar(Value::String(self.read_string()?)),
            _ => NodeKind::Scalar(self.read_word()?),
        };
        Some(JsonNode { start, end: self.at, kind })
    }

    /// Reads what is between an opening bracket and the one that closes it.
    fn read_entries(&mut self, close: u8, depth: usize) -> Option<Vec<JsonEntry>> {
        self.at += 1;
        let mut entries = Vec::<JsonEntry>::new();
        loop {
            self.skip_blank()?;
            if self.peek()? == close {
                self.at += 1;
                return Some(entries);
            }
            if entries.last().is_some_and(|last| last.comma.is_none()) {
                return None;
            }
            let start = self.at;
            let key = match close {
                b'}' => Some(self.read_key()?),
                _ => None,
            };
            let value = self.read_value(depth + 1)?;
            self.skip_blank()?;
            let comma = (self.peek()? == b',').then_some(self.at);
            self.at += usize::from(comma.is_some());
            entries.push(JsonEntry { key, start, value, comma });
        }
    }

    fn read_key(&mut self) -> Option<String> {
        let key = self.read_string()?;
        self.skip_blank()?;
        (self.peek()? == b':').then(|| self.at += 1)?;
        Some(key)
    }

    fn read_string(&mut self) -> Option<String> {
        let bytes = self.text.as_bytes();
        (self.peek()? == b'"').then_some(())?;
        let mut end = self.at + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let literal = self.text.get(self.at..=end)?;
        self.at = end + 1;
        serde_json::from_str(literal).ok()
    }

    /// Reads a number, `true`, `false` or `null`.
    fn read_word(&mut self) -> Option<Value> {
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        let length = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        self.at += length;
        serde_json::from_str(&rest[..length]).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn comments_and_trailing_commas_are_read_over() {
        let text = "\u{feff}{ // first\n \"a\": [1, -2.5e3, \"x\\\"//\",], /* ] */ \"b\": {}, }\n";
        let node = JsonNode::parse(text).expect("a value");
        assert_eq!(node.to_value(), json!({ "a": [1, -2.5e3, "x\"//"], "b": {} }));
        let a = &node.entries()[0];
        assert_eq!(&text[a.start..a.value.end], "\"a\": [1, -2.5e3, \"x\\\"//\",]");
    }

    #[test]
    fn what_is_not_json_is_refused() {
        let deep = "[".repeat(100_000);
        for text in
            ["", "{", "{,}", "[1 2]", "{\"a\"}", "{\"a\":}", "{a: 1}", "[1] 2", "/*", "\"\\", &deep]
        {
            assert!(JsonNode::parse(text).is_none(), "{text:.40}");
        }
    }
}
