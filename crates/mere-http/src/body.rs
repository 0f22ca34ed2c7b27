//! The body of a request, limited in size and time.
//!
//! All bodies together are limited as well, so that many slow clients cannot fill the memory: the
//! slowest make room for the others.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};

use crate::connections::{Connection, NoBodyRoom};

/// The limits of one body.
#[derive(Clone, Copy, Debug)]
pub struct BodyLimits {
    /// The largest size in bytes.
    pub bytes: usize,
    /// How long a client may take to send it.
    pub time: Duration,
}

/// The reasons why a body is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BodyRefusal {
    /// It is over the limit.
    #[error("the body is too large")]
    TooLarge,
    /// It did not arrive in time.
    #[error("the body took too long")]
    TooSlow,
    /// It ended early.
    #[error("the body is incomplete")]
    Incomplete,
    /// There is no memory for it at the moment.
    #[error("too many request bodies at once")]
    NoRoom,
}

/// The bytes of one body that is being read, given back when it is dropped.
struct BodyShare<'a> {
    connection: &'a Connection,
    bytes: usize,
    limit: usize,
}

impl BodyShare<'_> {
    fn reserve(&mut self, bytes: usize) -> Result<(), BodyRefusal> {
        self.bytes += bytes;
        if self.bytes > self.limit {
            return Err(BodyRefusal::TooLarge);
        }
        self.connection.hold_bytes(bytes).map_err(|NoBodyRoom| BodyRefusal::NoRoom)
    }
}

impl Drop for BodyShare<'_> {
    fn drop(&mut self) {
        self.connection.release_bytes();
    }
}

/// Reads a whole body.
pub async fn read_body(
    body: Incoming,
    connection: &Connection,
    limits: BodyLimits,
) -> Result<Bytes, BodyRefusal> {
    let collected = tokio::time::timeout(limits.time, collect(body, connection, limits.bytes));
    collected.await.map_err(|_| BodyRefusal::TooSlow)?
}

async fn collect(
    mut body: Incoming,
    connection: &Connection,
    limit: usize,
) -> Result<Bytes, BodyRefusal> {
    // A body that says that it is too long is refused before any of it arrives.
    if body.size_hint().lower() > limit as u64 {
        return Err(BodyRefusal::TooLarge);
    }
    let mut share = BodyShare { connection, bytes: 0, limit };
    let mut bytes = BytesMut::new();
    while let Some(frame) = body.frame().await {
        if let Ok(data) = frame.map_err(|_| BodyRefusal::Incomplete)?.into_data() {
            share.reserve(data.len())?;
            bytes.extend_from_slice(&data);
        }
    }
    Ok(bytes.freeze())
}
