//! YAML frontmatter between two `---` lines at the top of a Markdown file, and the content after
//! it.

use serde_json::{Map, Value};

use super::fault::ItemFault;
use super::old_signature;
use super::relation::Relation;
use crate::reply::Content;
use crate::text::yaml;
use crate::text::yaml::{IdKeys, YamlEntry};

/// The byte order mark that some editors put at the beginning of a file.
pub(super) const BYTE_ORDER_MARK: char = '\u{feff}';

/// The keys under which a note states its id.
pub(super) const NOTE_ID_KEYS: [&str; 2] = ["id", "zettel_id"];

/// The frontmatter of a file.
pub(super) struct Frontmatter<'a> {
    text: &'a str,
    /// The offset where the YAML begins in the file.
    pub(super) yaml_start: usize,
    /// The offset where the YAML ends: before the closing fence.
    pub(super) yaml_end: usize,
    pub(super) entries: Vec<YamlEntry>,
    /// The offset where the content begins: after the closing fence.
    pub(super) content_start: usize,
    /// Whether signatures of the older format stand before it.
    has_old_signature: bool,
}

impl<'a> Frontmatter<'a> {
    /// Parses the frontmatter; a file without one is refused.
    pub(super) fn parse(text: &'a str) -> Result<Self, ItemFault> {
        Self::parse_with_ids(text, &IdKeys { single: &[], lists: &[] })
    }

    /// Parses the frontmatter of a note, whose ids are texts even if they look like numbers.
    pub(super) fn parse_note(text: &'a str) -> Result<Self, ItemFault> {
        let relations = Relation::ALL.map(Relation::name);
        Self::parse_with_ids(text, &IdKeys { single: &NOTE_ID_KEYS, lists: &relations })
    }

    fn parse_with_ids(text: &'a str, id_keys: &IdKeys<'_>) -> Result<Self, ItemFault> {
        const FIX: &str =
            "Begin the file with `---`, the keys, and `---`, each on a line of its own.";
        let missing = || ItemFault::whole_file("there is no frontmatter", FIX);
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        let signatures = old_signature::leading_length(body);
        let fence = opening_fence_length(&body[signatures..]).ok_or_else(missing)?;
        let start = text.len() - body.len() + signatures + fence;
        let mut at = start;
        for line in text[start..].split_inclusive('\n') {
            if is_fence(line) {
                let yaml = &text[start..at];
                let entries = yaml::parse_plain_mapping_with_ids(yaml, id_keys);
                let entries = entries.map_err(|error| {
                    ItemFault::from_yaml("the frontmatter", yaml, error).relocate(text, start)
                })?;
                return Ok(Self {
                    text,
                    yaml_start: start,
                    yaml_end: at,
                    entries,
                    content_start: at + line.len(),
                    has_old_signature: signatures > 0,
                });
            }
            at += line.len();
        }
        Err(ItemFault::whole_file("the frontmatter is not closed", FIX))
    }

    /// Parses the frontmatter if the first line of the file opens one; otherwise it is empty.
    pub(super) fn parse_optional(text: &'a str) -> Result<Self, ItemFault> {
        let body = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
        if opening_fence_length(body).is_some() {
            return Self::parse(text);
        }
        let start = text.len() - body.len();
        Ok(Self {
            text,
            yaml_start: start,
            yaml_end: start,
            entries: Vec::new(),
            content_start: start,
            has_old_signature: false,
        })
    }

    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.entries.iter().find(|entry| entry.key == key).map(|entry| &entry.value)
    }

    /// Returns the warning about signatures of the older format, if there are any.
    pub(super) fn old_signature_warning(&self) -> Option<Content> {
        self.has_old_signature.then(old_signature::warning)
    }

    /// Returns all keys with their values, in their order.
    pub(super) fn to_map(&self) -> Map<String, Value> {
        self.entries.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect()
    }

    /// Returns the text of a key, or `None` if the key is missing or null.
    pub(super) fn text(&self, key: &str) -> Result<Option<&str>, ItemFault> {
        match self.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.fault(key, "the value is not a string", "Put it in quotes.")),
        }
    }

    /// Returns the list of texts of a key; a single text is a list of one.
    pub(super) fn text_list(&self, key: &str) -> Result<Vec<String>, ItemFault> {
        let wrong = || self.fault(key, "the value is not a list of strings", "Write `[a, b]`.");
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

    /// Returns the list of ids of a key. An id may look like a whole number.
    pub(super) fn id_list(&self, key: &str) -> Result<Vec<String>, ItemFault> {
        match self.get(key) {
            Some(number @ Value::Number(_)) if number.is_u64() => {
                Ok(id_text(number).into_iter().collect())
            }
            Some(Value::Array(items)) if items.iter().any(Value::is_u64) => {
                let wrong = || self.fault(key, "the value is not a list of ids", "Write `[a, b]`.");
                items.iter().map(id_text).collect::<Option<_>>().ok_or_else(wrong)
            }
            _ => self.text_list(key),
        }
    }

    /// Creates a fault at a key, or at the top of the file if the key is missing.
    pub(super) fn fault(
        &self,
        key: &str,
        what: impl Into<crate::reply::Prose>,
        fix: &'static str,
    ) -> ItemFault {
        let entry = self.entries.iter().find(|entry| entry.key == key);
        let at = entry.map_or(0, |entry| self.yaml_start + entry.key_range.start);
        ItemFault::at_offset(self.text, at, what, fix)
    }
}

/// Returns the id that a value of a relation is: a text, or a whole number.
pub(super) fn id_text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        value => value.as_u64().map(|number| number.to_string()),
    }
}

/// Returns the length of the first line if it opens a frontmatter.
fn opening_fence_length(text: &str) -> Option<usize> {
    let line = text.split_inclusive('\n').next()?;
    is_fence(line).then_some(line.len())
}

fn is_fence(line: &str) -> bool {
    line.trim_end_matches(['\r', '\n', ' ', '\t']) == "---"
}
