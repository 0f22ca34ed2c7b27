//! YAML between two `---` lines at the top of a Markdown file, and what follows it.

use serde_json::{Map, Value};

use super::fault::Fault;
use crate::yaml::{self, Entry};

/// What some editors put before everything else.
pub(super) const MARK: char = '\u{feff}';

/// A file's frontmatter.
pub(super) struct Frontmatter<'a> {
    text: &'a str,
    /// Where the YAML begins in the file.
    pub(super) start: usize,
    /// Where it ends: before the line that closes it.
    pub(super) end: usize,
    pub(super) entries: Vec<Entry>,
    /// Where the content begins: after the line that closes the frontmatter.
    pub(super) content: usize,
}

impl<'a> Frontmatter<'a> {
    /// Reads it; a file without one is refused.
    pub(super) fn parse(text: &'a str) -> Result<Self, Fault> {
        const FIX: &str =
            "Begin the file with `---`, the keys, and `---`, each on a line of its own.";
        let missing = || Fault::whole("there is no frontmatter", FIX);
        let body = text.strip_prefix(MARK).unwrap_or(text);
        let start = text.len() - body.len() + first_line(body).ok_or_else(missing)?;
        let mut at = start;
        for line in text[start..].split_inclusive('\n') {
            if is_fence(line) {
                let entries = yaml::plain_mapping(&text[start..at]).map_err(|error| {
                    Fault::of_yaml("the frontmatter", &text[start..at], error).within(text, start)
                })?;
                return Ok(Self { text, start, end: at, entries, content: at + line.len() });
            }
            at += line.len();
        }
        Err(Fault::whole("the frontmatter is not closed", FIX))
    }

    /// Reads it; a file whose first line does not open one has none.
    pub(super) fn parse_if_any(text: &'a str) -> Result<Self, Fault> {
        let body = text.strip_prefix(MARK).unwrap_or(text);
        if first_line(body).is_some() {
            return Self::parse(text);
        }
        let start = text.len() - body.len();
        Ok(Self { text, start, end: start, entries: Vec::new(), content: start })
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// All of it, in its order.
    pub(super) fn map(&self) -> Map<String, Value> {
        self.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
    }

    /// A text, if the key is there and not null.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, Fault> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.fault(key, "the value is not a text", "Put it in quotes.")),
        }
    }

    /// A list of texts; a single text is a list of one.
    pub(super) fn texts(&self, key: &str) -> Result<Vec<String>, Fault> {
        let wrong = || self.fault(key, "the value is not a list of texts", "Write `[a, b]`.");
        match self.get(key) {
            None | Some(Value::Null) => Ok(Vec::new()),
            Some(Value::String(text)) => Ok(vec![text.clone()]),
            Some(Value::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                texts.collect::<Option<_>>().ok_or_else(wrong)
            }
            Some(_) => Err(wrong()),
        }
    }

    /// A fault at a key, or at the top if it is not there.
    pub(super) fn fault(
        &self,
        key: &str,
        what: impl Into<crate::reply::Prose>,
        fix: &'static str,
    ) -> Fault {
        let entry = self.entries.iter().find(|entry| entry.key == key);
        let at = entry.map_or(0, |entry| self.start + entry.key_range.start);
        Fault::at(self.text, at, what, fix)
    }
}

/// The length of the first line, if it opens a frontmatter.
fn first_line(text: &str) -> Option<usize> {
    let line = text.split_inclusive('\n').next()?;
    is_fence(line).then_some(line.len())
}

fn is_fence(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n', ' ', '\t']) == "---"
}
