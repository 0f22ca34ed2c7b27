//! Signed data: canonical JSON with exactly the fields it may have.
//!
//! What is signed has one spelling. A text that parses but is not canonical, a duplicate key, or a
//! field that is missing or unknown makes the payload invalid.

use std::str::FromStr;

use serde_json::{Map, Value};

use crate::text::{canonical, json};

/// Signed data that is malformed, with the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SignedDataError(pub &'static str);

/// A JSON object that has no unknown fields.
pub(crate) struct ClosedObject<'a>(&'a Map<String, Value>);

/// Parses a payload that must be canonical JSON.
pub(crate) fn parse_canonical(bytes: &[u8]) -> Result<Value, SignedDataError> {
    let value = json::parse(bytes)
        .map_err(|_| SignedDataError("it is not valid JSON without duplicate keys"))?;
    if canonical::to_text(&value).as_bytes() != bytes {
        return Err(SignedDataError("it is not canonical JSON"));
    }
    Ok(value)
}

impl<'a> ClosedObject<'a> {
    /// Takes an object that may have only these fields.
    pub(crate) fn new(value: &'a Value, known: &[&str]) -> Result<Self, SignedDataError> {
        let map = value.as_object().ok_or(SignedDataError("it is not an object"))?;
        if map.keys().all(|key| known.contains(&key.as_str())) {
            return Ok(Self(map));
        }
        Err(SignedDataError("it has an unknown field"))
    }

    pub(crate) fn get(&self, key: &'static str) -> Result<&'a Value, SignedDataError> {
        self.0.get(key).ok_or(SignedDataError("a field is missing"))
    }

    /// Returns a field that may be missing.
    pub(crate) fn get_optional(&self, key: &'static str) -> Option<&'a Value> {
        self.0.get(key)
    }

    pub(crate) fn text(&self, key: &'static str) -> Result<&'a str, SignedDataError> {
        self.get(key)?.as_str().ok_or(SignedDataError("a field is not a string"))
    }

    pub(crate) fn parse<T: FromStr>(&self, key: &'static str) -> Result<T, SignedDataError> {
        parse_text(self.text(key)?)
    }

    /// Parses a field that must be there and may be null.
    pub(crate) fn parse_or_null<T: FromStr>(
        &self,
        key: &'static str,
    ) -> Result<Option<T>, SignedDataError> {
        if self.get(key)?.is_null() { Ok(None) } else { self.parse(key).map(Some) }
    }

    pub(crate) fn number(&self, key: &'static str) -> Result<u64, SignedDataError> {
        self.get(key)?.as_u64().ok_or(SignedDataError("a field is not a number"))
    }

    pub(crate) fn list(&self, key: &'static str) -> Result<&'a [Value], SignedDataError> {
        expect_list(self.get(key)?)
    }

    /// Checks the format version in `v`.
    pub(crate) fn check_version(&self, expected: u64) -> Result<(), SignedDataError> {
        if self.number("v")? == expected {
            Ok(())
        } else {
            Err(SignedDataError("it has an unsupported version"))
        }
    }
}

/// Parses a text into a value.
pub(crate) fn parse_text<T: FromStr>(text: &str) -> Result<T, SignedDataError> {
    text.parse().map_err(|_| SignedDataError("a field has an invalid value"))
}

/// Returns a value as a list.
pub(crate) fn expect_list(value: &Value) -> Result<&[Value], SignedDataError> {
    value.as_array().map(Vec::as_slice).ok_or(SignedDataError("a field is not a list"))
}

/// Parses a list of texts into values.
pub(crate) fn parse_list<T: FromStr>(value: &Value) -> Result<Vec<T>, SignedDataError> {
    let texts = expect_list(value)?.iter();
    let texts = texts.map(|text| text.as_str().ok_or(SignedDataError("a field is not a string")));
    texts.map(|text| parse_text(text?)).collect()
}
