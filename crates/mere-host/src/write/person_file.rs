//! Files that a person named on the command line, anywhere on the machine.
//!
//! They are read and written with the person's own rights; no agent's request gets here.

use std::io::{self, Read};

use crate::TypedPath;

/// Writes a file that a person named.
pub fn write_file(file: &TypedPath, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(file.resolve_from(&std::env::current_dir()?)?, bytes)
}

/// Reads a file that a person named, relative to `directory` if one is given. Returns `None` if it
/// has more than `most` bytes. Pipes can be read too.
pub fn read_file(
    file: &TypedPath,
    directory: Option<&TypedPath>,
    most: u64,
) -> io::Result<Option<Vec<u8>>> {
    let mut folder = std::env::current_dir()?;
    if let Some(directory) = directory {
        folder = directory.resolve_from(&folder)?;
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file.resolve_from(&folder)?)?;
    opened.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
