//! The handle of a run of a directive, by which a call says that it belongs to the run.

use std::fmt;

/// The handle of a run, as a reply gave it or as a caller passes it. Any text is one; whether there
/// is such a run is for the engine to say.
#[derive(Clone, PartialEq, Eq)]
pub struct RunHandle(String);

impl RunHandle {
    /// Makes a handle of a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// Returns its text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for RunHandle {
    /// Whoever knows a handle can use it, so it is not printed.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RunHandle")
    }
}
