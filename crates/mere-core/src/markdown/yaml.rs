//! YAML with the places of its top-level keys.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserialize, DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_saphyr::{Location, Spanned};

use crate::yaml;

/// One key of a mapping and its value. A range that begins a collection is empty.
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) key_range: Range<usize>,
    pub(super) value: Value,
    pub(super) value_range: Range<usize>,
}

/// The keys of a mapping in their order.
struct Mapping(Vec<Entry>);

/// The one-based line of what is wrong.
pub(super) struct BadLine(pub(super) usize);

/// Parses one value. Nothing is null.
pub(super) fn value(text: &str) -> Result<Value, BadLine> {
    parse(text)
}

/// Parses a mapping. Nothing has no keys.
pub(super) fn mapping(text: &str) -> Result<Vec<Entry>, BadLine> {
    parse::<Mapping>(text).map(|mapping| mapping.0)
}

fn parse<T: DeserializeOwned>(text: &str) -> Result<T, BadLine> {
    yaml::parse(text).map_err(|error| BadLine(usize::try_from(error.line).unwrap_or(1)))
}

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
