//! A refused request, as a JSON-RPC error.
//!
//! Its texts are constants, so a refusal never repeats what the client sent.

use std::net::SocketAddr;
use std::time::Duration;

use bytes::Bytes;
use http::header::{ALLOW, CONTENT_TYPE, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE};
use http::{Response, StatusCode};
use http_body_util::{BodyExt, Full};
use mere_http::{Body, HostRefusal};
use serde_json::{Value, json};

use crate::mcp::message::InvalidMessage;

/// A refused request.
#[derive(Debug)]
pub(super) struct Refusal {
    status: StatusCode,
    message: Value,
    reason: &'static str,
    retry_after: Option<Duration>,
}

impl Refusal {
    const INVALID_REQUEST: i64 = -32600;
    const INTERNAL_ERROR: i64 = -32603;

    pub(super) fn new(status: StatusCode, reason: &'static str) -> Self {
        let code =
            if status.is_server_error() { Self::INTERNAL_ERROR } else { Self::INVALID_REQUEST };
        let error = json!({ "code": code, "message": reason });
        let message = json!({ "jsonrpc": "2.0", "id": null, "error": error });
        Self { status, message, reason, retry_after: None }
    }

    /// Creates the refusal of a request that is not meant for this server.
    pub(super) fn for_host(refusal: HostRefusal) -> Self {
        match refusal {
            HostRefusal::Foreign => {
                Self::new(StatusCode::FORBIDDEN, "this host or origin is not allowed")
            }
            HostRefusal::RepeatedHost => Self::new(StatusCode::BAD_REQUEST, "send one Host header"),
        }
    }

    /// Creates the refusal for a status that the SDK chose, with our own text, because the SDK's
    /// may repeat what the client sent.
    pub(super) fn for_status(status: StatusCode) -> Self {
        let words = match status {
            StatusCode::FORBIDDEN => "this host or origin is not allowed",
            StatusCode::NOT_FOUND => "no such session",
            StatusCode::METHOD_NOT_ALLOWED => "use POST, or GET and DELETE with a session",
            StatusCode::NOT_ACCEPTABLE => {
                "this is for MCP clients: accept both application/json and text/event-stream"
            }
            StatusCode::PAYLOAD_TOO_LARGE => "the body is too large",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "send one JSON-RPC message as application/json",
            status if status.is_server_error() => "the server failed",
            _ => "the request's headers are not valid for the protocol",
        };
        Self::new(status, words)
    }

    /// Replaces the JSON-RPC message with the answer to an invalid message.
    pub(super) fn with_message(mut self, invalid: &InvalidMessage) -> Self {
        self.message = invalid.answer();
        self
    }

    /// Logs who was refused and why.
    pub(super) fn log(&self, client: SocketAddr) {
        let status = self.status.as_u16();
        tracing::warn!(%client, status, reason = self.reason, "a request was refused");
    }

    pub(super) fn with_retry_after(mut self, wait: Duration) -> Self {
        self.retry_after = Some(wait);
        self
    }

    /// Builds the response.
    pub(super) fn response(&self) -> Response<Body> {
        let body = Bytes::from(self.message.to_string());
        let mut response = Response::new(Full::new(body).boxed());
        *response.status_mut() = self.status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(wait) = self.retry_after {
            headers.insert(RETRY_AFTER, HeaderValue::from(wait.as_secs().max(1)));
        }
        if self.status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("POST, GET, DELETE"));
        }
        if self.status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        response
    }
}
