//! A path as a person typed it, carried from the command line to the engine unread.

use std::ffi::OsString;
use std::fmt;

/// What a person typed for a path. Opaque: only the engine's host side reads it.
#[derive(Clone)]
pub struct Typed(OsString);

impl Typed {
    pub(super) fn text(&self) -> &OsString {
        &self.0
    }
}

impl From<OsString> for Typed {
    fn from(text: OsString) -> Self {
        Self(text)
    }
}

impl fmt::Debug for Typed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed(…)")
    }
}
