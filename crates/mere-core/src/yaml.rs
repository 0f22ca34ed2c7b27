//! Bounded, data-only YAML: one document, no anchors, no aliases, no tags of one's own, no
//! duplicate keys. The one place that says so. What is hashed has no merge keys either.

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Location, MergeKeyPolicy, Spanned, budget, options};

use crate::json::Strict;

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
    parse_with(text, MergeKeyPolicy::Merge)
}

fn parse_with<T: DeserializeOwned>(text: &str, merges: MergeKeyPolicy) -> Result<T, YamlError> {
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
        merge_keys: merges,
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

/// The same, with merge keys refused: they make keys that stand nowhere in the text.
pub(crate) fn plain_mapping(text: &str) -> Result<Vec<Entry>, YamlError> {
    parse_with::<Mapping>(text, MergeKeyPolicy::Error).map(|mapping| mapping.0)
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
        let mut seen = HashSet::new();
        while let Some((key, value)) = access.next_entry::<Spanned<String>, Spanned<Strict>>()? {
            // `1` and `"1"` are two keys to YAML and one to us.
            if !seen.insert(key.value.clone()) {
                return Err(de::Error::custom("duplicate key"));
            }
            entries.push(Entry {
                key: key.value,
                key_range: range(key.referenced),
                value: value.value.0,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_come_with_the_bytes_they_have() {
        let text = "\u{feff}a: 'x' # c\r\nb: |-\r\n  foo\r\nc: {d: e}\r\n";
        let entries = mapping(text).expect("a mapping");
        let raw = entries.iter().map(|entry| (&*entry.key, &text[entry.value_range.clone()]));
        assert_eq!(raw.take(2).collect::<Vec<_>>(), [("a", "'x'"), ("b", "foo\r\n")]);
        assert_eq!(entries[2].value["d"], "e");
    }

    #[test]
    fn what_two_readers_may_read_differently_is_refused() {
        for text in [
            "a: 1\na: 2",
            "a: {b: 1, b: 2}",
            "a: {1: x, \"1\": y}",
            "1: x\n\"1\": y",
            "<<: {a: 1}",
            "a: {<<: {b: 1}}",
            "a: &x 1",
            "a: *x",
            "a: !own x",
            "a: .nan",
            "a: 1\n---\nb: 2",
            "? [a]\n: b",
        ] {
            assert!(plain_mapping(text).is_err(), "{text}");
        }
    }
}
