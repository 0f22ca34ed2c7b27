//! Bounded, data-only YAML: one document without anchors, aliases, tags, merge keys and duplicate
//! keys.
//!
//! This is the only place that enforces it. In YAML that is hashed, values that two readers would
//! read differently are refused as well.

pub mod amend;
mod portable;
mod scan;

use std::collections::HashSet;
use std::fmt;
use std::ops::Range;

use serde::de::{self, Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{DuplicateKeyPolicy, Location, MergeKeyPolicy, Spanned, budget, options};

use crate::text::json::StrictValue;
pub(crate) use scan::{Scalar, ScalarRole, scan_scalars};

/// The largest text, in bytes.
pub const MAX_YAML_BYTES: usize = 1024 * 1024;

/// How many scalars and collections a text may have.
const MAX_NODES: usize = 20_000;
/// How many events the parser may emit: far more than a person writes.
const MAX_EVENTS: usize = 60_000;

/// A text that is not the expected YAML.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {reason}")]
pub struct YamlError {
    /// The line, from 1.
    pub line: u64,
    /// The column, from 1.
    pub column: u64,
    /// The reason, for people and the log. It may repeat words of the text.
    pub reason: String,
}

impl YamlError {
    /// Creates an error at a location of the text.
    pub fn at_location(place: Location, reason: String) -> Self {
        Self { line: place.line(), column: place.column(), reason }
    }
}

/// Parses one document. An empty one becomes whatever `T` makes of null.
pub fn parse<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    check_and_scan(text)?;
    parse_strict(text)
}

/// Checks that a text may be parsed, and returns its scalars.
fn check_and_scan(text: &str) -> Result<Vec<Scalar<'_>>, YamlError> {
    if text.len() > MAX_YAML_BYTES {
        return Err(YamlError { line: 1, column: 1, reason: "it is larger than 1 MiB".to_owned() });
    }
    scan_scalars(text)
}

fn parse_strict<T: DeserializeOwned>(text: &str) -> Result<T, YamlError> {
    let strict = options! {
        budget: budget! {
            max_depth: 32,
            max_nodes: MAX_NODES,
            max_events: MAX_EVENTS,
            max_aliases: 0,
            max_anchors: 0,
            max_documents: 1,
            flow_nesting_limit: 32,
        },
        duplicate_keys: DuplicateKeyPolicy::Error,
        merge_keys: MergeKeyPolicy::Error,
        strict_booleans: true,
        reject_unsupported_tags: true,
        with_snippet: false,
    };
    serde_saphyr::from_str_with_options(text, strict).map_err(|error| {
        let place = error.location();
        YamlError {
            line: place.map_or(1, |place| place.line()).max(1),
            column: place.map_or(1, |place| place.column()).max(1),
            reason: plain_reason(&error.without_snippet().to_string()),
        }
    })
}

/// Rewrites the library's message: the location is reported separately, and internal names are
/// replaced.
fn plain_reason(words: &str) -> String {
    let words = words.split(" at line ").next().unwrap_or_default();
    if words.starts_with("budget breached") {
        return "anchors and aliases are not allowed, and depth and size are limited".to_owned();
    }
    let plain = [
        ("expected sequence start", "a list is expected"),
        ("expected mapping start", "a mapping is expected"),
        ("expected string scalar", "a string is expected"),
        ("cannot deserialize null into string", "a string is expected, but there is nothing"),
        ("duplicate mapping key", "a key appears twice"),
    ];
    let plain = plain.into_iter().find(|(theirs, _)| words.starts_with(theirs));
    plain.map_or_else(
        || words.replace("unknown variant", "unknown value"),
        |(_, ours)| ours.to_owned(),
    )
}

/// One key of a mapping and its value, with their byte ranges in the text. The range of a
/// collection is empty.
pub(crate) struct YamlEntry {
    pub(crate) key: String,
    pub(crate) key_range: Range<usize>,
    pub(crate) value: Value,
    pub(crate) value_range: Range<usize>,
}

