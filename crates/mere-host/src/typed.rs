//! A path as a person typed it, carried from the command line to the engine unread.

use std::ffi::OsString;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use mere_core::address::Address;

/// What a person typed for a path. Opaque: only the engine's host side reads it.
#[derive(Clone)]
pub struct TypedPath(OsString);

impl TypedPath {
    /// The path this means for someone who stands in `folder`. Nothing typed is nowhere.
    pub(super) fn resolve_from(&self, folder: &Path) -> io::Result<PathBuf> {
        if self.0.is_empty() {
            Err(io::ErrorKind::NotFound.into())
        } else {
            Ok(folder.join(&self.0))
        }
    }
}

impl TypedPath {
    /// The address that was typed, if it is one.
    pub(crate) fn parse_address(&self) -> Option<Address> {
        self.0.to_str()?.parse().ok()
    }

    /// What was typed, for the person who typed it.
    pub fn display_text(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

impl From<OsString> for TypedPath {
    fn from(text: OsString) -> Self {
        Self(text)
    }
}

impl fmt::Debug for TypedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Typed(…)")
    }
}
