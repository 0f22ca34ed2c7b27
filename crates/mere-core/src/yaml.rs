//! Bounded, data-only YAML: one document, no anchors, no aliases, no tags of one's own, no
//! duplicate keys. The one place that says so.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Location, Spanned, budget, options};

/// The largest text, in bytes.
pub const MAX_BYTES: usize = 1024 * 1024;

/// A text that is not the YAML that was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct YamlError {
    /// From 1.
    pub line: u64,
    /// From 1.
    pub column: u64,
    /// For people and the log: it may repeat the text's words.
    pub reason: String,
}

impl YamlError {
    /// A fault at a place of the text.
    pub fn at(place: Location, reason: String) -> Self {
        Self { line: place.line(), column: place.column(), reason }
    }
}

/// Parses one document. An empty one is whatever `T` makes of null.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    if text.len() > MAX_BYTES {
        return Err(YamlError { line: 1, column: 1, reason: "it is larger than 1 MiB".to_owned() });
    }
    let strict = options! {
        budget: budget! {
            max_depth: 32,
            max_nodes: 20_000,
            max_events: 60_000,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            flow_nesting_limit: 32,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, strict).map_err(|error| {
        let place = error.location();
        YamlError {
            line: place.map_or(1, |place| place.line()).max(1),
            column: place.map_or(1, |place| place.column()).max(1),
            reason: reason(&error.without_snippet().to_string()),
        }
    })
}

/// The library's words without the place, which is said apart, and without its inner names.
fn reason(words: &str) -> String {
    let words = words.split(" at line ").next().unwrap_or_default();
    if words.starts_with("budget breached") {
        return "anchors and aliases are not allowed, and depth and size are bounded".to_owned();
    }
    words.to_owned()
}

/// One key of a mapping and its value, with the bytes they have in the text. A range that begins a
/// collection is empty.
pub(crate) struct Entry {
    pub(crate) key: String,
    pub(crate) key_range: Range<usize>,
    pub(crate) value: Value,
    pub(crate) value_range: Range<usize>,
}

/// The keys of a mapping in their order. Nothing has no keys.
pub(crate) fn mapping(text: &str) -> Result<Vec<Entry>, YamlError> {
    parse::<Mapping>(text).map(|mapping| mapping.0)
}

struct Mapping(Vec<Entry>);

impl<'de> Deserialize<'de> for Mapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Entries)
    }
}

/// Collects the entries of a mapping.
struct Entries;

impl<'de> Visitor<'de> for Entries {
    type Value = Mapping;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_unit<E>(self) -> Result<Mapping, E> {
        Ok(Mapping(Vec::new()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Mapping, A::Error> {
        let mut entries = Vec::new();
        while let Some((key, value)) = access.next_entry::<Spanned<String>, Spanned<Value>>()? {
            entries.push(Entry {
                key: key.value,
                key_range: range(key.referenced),
                value: value.value,
                value_range: range(value.referenced),
            });
        }
        Ok(Mapping(entries))
    }
}

fn range(place: Location) -> Range<usize> {
    let number = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
    let start = number(place.span().byte_offset()).unwrap_or_default();
    start..start + number(place.span().byte_len()).unwrap_or_default()
}
