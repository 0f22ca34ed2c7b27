//! Fields that are texts in JSON and types here: they are parsed and printed, and never trusted as
//! they are.

use std::fmt::Display;
use std::str::FromStr;

use serde::de::Error;
use serde::{Deserialize, Deserializer, Serializer};

pub(super) fn serialize<T: Display, S: Serializer>(
    value: &T,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

pub(super) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    String::deserialize(deserializer)?.parse().map_err(|_| D::Error::custom("not a valid value"))
}

/// The same for a field that may be null or missing.
pub(super) mod optional {
    use super::{Deserialize, Deserializer, Display, Error, FromStr, Serializer};

    #[expect(clippy::ref_option, reason = "serde calls it with a reference to the field")]
    pub(in super::super) fn serialize<T: Display, S: Serializer>(
        value: &Option<T>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        match value {
            Some(value) => serializer.collect_str(value),
            None => serializer.serialize_none(),
        }
    }

    pub(in super::super) fn deserialize<'de, T: FromStr, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<T>, D::Error> {
        let text = Option::<String>::deserialize(deserializer)?;
        let value = text.map(|text| text.parse()).transpose();
        value.map_err(|_| D::Error::custom("not a valid value"))
    }
}
