//! The gate around a transport's send.
//!
//! A protocol library wraps our replies in messages of its own and sends errors we never saw. At
//! the last step every string of a message is therefore taken for our words and scanned, except
//! the parts that are already cleared. Those travel through the library under a [`Seal`], a secret
//! of this process that no content can know, and lose it here.

use serde_json::{Map, Value, json};
use uuid::Uuid;

use super::{Cleared, ClearedText, Gate, Leak, mirror};

/// JSON-RPC's code for an internal error.
const INTERNAL_ERROR: i64 = -32603;

/// A secret that marks what the gate has cleared.
#[derive(Clone)]
pub struct Seal(String);

/// A protocol message that passed the gate: the only message a transport may send.
#[derive(Clone, Debug, PartialEq)]
pub struct ClearedMessage(Value);

impl ClearedMessage {
    /// The message.
    pub fn value(&self) -> &Value {
        &self.0
    }

    /// The message as one line of JSON, without its newline.
    pub fn line(&self) -> String {
        self.0.to_string()
    }
}

impl Seal {
    /// A seal from a random id, made once per process.
    pub fn new(secret: Uuid) -> Self {
        Self(format!("cleared-{}:", secret.simple()))
    }

    /// The reply under seal, to be put into a message where JSON may stand.
    pub fn value(&self, cleared: Cleared) -> Value {
        Value::Object(Map::from_iter([(self.0.clone(), cleared.value)]))
    }

    /// A sentence under seal, to be put where text may stand.
    pub fn sentence(&self, text: &ClearedText) -> String {
        format!("{}{}", self.0, text.as_str())
    }

    /// The reply's text mirror under seal, to be put where text may stand.
    pub fn mirror(&self, cleared: &Cleared) -> String {
        format!("{}{}", self.0, mirror::render(&cleared.value))
    }
}

impl Gate {
    /// Passes a whole JSON-RPC message. A result that leaks becomes an error with the same id;
    /// anything else that leaks is not sent at all.
    pub fn clear_message(&self, mut message: Value, seal: &Seal) -> Option<ClearedMessage> {
        let code = message.pointer("/error/code").cloned();
        let answers = message.get("method").is_none();
        let ids = take_ids(&mut message);
        match self.message_value(message, seal) {
            Ok(value) => Some(ClearedMessage(with_ids(value, ids))),
            Err(Leak) if answers => Some(ClearedMessage(with_ids(withheld(code), ids))),
            Err(Leak) => None,
        }
    }

    fn message_value(&self, value: Value, seal: &Seal) -> Result<Value, Leak> {
        match value {
            Value::String(text) => match text.strip_prefix(&seal.0) {
                Some(cleared) => Ok(Value::from(cleared)),
                None => self.check_words(&text).map(Value::from),
            },
            Value::Array(items) => {
                items.into_iter().map(|item| self.message_value(item, seal)).collect()
            }
            Value::Object(map) => self.message_object(map, seal),
            other => Ok(other),
        }
    }

    fn message_object(&self, mut map: Map<String, Value>, seal: &Seal) -> Result<Value, Leak> {
        if let Some(cleared) = map.remove(&seal.0) {
            return Ok(cleared);
        }
        let fields = map.into_iter().map(|(key, value)| {
            self.check_words(&key)?;
            Ok((key, self.message_value(value, seal)?))
        });
        fields.collect::<Result<Map<_, _>, _>>().map(Value::Object)
    }
}

/// Where ids stand that the caller chose and gets back unread: they tie an answer to its question.
const IDS: [&str; 5] = [
    "/id",
    "/params/progressToken",
    "/params/requestId",
    "/params/_meta/io.modelcontextprotocol~1subscriptionId",
    "/result/_meta/io.modelcontextprotocol~1subscriptionId",
];

/// Takes the ids out of their places, leaving null so that the order stays.
fn take_ids(message: &mut Value) -> [Option<Value>; IDS.len()] {
    IDS.map(|place| message.pointer_mut(place).map(Value::take))
}

fn with_ids(mut message: Value, ids: [Option<Value>; IDS.len()]) -> Value {
    for (place, id) in IDS.iter().zip(ids) {
        if let (Some(place), Some(id)) = (message.pointer_mut(place), id) {
            *place = id;
        }
    }
    message
}

fn withheld(code: Option<Value>) -> Value {
    let code = code.unwrap_or_else(|| INTERNAL_ERROR.into());
    let message = "The answer was withheld: it named a place outside the visible world.";
    json!({ "jsonrpc": "2.0", "id": null, "error": { "code": code, "message": message } })
}
