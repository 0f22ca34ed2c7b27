//! Opaque cursors that say where the next page begins.
//!
//! A cursor carries the call it belongs to, so that one given to another target is refused instead
//! of returning a surprising page. It grants nothing: what it points to is resolved again.

use std::fmt;
use std::str::FromStr;

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;

use crate::address::Address;

/// Separates the parts of a cursor; no segment can contain it.
const SEPARATOR: char = '\0';

/// The position where the next page of a call begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cursor {
    call: String,
    target: String,
    position: String,
}

/// A text that is not a cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a cursor")]
pub struct CursorError;

impl Cursor {
    /// Creates the cursor for the page of `call` on `target` that begins after `position`.
    pub fn new(call: &str, target: &Address, position: &str) -> Self {
        Self { call: call.to_owned(), target: target.to_string(), position: position.to_owned() }
    }

    /// Returns the position if the cursor belongs to this call on this target.
    pub fn position(&self, call: &str, target: &Address) -> Option<&str> {
        let belongs = self.call == call && self.target == target.to_string();
        belongs.then_some(self.position.as_str())
    }
}

impl FromStr for Cursor {
    type Err = CursorError;

    fn from_str(text: &str) -> Result<Self, CursorError> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(text).map_err(|_| CursorError)?;
        let plain = String::from_utf8(bytes).map_err(|_| CursorError)?;
        let mut parts = plain.split(SEPARATOR).map(str::to_owned);
        match (parts.next(), parts.next(), parts.next(), parts.next()) {
            (Some(call), Some(target), Some(position), None) => Ok(Self { call, target, position }),
            _ => Err(CursorError),
        }
    }
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { call, target, position } = self;
        let plain = format!("{call}{SEPARATOR}{target}{SEPARATOR}{position}");
        f.write_str(&BASE64_URL_SAFE_NO_PAD.encode(plain))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cursor_belongs_to_one_call() {
        let target = "ROOT_PROJECT:/a/".parse::<Address>().expect("an address");
        let other = "ROOT_PROJECT:/b/".parse::<Address>().expect("an address");
        let text = Cursor::new("list", &target, "d/x").to_string();
        let cursor = text.parse::<Cursor>().expect("a cursor");
        assert_eq!(cursor.position("list", &target), Some("d/x"));
        assert_eq!(cursor.position("tree", &target), None);
        assert_eq!(cursor.position("list", &other), None);
        for bad in ["", "x", "/etc", "AA", "AAAA"] {
            assert!(bad.parse::<Cursor>().is_err(), "{bad}");
        }
    }
}
