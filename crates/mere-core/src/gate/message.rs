//! The gate around a transport's send.
//!
//! A protocol library wraps our cleared replies in messages of its own, and sends errors that we
//! never saw. In the last step, every string of a message is therefore treated as our words and
//! scanned, except for the parts that are already cleared. Those pass through the library under a
//! [`Seal`], a secret of this process that no content can know, and the seal is removed here.

use std::borrow::Cow;

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Cleared, ClearedPart, ClearedText, Gate, Leak};

/// JSON-RPC's code for an internal error.
const INTERNAL_ERROR: i64 = -32603;

/// A secret that marks the parts that the gate has cleared.
#[derive(Clone)]
pub struct Seal(String);

/// A protocol message that passed the gate, and the only kind that a transport may send.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearedMessage {
    value: Value,
    /// The parts that were cleared before. `value` has a placeholder for each.
    sealed_parts: Vec<SealedPart>,
}

/// A cleared part that is serialised already.
#[derive(Clone, Debug, PartialEq)]
struct SealedPart {
    placeholder: String,
    /// The part with its seal in front.
    sealed: String,
    /// The length of the seal.
    seal_length: usize,
}

impl SealedPart {
    fn json(&self) -> &str {
        &self.sealed[self.seal_length..]
    }
}

impl ClearedMessage {
    /// Returns the message; a reply in it is only a placeholder.
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// Renders the message as one line of JSON, without its newline.
    pub fn to_line(&self) -> String {
        self.to_pieces().concat()
    }

    /// Renders the message in pieces, without copying the large parts.
    pub fn to_pieces(&self) -> Vec<Cow<'_, str>> {
        let frame = serde_json::to_string(&self.value).unwrap_or_default();
        let mut rest = frame.as_str();
        let mut pieces = Vec::new();
        for part in &self.sealed_parts {
            // A placeholder is a quoted secret with a number, so it occurs nowhere else.
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
    /// Makes a seal from a random id, once per process.
    pub fn new(secret: Uuid) -> Self {
        Self(format!("cleared-{}:", secret.simple()))
    }

    /// Seals a reply. Returns the value to be put into a message where JSON may stand, and the text
    /// mirror to be put where text may stand.
    pub fn seal_reply(&self, cleared: Cleared) -> (Value, String) {
        let Cleared { mut json, mirror_json: mut mirror, .. } = cleared;
        for part in [&mut json, &mut mirror] {
            part.insert_str(0, JSON_TAG);
            part.insert_str(0, &self.0);
        }
        (Value::from(json), mirror)
    }

    /// Seals a part of a reply, to be put where JSON may stand.
    pub fn seal_part(&self, part: ClearedPart<'_>) -> String {
        format!("{}{JSON_TAG}{}", self.0, part.to_json())
    }

    /// Seals a sentence, to be put where text may stand.
    pub fn seal_text(&self, text: &ClearedText) -> String {
        format!("{}{}", self.0, text.as_str())
    }
}

impl Gate {
    /// Clears a whole JSON-RPC message. An answer that leaks becomes an error with the same id;
    /// any other message that leaks is not sent at all.
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

/// Follows the seal of a part that is JSON already.
const JSON_TAG: &str = "json:";

/// Clears one message, and collects the sealed parts in it.
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

/// Points to the ids that the caller chose and gets back unread, to match answers to questions.
const ID_POINTERS: [&str; 5] = [
    "/id",
    "/params/progressToken",
    "/params/requestId",
    "/params/_meta/io.modelcontextprotocol~1subscriptionId",
    "/result/_meta/io.modelcontextprotocol~1subscriptionId",
];

/// Takes the ids out of the message, leaving null in their place so that the order stays.
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
    let message = "The answer was withheld because it named a location outside the visible world.";
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}
