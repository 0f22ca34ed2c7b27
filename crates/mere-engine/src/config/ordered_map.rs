//! A mapping whose keys are names that a person chose. It keeps the order of the file, and each key
//! may occur once.

use std::collections::HashSet;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_saphyr::Spanned;

use super::YamlError;

/// The keys with their positions, and the value of each.
pub(super) struct OrderedMap<T>(Vec<(Spanned<String>, T)>);

impl<T> OrderedMap<T> {
    /// Returns the entries, or an error if a name occurs twice. (`1` and `"1"` are two keys to
    /// YAML, but one name to us.)
    pub(super) fn into_unique_entries(self) -> Result<Vec<(Spanned<String>, T)>, YamlError> {
        let mut seen = HashSet::new();
        match self.0.iter().find(|(key, _)| !seen.insert(&key.value)) {
            Some((key, _)) => {
                let reason = "the name is used twice: rename one of them".to_owned();
                Err(YamlError::at_location(key.referenced, reason))
            }
            None => Ok(self.0),
        }
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for OrderedMap<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(OrderedMapVisitor(PhantomData))
    }
}

/// Collects the entries of a mapping.
struct OrderedMapVisitor<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for OrderedMapVisitor<T> {
    type Value = OrderedMap<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a mapping")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<OrderedMap<T>, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = access.next_entry()? {
            entries.push(entry);
        }
        Ok(OrderedMap(entries))
    }
}
