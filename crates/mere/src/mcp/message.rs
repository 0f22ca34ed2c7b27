//! Parses a client's bytes as a message of the protocol, or returns the refusal to send. Both
//! transports use the same rules.

use mere_core::text::json;
use rmcp::RoleServer;
use rmcp::service::RxJsonRpcMessage;
use serde_json::{Value, json as object};

/// The largest message, in bytes.
pub(super) const MAX_MESSAGE_BYTES: usize = 4 * 1024 * 1024;

/// A message that the SDK can read.
pub(super) type Message = RxJsonRpcMessage<RoleServer>;

/// A message that cannot be handed to the SDK, with the answer to it. Its texts are constants.
#[derive(Debug)]
pub(super) struct InvalidMessage {
    id: Value,
    code: i64,
    text: &'static str,
}

impl InvalidMessage {
    const PARSE_ERROR: i64 = -32700;
    const INVALID_REQUEST: i64 = -32600;
    const INVALID_PARAMS: i64 = -32602;
    const BUSY: i64 = -32000;

    /// Returns the error for what is JSON and not a message of JSON-RPC 2.0.
    fn not_json_rpc(id: Option<Value>) -> Self {
        let text = "not a JSON-RPC 2.0 message";
        Self { id: id.unwrap_or_default(), code: Self::INVALID_REQUEST, text }
    }

    /// Returns the error for a message longer than [`MAX_MESSAGE_BYTES`].
    pub(super) fn too_long() -> Self {
        Self { id: Value::Null, code: Self::INVALID_REQUEST, text: "the message is over 4 MiB" }
    }

    /// Returns the error for a request that arrives while too many are unanswered.
    pub(super) fn busy(id: Value) -> Self {
        Self { id, code: Self::BUSY, text: "too many requests are unanswered" }
    }

    /// Returns the error for a request that has the id of another unanswered one.
    pub(super) fn duplicate_id(id: Value) -> Self {
        let text = "an unanswered request already has this id";
        Self { id, code: Self::INVALID_REQUEST, text }
    }

    /// Builds the answer.
    pub(super) fn answer(&self) -> Value {
        object!({
            "jsonrpc": "2.0", "id": self.id,
            "error": { "code": self.code, "message": self.text }
        })
    }
}

/// Parses a message. Returns `None` for empty input, and for an unknown notification, which gets no
/// answer.
pub(super) fn parse_message(bytes: &[u8]) -> Result<Option<Message>, InvalidMessage> {
    if bytes.trim_ascii().is_empty() {
        return Ok(None);
    }
    let invalid = |code, words| InvalidMessage { id: Value::Null, code, text: words };
    let value = json::parse(bytes).map_err(|_| {
        invalid(
            InvalidMessage::PARSE_ERROR,
            "not valid JSON, or JSON with a duplicate key, too many levels or a number out of \
             range",
        )
    })?;
    let id = value.get("id").filter(|id| id.is_string() || id.is_number()).cloned();
    if value.get("jsonrpc").is_none_or(|version| version != "2.0") {
        return Err(InvalidMessage::not_json_rpc(id));
    }
    let has_method = value.get("method").is_some_and(Value::is_string);
    let is_notification = has_method && value.get("id").is_none();
    match serde_json::from_value(value) {
        Ok(message) => Ok(Some(message)),
        Err(_) if is_notification => Ok(None),
        Err(_) => {
            let text = "the parameters are not valid for the method";
            Err(match id {
                Some(id) if has_method => {
                    InvalidMessage { id, code: InvalidMessage::INVALID_PARAMS, text }
                }
                id => InvalidMessage::not_json_rpc(id),
            })
        }
    }
}
