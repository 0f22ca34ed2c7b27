//! Everything that leaves over HTTP: each message of each stream passes the gate.
//!
//! The SDK answers with JSON, with a stream of events, or with plain text of its own. The first two
//! are cleared message by message; the third is replaced by an error with our own text.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Frame;
use mere_http::Body;
use serde_json::Value;

use super::refusal::Refusal;
use crate::mcp::call_runner::CallRunner;

/// An event without data.
const EMPTY_EVENT: &[u8] = b":\n\n";

/// Passes a response through the gate.
pub(super) async fn clear(
    response: Response<BoxBody<Bytes, Infallible>>,
    runner: Arc<CallRunner>,
) -> Response<Body> {
    let status = response.status();
    let kind = response.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    match kind.and_then(|kind| kind.split(';').next()) {
        Some("text/event-stream") => response.map(|body| clear_stream(body, runner)),
        Some("application/json") => clear_json(response, &runner).await,
        _ if status.is_success() => response.map(|_| Empty::new().boxed()),
        _ => Refusal::for_status(status).response(),
    }
}

fn clear_stream(body: BoxBody<Bytes, Infallible>, runner: Arc<CallRunner>) -> Body {
    body.map_frame(move |frame| match frame.into_data() {
        Ok(event) => Frame::data(clear_event(&event, &runner)),
        Err(frame) => frame,
    })
    .boxed()
}

async fn clear_json(
    response: Response<BoxBody<Bytes, Infallible>>,
    runner: &CallRunner,
) -> Response<Body> {
    let (mut head, body) = response.into_parts();
    let Ok(body) = body.collect().await;
    let message = serde_json::from_slice::<Value>(&body.to_bytes()).ok().map(replace_sdk_text);
    let cleared = message.and_then(|message| runner.session.clear_message(message, &runner.seal));
    match cleared {
        Some(message) => {
            head.headers.remove(CONTENT_LENGTH);
            Response::from_parts(head, Full::new(Bytes::from(message.to_line())).boxed())
        }
        None => Refusal::for_status(StatusCode::INTERNAL_SERVER_ERROR).response(),
    }
}

/// Replaces the SDK's text about headers, because it repeats what the client sent.
fn replace_sdk_text(mut message: Value) -> Value {
    const HEADER_MISMATCH: i64 = -32020;
    if message["error"]["code"] == HEADER_MISMATCH {
        message["error"]["message"] = "a header does not match the request".into();
    }
    message
}

/// Clears the data of one event. Each of the SDK's frames is one event, with its data on one line.
fn clear_event(event: &[u8], runner: &CallRunner) -> Bytes {
    let Ok(text) = std::str::from_utf8(event) else { return Bytes::from_static(EMPTY_EVENT) };
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("data:").map(str::trim) {
            Some("") | None => out.push_str(line),
            Some(data) => match clear_data(data, runner) {
                Some(data) => {
                    out.push_str("data: ");
                    out.push_str(&data);
                    out.push('\n');
                }
                None => return Bytes::from_static(EMPTY_EVENT),
            },
        }
    }
    Bytes::from(out)
}

fn clear_data(data: &str, runner: &CallRunner) -> Option<String> {
    let message = serde_json::from_str::<Value>(data).ok()?;
    let cleared = runner.session.clear_message(message, &runner.seal);
    if cleared.is_none() {
        tracing::error!("a message was not sent because it contained a host path");
    }
    cleared.map(|message| message.to_line())
}
