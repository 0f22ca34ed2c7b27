//! The body of a request: limited in size and time, and checked to be one message of the protocol.
//!
//! All bodies together are limited as well, so that many slow clients cannot fill the memory.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::StatusCode;
use http_body_util::BodyExt;
use hyper::body::{Body, Incoming};

use super::refusal::Refusal;
use crate::mcp::message::{self, InvalidMessage, MAX_MESSAGE_BYTES};

/// How long a client may take to send it.
const MAX_TIME: Duration = Duration::from_secs(30);
/// How many bytes of bodies may be held at once. A client that sends nothing holds nothing.
const MAX_TOTAL_BYTES: usize = 64 * 1024 * 1024;

/// The number of bytes in all bodies that are being read.
#[derive(Default)]
pub(super) struct BodyBytes(AtomicUsize);

/// A share of [`BodyBytes`], released when it is dropped.
struct BodyShare<'a> {
    total: &'a BodyBytes,
    bytes: usize,
}

impl BodyShare<'_> {
    fn reserve(&mut self, bytes: usize) -> Result<(), Refusal> {
        let all = self.total.0.fetch_add(bytes, Ordering::Relaxed) + bytes;
        self.bytes += bytes;
        if self.bytes > MAX_MESSAGE_BYTES {
            return Err(too_large());
        }
        if all > MAX_TOTAL_BYTES {
            let words = "too many request bodies at once";
            let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words);
            return Err(refusal.with_retry_after(Duration::from_secs(1)));
        }
        Ok(())
    }
}

fn too_large() -> Refusal {
    let refusal = Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is over 4 MiB");
    refusal.with_message(&InvalidMessage::too_long())
}

impl Drop for BodyShare<'_> {
    fn drop(&mut self) {
        self.total.0.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

/// Reads a body and checks that it is a message.
pub(super) async fn read(body: Incoming, held: &BodyBytes) -> Result<Bytes, Refusal> {
    let late = |_| Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body took too long");
    let bytes = tokio::time::timeout(MAX_TIME, collect(body, held)).await.map_err(late)??;
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

async fn collect(mut body: Incoming, held: &BodyBytes) -> Result<Bytes, Refusal> {
    // A body that says that it is too long is refused before any of it arrives.
    if body.size_hint().lower() > MAX_MESSAGE_BYTES as u64 {
        return Err(too_large());
    }
    let mut share = BodyShare { total: held, bytes: 0 };
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
