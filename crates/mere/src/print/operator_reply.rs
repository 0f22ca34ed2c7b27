//! A reply that a command prints for its operator. It may name host paths, so it does not pass the
//! gate, and no agent ever sees it.

use mere_core::reply::{Code, ReplyKind};
use serde_json::{Value, json};

/// Builds a reply of the command `tool`.
pub(crate) fn operator_reply<A: ReplyKind>(
    code: Code<A>,
    tool: &str,
    message: &str,
    data: &Value,
) -> Value {
    let code = code.id();
    json!({
        "reply_type": code.reply_type().letter(), "code": code.to_string(), "message": message,
        "data": data,
        "trace": { "trace_id": mere_engine::new_sortable_id().simple().to_string(), "session_id": null },
        "meta": { "layer": code.layer().to_string(), "tool": tool }
    })
}
