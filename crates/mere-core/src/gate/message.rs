//! The gate around a transport's send.
//!
//! A protocol library wraps our cleared in messages of its own and sends errors we never saw. At
//! the last step every string of a message is therefore taken for our words and scanned, except
//! the parts that are already cleared. Those travel through the library under a [`Seal`], a secret
//! of this process that no content can know, and lose it here.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Cleared, ClearedText, Gate, Leak};

/// JSON-RPC's code for an internal error.
const INTERNAL_ERROR: i64 = -32603;

/// A secret that marks what the gate has cleared.
#[derive(Clone)]
pub struct Seal(String);

/// A protocol message that passed the gate: the only message a transport may send.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearedMessage {
    value: Value,
    /// The parts of it that were cleared before. In `value` each has left its mark.
    sealed_parts: Vec<SealedPart>,
}

/// A part that is JSON already.
#[derive(Clone, Debug, PartialEq)]
struct SealedPart {
    placeholder: String,
    /// The part under its seal.
    sealed: String,
    /// How long the seal is.
    seal_length: usize,
}

impl SealedPart {
    fn json(&self) -> &str {
        &self.sealed[self.seal_length..]
    }
}

impl ClearedMessage {
    /// The message, if there is no reply in it.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The message as one line of JSON, without its newline.
    pub fn to_line(&self) -> String {
        self.to_pieces().concat()
    }

    /// The same in pieces, none of which is a copy of a large part.
    pub fn to_pieces(&self) -> Vec<Cow<'_, str>> {
        let frame = serde_json::to_string(&self.value).unwrap_or_default();
        let mut rest = frame.as_str();
        let mut pieces = Vec::new();
        for part in &self.sealed_parts {
            // A mark is a secret with a number, in quotes: it stands nowhere else.
            if let Some((before, after)) = rest.split_once(part.placeholder.as_str()) {
                pieces.push(Cow::Owned(before.to_owned()));
                pieces.push(Cow::Borrowed(part.json()));
                rest = after;
            }
        }
        pieces.push(Cow::Owned(rest.to_owned()));
        pieces
    }
}

impl Seal {
    /// A seal from a random id, made once per process.
    pub fn new(secret: Uuid) -> Self {
        Self(format!("cleared-{}:", secret.simple()))
    }

    /// A reply under seal: what is put into a message where JSON may stand, and its text mirror,
    /// to be put where text may stand.
    pub fn seal_reply(&self, cleared: Cleared) -> (Value, String) {
        let Cleared { mut json, mirror_json: mut mirror, .. } = cleared;
        for part in [&mut json, &mut mirror] {
            part.insert_str(0, JSON_TAG);
            part.insert_str(0, &self.0);
        }
        (Value::from(json), mirror)
    }

    /// A sentence under seal, to be put where text may stand.
    pub fn seal_text(&self, text: &ClearedText) -> String {
        format!("{}{}", self.0, text.as_str())
    }
}

impl Gate {
    /// Passes a whole JSON-RPC message. A result that leaks becomes an error with the same id;
    /// anything else that leaks is not sent at all.
    pub fn clear_message(&self, mut message: Value, seal: &Seal) -> Option<ClearedMessage> {
        let code = message.pointer("/error/code").cloned();
        let answers = message.get("method").is_none();
        let ids = take_ids(&mut message);
        let mut opening = MessageClearing { gate: self, seal, sealed_parts: Vec::new() };
        match opening.clear_value(message) {
            Ok(value) => {
                let cleared = opening.sealed_parts;
                Some(ClearedMessage { value: restore_ids(value, ids), sealed_parts: cleared })
            }
            Err(Leak) if answers => {
                let value = restore_ids(withheld_error(code), ids);
                Some(ClearedMessage { value, sealed_parts: Vec::new() })
            }
            Err(Leak) => None,
        }
    }
}

/// What follows the seal of something that is JSON already.
const JSON_TAG: &str = "json:";

/// One message on its way through the gate.
struct MessageClearing<'a> {
    gate: &'a Gate,
    seal: &'a Seal,
    sealed_parts: Vec<SealedPart>,
}

impl MessageClearing<'_> {
    fn clear_value(&mut self, value: Value) -> Result<Value, Leak> {
        match value {
            Value::String(text) => self.clear_text(text),
            Value::Array(items) => items.into_iter().map(|item| self.clear_value(item)).collect(),
            Value::Object(map) => {
                let fields = map.into_iter().map(|(key, value)| {
                    self.gate.check_words(&key)?;
                    Ok((key, self.clear_value(value)?))
                });
                fields.collect::<Result<Map<_, _>, _>>().map(Value::Object)
            }
            other => Ok(other),
        }
    }

    fn clear_text(&mut self, mut text: String) -> Result<Value, Leak> {
        if !text.starts_with(&self.seal.0) {
            return self.gate.check_words(&text).map(|_| ()).map(|()| Value::from(text));
        }
        let seal = self.seal.0.len();
        if !text[seal..].starts_with(JSON_TAG) {
            text.drain(..seal);
            return Ok(Value::from(text));
        }
        let mark = format!("{}{}", self.seal.0, self.sealed_parts.len());
        let seal = seal + JSON_TAG.len();
        self.sealed_parts.push(SealedPart {
            placeholder: format!("\"{mark}\""),
            sealed: text,
            seal_length: seal,
        });
        Ok(Value::from(mark))
    }
}

/// Where ids stand that the caller chose and gets back unread: they tie an answer to its question.
const ID_POINTERS: [&str; 5] = [
    "/id",
    "/params/progressToken",
    "/params/requestId",
    "/params/_meta/io.modelcontextprotocol~1subscriptionId",
    "/result/_meta/io.modelcontextprotocol~1subscriptionId",
];

/// Takes the ids out of their places, leaving null so that the order stays.
fn take_ids(message: &mut Value) -> [Option<Value>; ID_POINTERS.len()] {
    ID_POINTERS.map(|place| message.pointer_mut(place).map(Value::take))
}

fn restore_ids(mut message: Value, ids: [Option<Value>; ID_POINTERS.len()]) -> Value {
    for (place, id) in ID_POINTERS.iter().zip(ids) {
        if let (Some(place), Some(id)) = (message.pointer_mut(place), id) {
            *place = id;
        }
    }
    message
}

fn withheld_error(code: Option<Value>) -> Value {
    let code = code.unwrap_or_else(|| INTERNAL_ERROR.into());
    let message = "The answer was withheld: it named a place outside the visible world.";
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}
