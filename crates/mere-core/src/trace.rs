//! Ids that tie a reply to the log. Made by the engine; core only carries and prints them.

use std::fmt;

use uuid::Uuid;

/// The id of one call: 32 lower-case hex digits, as W3C trace context writes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceId(Uuid);

/// The id of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionId(Uuid);

impl From<Uuid> for TraceId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl From<Uuid> for SessionId {
    fn from(id: Uuid) -> Self {
        Self(id)
    }
}

impl fmt::Display for TraceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0.simple())
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
