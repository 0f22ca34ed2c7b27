//! The body of a request, checked to be one message of the protocol.

use std::time::Duration;

use bytes::Bytes;
use http::StatusCode;
use hyper::body::Incoming;
use mere_http::{BodyLimits, BodyRefusal, Connection, read_body};

use super::refusal::Refusal;
use crate::mcp::message::{self, InvalidMessage, MAX_MESSAGE_BYTES};

/// How large a body may be, and how long a client may take to send it.
const LIMITS: BodyLimits = BodyLimits { bytes: MAX_MESSAGE_BYTES, time: Duration::from_secs(30) };

/// Reads a body and checks that it is a message.
pub(super) async fn read(body: Incoming, connection: &Connection) -> Result<Bytes, Refusal> {
    let bytes = read_body(body, connection, LIMITS).await.map_err(refuse)?;
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

fn refuse(refusal: BodyRefusal) -> Refusal {
    match refusal {
        BodyRefusal::TooLarge => {
            let refusal = Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, "the body is over 4 MiB");
            refusal.with_message(&InvalidMessage::too_long())
        }
        BodyRefusal::TooSlow => Refusal::new(StatusCode::REQUEST_TIMEOUT, "the body took too long"),
        BodyRefusal::Incomplete => Refusal::new(StatusCode::BAD_REQUEST, "the body is incomplete"),
        BodyRefusal::NoRoom => {
            let words = "too many request bodies at once";
            let refusal = Refusal::new(StatusCode::SERVICE_UNAVAILABLE, words);
            refusal.with_retry_after(Duration::from_secs(1))
        }
    }
}
