//! Strict JSON: what `serde_json` accepts, minus duplicate keys.
//!
//! Two values for one key are how two readers of the same bytes come to disagree, so they are
//! refused here, for every JSON text that comes from outside. The parser bounds the depth.

use std::cell::Cell;
use std::fmt;

use serde::de::{self, Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

/// A text that is not strict JSON. The error keeps the position and drops the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not valid JSON at line {line}, column {column}")]
pub struct JsonError {
    /// The line, from 1.
    pub line: usize,
    /// The column, from 1.
    pub column: usize,
}

/// How many values a text may contain: small values take far more memory than their text does.
pub const MAX_VALUES: usize = 100_000;

/// Parses one JSON value. Duplicate keys, trailing text and more than [`MAX_VALUES`] values are
/// refused.
pub fn parse(text: &[u8]) -> Result<Value, JsonError> {
    let left = Cell::new(MAX_VALUES);
    let mut reader = serde_json::Deserializer::from_slice(text);
    let parsed = Reader(&left).deserialize(&mut reader);
    let parsed = parsed.and_then(|value| reader.end().map(|()| value));
    parsed.map_err(|error| JsonError { line: error.line(), column: error.column() })
}

/// Sorts the keys of every object, so that two spellings of one value become the same text.
pub fn sort_keys(value: &Value) -> Value {
    match value {
        Value::Object(map) => {
            let mut fields = map.iter().map(|(k, v)| (k.clone(), sort_keys(v))).collect::<Vec<_>>();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Value::Object(fields.into_iter().collect())
        }
        Value::Array(items) => items.iter().map(sort_keys).collect(),
        other => other.clone(),
    }
}

/// A value of any format, deserialized by the same rules.
pub(crate) struct StrictValue(pub(crate) Value);

impl<'de> Deserialize<'de> for StrictValue {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Reader(&Cell::new(MAX_VALUES)).deserialize(deserializer).map(Self)
    }
}

/// A reader of one value, which counts down how many may still follow.
#[derive(Clone, Copy)]
struct Reader<'a>(&'a Cell<usize>);

impl<'de> DeserializeSeed<'de> for Reader<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        let left = self.0.get().checked_sub(1);
        self.0.set(left.ok_or_else(|| de::Error::custom("too many values"))?);
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Reader<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a plain value")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Number::from_f64(value).map(Value::Number).ok_or_else(|| E::custom("not a number"))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Value, E> {
        Ok(Value::String(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = access.next_element_seed(self)? {
            items.push(item);
        }
        Ok(Value::Array(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<Value, A::Error> {
        let mut map = Map::new();
        while let Some(key) = access.next_key::<String>()? {
            if map.contains_key(&key) {
                return Err(de::Error::custom("duplicate key"));
            }
            map.insert(key, access.next_value_seed(self)?);
        }
        Ok(Value::Object(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parses_what_json_is() {
        let value = parse(br#"{"a":[1,-2,1.5,true,null,"x"],"b":{}}"#).expect("valid");
        assert_eq!(value["a"][2], 1.5);
        assert_eq!(value.to_string(), r#"{"a":[1,-2,1.5,true,null,"x"],"b":{}}"#);
    }

    #[test]
    fn refuses_duplicates_depth_and_rubbish() {
        let many = format!("[{}0]", "0,".repeat(100_000));
        assert!(parse(many.as_bytes()).is_err(), "too many values");
        let deep = "[".repeat(100_000);
        for text in [r#"{"a":1,"a":2}"#, r#"[{"b":{"c":1,"c":1}}]"#, "", "{", "{} {}", "NaN", &deep]
        {
            assert!(parse(text.as_bytes()).is_err(), "{}", &text[..text.len().min(20)]);
        }
        assert!(parse(b"\"\xff\"").is_err());
    }
}
