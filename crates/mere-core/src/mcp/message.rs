//! The messages of JSON-RPC: those that are sent, and what kind a received one is.

use serde_json::{Map, Value, json};

/// The code of an answer that a method does not exist.
const METHOD_NOT_FOUND: i64 = -32_601;

/// A message of a server.
#[derive(Debug)]
pub(super) enum ServerMessage {
    /// The answer to a request of ours.
    Answer {
        /// The id of the request.
        id: u64,
        /// What came back, or the error.
        result: Result<Value, Value>,
    },
    /// A request to us.
    Request { id: Value, method: String },
    /// A notification.
    Notification { method: String, params: Value },
}

impl ServerMessage {
    /// Reads a message. Returns `None` if it is none of the protocol.
    pub(super) fn read(message: Value) -> Option<Self> {
        let Value::Object(mut fields) = message else { return None };
        if fields.get("jsonrpc").is_none_or(|version| version != "2.0") {
            return None;
        }
        let method = fields.get("method").map(|method| method.as_str().map(str::to_owned));
        let id = fields.shift_remove("id");
        match (method, id) {
            (Some(method), Some(id)) if id.is_string() || id.is_number() => {
                Some(Self::Request { id, method: method? })
            }
            (Some(method), None) => {
                let params = fields.shift_remove("params").unwrap_or_default();
                Some(Self::Notification { method: method?, params })
            }
            (None, Some(id)) => {
                let result = read_result(&mut fields)?;
                Some(Self::Answer { id: id.as_u64()?, result })
            }
            _ => None,
        }
    }
}

fn read_result(fields: &mut Map<String, Value>) -> Option<Result<Value, Value>> {
    match (fields.shift_remove("result"), fields.shift_remove("error")) {
        (Some(result), None) if result.is_object() => Some(Ok(result)),
        (None, Some(error)) if error.is_object() => Some(Err(error)),
        _ => None,
    }
}

/// Returns a request.
pub(super) fn request(id: u64, method: &str, params: &Value) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })
}

/// Returns a notification.
pub(super) fn notification(method: &str) -> Value {
    json!({ "jsonrpc": "2.0", "method": method })
}

/// Answers a request of a server. It may ask whether anybody is there, and for nothing else.
pub(super) fn answer_request(id: &Value, method: &str) -> Value {
    if method == "ping" {
        return json!({ "jsonrpc": "2.0", "id": id, "result": {} });
    }
    let error = json!({ "code": METHOD_NOT_FOUND, "message": "not supported here" });
    json!({ "jsonrpc": "2.0", "id": id, "error": error })
}