/// Parses the keys of a mapping, in their order. An empty text has no keys.
pub(crate) fn parse_mapping(text: &str) -> Result<Vec<YamlEntry>, YamlError> {
    parse::<Mapping>(text).map(|mapping| mapping.0)
}

/// The reason why a mapping cannot be hashed.
#[derive(Debug)]
pub(crate) enum PlainMappingError {
    /// The text is not a valid mapping.
    Yaml(YamlError),
    /// Another reader would read the key or value at this line and column, both from 1,
    /// differently.
    AmbiguousScalar(u64, u64),
}

/// Parses a mapping that is to be hashed: every reader must take each key for a text, and each
/// value for the same value.
pub(crate) fn parse_plain_mapping(text: &str) -> Result<Vec<YamlEntry>, PlainMappingError> {
    parse_plain_mapping_with_ids(text, &IdKeys { single: &[], lists: &[] })
}

/// The keys of a mapping whose values are ids.
pub(crate) struct IdKeys<'a> {
    /// Those with one id. Whatever looks like a number there is a text.
    pub(crate) single: &'a [&'a str],
    /// Those with one id or a list of ids. A whole number stays a number, because every reader
    /// takes it for the same one; what else looks like a number is a text.
    pub(crate) lists: &'a [&'a str],
}

impl IdKeys<'_> {
    /// Returns whether a plain scalar at this place is an id that is read as a text.
    fn is_text_id(&self, key: &str, scalar: &Scalar<'_>) -> bool {
        let is_single = scalar.depth == 1 && scalar.role == ScalarRole::Value;
        let is_listed = scalar.depth == 2 && scalar.role == ScalarRole::Item;
        let is_id = is_single && self.single.contains(&key)
            || (is_single || is_listed)
                && self.lists.contains(&key)
                && !is_plain_whole_number(&scalar.value);
        is_id && portable::is_number(&scalar.value)
    }
}

fn is_plain_whole_number(scalar: &str) -> bool {
    scalar.parse::<u64>().is_ok_and(|number| number.to_string() == scalar)
}

/// Parses a mapping that is to be hashed, in which the values of some keys are ids. A number there
/// is the text that is written: readers disagree on which number `017` is, but not on its digits.
pub(crate) fn parse_plain_mapping_with_ids(
    text: &str,
    id_keys: &IdKeys<'_>,
) -> Result<Vec<YamlEntry>, PlainMappingError> {
    let scalars = check_and_scan(text).map_err(PlainMappingError::Yaml)?;
    let (mut key, mut position) = ("", 0);
    let (mut ambiguous, mut text_ids) = (None, Vec::new());
    for scalar in &scalars {
        let is_portable = match scalar.role {
            _ if !scalar.is_plain => true,
            ScalarRole::Key => portable::is_text(&scalar.value),
            ScalarRole::Value | ScalarRole::Item if id_keys.is_text_id(key, scalar) => {
                text_ids.push((key, position, &*scalar.value));
                true
            }
            ScalarRole::Value | ScalarRole::Item => portable::is_portable(&scalar.value),
        };
        match (scalar.depth, scalar.role) {
            (1, ScalarRole::Key) => (key, position) = (&scalar.value, 0),
            _ => position += 1,
        }
        if !is_portable && ambiguous.is_none() {
            ambiguous = Some(scan::error_at(scalar.start, ""));
        }
    }
    let mut entries = parse_strict::<Mapping>(text).map_err(PlainMappingError::Yaml)?.0;
    if let Some(error) = ambiguous {
        return Err(PlainMappingError::AmbiguousScalar(error.line, error.column));
    }
    for (key, position, id) in text_ids {
        let entry = entries.iter_mut().find(|entry| entry.key == key);
        match entry.map(|entry| &mut entry.value) {
            // A list of anything but scalars is no list of ids, and is refused by whoever reads it.
            Some(Value::Array(items)) => {
                if let Some(item) = items.get_mut(position) {
                    *item = Value::from(id);
                }
            }
            Some(value) => *value = Value::from(id),
            None => {}
        }
    }
    Ok(entries)
}

