//! Ids that connect a reply to the log.
//!
//! The engine creates them; core only carries and prints them.

use std::fmt;

use uuid::Uuid;

/// The id of one call: 32 lower-case hexadecimal digits, as in the W3C trace context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceId(Uuid);

/// The id of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SessionId(Uuid);

impl TraceId {
    /// Returns the trace id of a W3C `traceparent` (`00-<trace id>-<parent id>-<flags>`), or `None`
    /// for anything else.
    pub fn from_traceparent(text: &str) -> Option<Self> {
        let parts = text.split('-').collect::<Vec<_>>();
        let [version, trace, parent, flags] = parts[..] else { return None };
        let is_hex = |part: &str, length: usize| {
            part.len() == length && part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'))
        };
        let well_formed =
            version == "00" && is_hex(trace, 32) && is_hex(parent, 16) && is_hex(flags, 2);
        let id = Uuid::try_parse(trace).ok().filter(|_| well_formed)?;
        (!id.is_nil() && parent != "0000000000000000").then_some(Self(id))
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_traceparent_gives_its_trace_id() {
        let good = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
        let id = TraceId::from_traceparent(good).expect("well formed");
        assert_eq!(id.to_string(), "0af7651916cd43dd8448eb211c80319c");
        for bad in [
            "",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
            "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
            "00-00000000000000000000000000000000-b7ad6b7169203331-01",
            "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
            "00-/home/me/x-b7ad6b7169203331-01",
        ] {
            assert_eq!(TraceId::from_traceparent(bad), None, "{bad}");
        }
    }
}
