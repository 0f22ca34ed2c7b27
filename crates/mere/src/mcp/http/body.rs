//! A request's body: bounded in size and time, and strict JSON.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use http_body_util::{BodyExt, Limited};
use hyper::body::Incoming;
use mere_core::json;
use serde_json::Value;

use super::refusal::Refusal;

/// The largest body.
const MAX_BYTES: usize = 8 * 1024 * 1024;
/// How long a client may take to send it.
const MAX_TIME: Duration = Duration::from_secs(30);

/// A body that is one JSON-RPC message.
pub(super) struct Message {
    pub(super) bytes: Bytes,
    /// The method it names, if it is a request or a notification.
    pub(super) method: Option<String>,
}

/// Reads and checks a body.
pub(super) async fn read(body: Incoming) -> Result<Message, Refusal> {
    let limited = Limited::new(body, MAX_BYTES).collect();
    let collected = match tokio::time::timeout(MAX_TIME, limited).await {
        Ok(Ok(collected)) => collected.to_bytes(),
        Ok(Err(error)) if error.is::<http_body_util::LengthLimitError>() => {
            return Err(Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is over 8 MiB"));
        }
        Ok(Err(_)) => return Err(Refusal::new(StatusCode::BAD_REQUEST, "the body broke off")),
        Err(_) => return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body took too long")),
    };
    let value = json::parse(&collected).map_err(|_| {
        Refusal::new(StatusCode::BAD_REQUEST, "the body is not JSON with each key once")
            .code(Refusal::PARSE_ERROR)
    })?;
    if !value.is_object() || value["jsonrpc"] != "2.0" {
        return Err(Refusal::new(StatusCode::BAD_REQUEST, "not one JSON-RPC 2.0 message"));
    }
    let method = value.get("method").and_then(Value::as_str).map(str::to_owned);
    Ok(Message { bytes: collected, method })
}