struct Mapping(Vec<YamlEntry>);

impl<'de> Deserialize<'de> for Mapping {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MappingVisitor)
    }
}

/// Collects the entries of a mapping.
struct MappingVisitor;

impl<'de> Visitor<'de> for MappingVisitor {
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
        while let Some((key, value)) =
            access.next_entry::<Spanned<String>, Spanned<StrictValue>>()?
        {
            // `1` and `"1"` are two keys in YAML, but one key to us.
            if !seen.insert(key.value.clone()) {
                return Err(de::Error::custom("duplicate key"));
            }
            entries.push(YamlEntry {
                key: key.value,
                key_range: byte_range(key.referenced),
                value: value.value.0,
                value_range: byte_range(value.referenced),
            });
        }
        Ok(Mapping(entries))
    }
}

fn byte_range(place: Location) -> Range<usize> {
    let number = |number: Option<u64>| number.and_then(|number| usize::try_from(number).ok());
    let start = number(place.span().byte_offset()).unwrap_or_default();
    start..start + number(place.span().byte_len()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn keys_come_with_the_bytes_they_have() {
        let text = "\u{feff}a: 'x' # c\r\nb: |-\r\n  foo\r\nc: {d: e}\r\n";
        let entries = parse_mapping(text).expect("a mapping");
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
            "a: !!str x",
            "a: .nan",
            "a: 1\n---\nb: 2",
            "? [a]\n: b",
        ] {
            assert!(parse_mapping(text).is_err(), "{text}");
            assert!(matches!(parse_plain_mapping(text), Err(PlainMappingError::Yaml(_))), "{text}");
        }
    }

    #[test]
    fn settings_have_no_tags_and_no_merge_keys() {
        type Settings = BTreeMap<String, Spanned<Value>>;
        for text in ["a: !!str 1", "a: {b: !x 1}", "<<: {a: 1}", "a: {<<: {b: 1}}"] {
            assert!(parse::<Settings>(text).is_err(), "{text}");
        }
        let settings = parse::<Settings>("# c\na: {b: '!x'}").expect("settings");
        assert_eq!((settings["a"].referenced.line(), &settings["a"].value["b"]), (2, &"!x".into()));
    }

    #[test]
    fn an_id_is_what_is_written() {
        let text =
            "id: 0012\nrequires: [12, 0012, a, \"013\", 1_0, 0x1f]\nrelated: 007\nother: 7\n";
        let keys = IdKeys { single: &["id"], lists: &["requires", "related"] };
        let entries = parse_plain_mapping_with_ids(text, &keys).unwrap_or_default();
        let values = entries.iter().map(|entry| entry.value.clone()).collect::<Vec<_>>();
        let requires = serde_json::json!([12, "0012", "a", "013", "1_0", "0x1f"]);
        assert_eq!(values, ["0012".into(), requires, "007".into(), 7.into()]);
        for text in ["other: [0012]", "requires: {a: 0012}", "requires: [[0012]]", "id: [0012]"] {
            assert!(parse_plain_mapping_with_ids(text, &keys).is_err(), "{text}");
        }
    }

    #[test]
    fn what_is_hashed_is_the_same_to_all() {
        for (text, place) in [
            ("a: x\nb: [1, 017]", (2, 8)),
            ("a: {b: {c: on}}", (1, 12)),
            ("on: x", (1, 1)),
            ("a: {1: x}", (1, 5)),
            ("é: 12:30", (1, 4)),
        ] {
            assert!(parse_mapping(text).is_ok(), "{text}");
            let found = parse_plain_mapping(text);
            assert!(
                matches!(found, Err(PlainMappingError::AmbiguousScalar(line, column)) if (line, column) == place),
                "{text}"
            );
        }
        for text in ["a: '017'\nb: \"on\"\n'1': 12\nc: |\n  12:30\n", "a:\nb: ~", ""] {
            assert!(parse_plain_mapping(text).is_ok(), "{text}");
        }
    }
}
