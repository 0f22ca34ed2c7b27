//! A signed payload: canonical JSON with exactly the fields it may have.
//!
//! What is signed has one spelling. A text that parses but is not canonical, a key twice, a field
//! that is missing or not known: none of them is the payload.

use std::str::FromStr;

use serde_json::{Map, Value};

use crate::canonical;
use crate::json;

/// A payload that is not what it must be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FormError(pub &'static str);

/// One object whose fields are all known.
pub(super) struct Closed<'a>(&'a Map<String, Value>);

/// Parses a payload that must be canonical.
pub(super) fn canonical(bytes: &[u8]) -> Result<Value, FormError> {
    let value = json::parse(bytes).map_err(|_| FormError("it is not JSON with each key once"))?;
    if canonical::text(&value).as_bytes() != bytes {
        return Err(FormError("it is not canonical JSON"));
    }
    Ok(value)
}

impl<'a> Closed<'a> {
    /// An object that has no other fields than these.
    pub(super) fn of(value: &'a Value, known: &[&str]) -> Result<Self, FormError> {
        let map = value.as_object().ok_or(FormError("it is not an object"))?;
        if map.keys().all(|key| known.contains(&key.as_str())) {
            return Ok(Self(map));
        }
        Err(FormError("it has a field that is not known"))
    }

    pub(super) fn get(&self, key: &'static str) -> Result<&'a Value, FormError> {
        self.0.get(key).ok_or(FormError("a field is missing"))
    }

    /// A field that may be missing.
    pub(super) fn find(&self, key: &'static str) -> Option<&'a Value> {
        self.0.get(key)
    }

    pub(super) fn text(&self, key: &'static str) -> Result<&'a str, FormError> {
        self.get(key)?.as_str().ok_or(FormError("a field is not a text"))
    }

    pub(super) fn parsed<T: FromStr>(&self, key: &'static str) -> Result<T, FormError> {
        parsed(self.text(key)?)
    }

    pub(super) fn number(&self, key: &'static str) -> Result<u64, FormError> {
        self.get(key)?.as_u64().ok_or(FormError("a field is not a number"))
    }

    pub(super) fn list(&self, key: &'static str) -> Result<&'a [Value], FormError> {
        list(self.get(key)?)
    }

    /// Checks `v`.
    pub(super) fn version(&self, expected: u64) -> Result<(), FormError> {
        if self.number("v")? == expected {
            Ok(())
        } else {
            Err(FormError("it is of another version"))
        }
    }
}

/// A text that parses.
pub(super) fn parsed<T: FromStr>(text: &str) -> Result<T, FormError> {
    text.parse().map_err(|_| FormError("a field has no valid value"))
}

/// A list.
pub(super) fn list(value: &Value) -> Result<&[Value], FormError> {
    value.as_array().map(Vec::as_slice).ok_or(FormError("a field is not a list"))
}

/// A list of texts that parse.
pub(super) fn parsed_list<T: FromStr>(value: &Value) -> Result<Vec<T>, FormError> {
    let texts = list(value)?.iter();
    let texts = texts.map(|text| text.as_str().ok_or(FormError("a field is not a text")));
    texts.map(|text| parsed(text?)).collect()
}
