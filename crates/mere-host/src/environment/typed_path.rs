//! A path as a person typed it.
//!
//! It is carried from the command line to the host side unread, so no other code can turn it into a
//! host path.

use std::ffi::OsString;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::{fmt, io};

use mere_core::address::Address;

use crate::Folder;

/// A path that a person typed. It is opaque: only the host side reads it.
#[derive(Clone)]
pub struct TypedPath(OsString);

impl TypedPath {
    /// Checks whether the path means the same from everywhere.
    pub fn is_absolute(&self) -> bool {
        Path::new(&self.0).is_absolute()
    }

    /// Resolves the path relative to `folder`. An empty path is an error.
    pub(crate) fn resolve_from(&self, folder: &Path) -> io::Result<PathBuf> {
        if self.0.is_empty() {
            Err(io::ErrorKind::NotFound.into())
        } else {
            Ok(folder.join(&self.0))
        }
    }
}

impl TypedPath {
    /// Parses what was typed as an address; `None` if it is not one.
    pub(crate) fn parse_address(&self) -> Option<Address> {
        self.0.to_str()?.parse().ok()
    }

    /// Returns what was typed, for the person who typed it.
    pub fn display_text(&self) -> String {
        self.0.to_string_lossy().into_owned()
    }
}

/// Opens a folder that a person typed, relative to `directory` if one is given.
pub fn open_typed_folder(folder: &TypedPath, directory: Option<&TypedPath>) -> io::Result<Folder> {
    Folder::open(&resolve_typed(folder, directory)?)
}

/// Reads a regular file that a person typed, relative to `directory` if one is given. Returns `None`
/// for anything else, and fails if it has more than `most` bytes.
pub fn read_typed_file(
    file: &TypedPath,
    directory: Option<&TypedPath>,
    most: u64,
) -> io::Result<Option<Vec<u8>>> {
    let path = resolve_typed(file, directory)?;
    // A pipe would wait for somebody to write, so that it is looked at first.
    if !std::fs::metadata(&path)?.is_file() {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    std::fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::ErrorKind::FileTooLarge.into());
    }
    Ok(Some(bytes))
}

fn resolve_typed(typed: &TypedPath, directory: Option<&TypedPath>) -> io::Result<PathBuf> {
    let mut base = std::env::current_dir()?;
    if let Some(directory) = directory {
        base = directory.resolve_from(&base)?;
    }
    typed.resolve_from(&base)
}

impl From<OsString> for TypedPath {
    fn from(text: OsString) -> Self {
        Self(text)
    }
}

impl fmt::Debug for TypedPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TypedPath(…)")
    }
}
