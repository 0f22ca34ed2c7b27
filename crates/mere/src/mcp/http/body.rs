//! The body of a request: limited in size and time, and checked to be one message of the protocol.
//!
//! All bodies together are limited as well, so that many slow clients cannot fill the memory: the
//! slowest make room for the others.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use super::connections::{Connection, NoBodyRoom};
use super::refusal::Refusal;
use crate::mcp::message::{self, InvalidMessage, MAX_MESSAGE_BYTES};

/// How long a client may take to send it.
const MAX_TIME: Duration = Duration::from_secs(30);

/// The bytes of one body that is being read, given back when it is dropped.
struct BodyShare<'a> {
    connection: &'a Connection,
    bytes: usize,
}

impl BodyShare<'_> {
    fn reserve(&mut self, bytes: usize) -> Result<(), Refusal> {
        self.bytes += bytes;
        if self.bytes > MAX_MESSAGE_BYTES {
            return Err(too_large());
        }
        self.connection.hold_bytes(bytes).map_err(|NoBodyRoom| {
            let words = "too many request bodies at once";
            let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words);
            refusal.with_retry_after(Duration::from_secs(1))
        })
    }
}

fn too_large() -> Refusal {
    let refusal = Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is over 4 MiB");
    refusal.with_message(&InvalidMessage::too_long())
}

impl Drop for BodyShare<'_> {
    fn drop(&mut self) {
        self.connection.release_bytes();
    }
}

/// Reads a body and checks that it is a message.
pub(super) async fn read(body: Incoming, connection: &Connection) -> Result<Bytes, Refusal> {
    let late = |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body took too long");
    let bytes = tokio::time::timeout(MAX_TIME, collect(body, connection)).await.map_err(late)??;
    match message::parse_message(&bytes) {
        Ok(Some(_)) => Ok(bytes),
        // An unknown notification is accepted and has no effect.
        Ok(None) if !bytes.trim_ascii().is_empty() => Ok(bytes),
        Ok(None) => Err(Refusal::new(StatusCode::BAD_REQUEST, "the body is empty")),
        Err(misfit) => {
            Err(Refusal::new(StatusCode::BAD_REQUEST, "not a message").with_message(&misfit))
        }
    }
}

async fn collect(mut body: Incoming, connection: &Connection) -> Result<Bytes, Refusal> {
    // A body that says that it is too long is refused before any of it arrives.
    if body.size_hint().lower() > MAX_MESSAGE_BYTES as u64 {
        return Err(too_large());
    }
    let mut share = BodyShare { connection, bytes: 0 };
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let broken = |_| Refusal::new(StatusCode::BAD_REQUEST, "the body is incomplete");
        if let Ok(data) = frame.map_err(broken)?.into_data() {
            share.reserve(data.len())?;
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes.freeze())
}
