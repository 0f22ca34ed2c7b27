//! Files that a person named on the command line, wherever they like: one to write, one to read.

use std::io::{self, Read};

use super::TypedPath;

/// Writes a file that a person named.
pub fn write_file(file: &TypedPath, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(file.resolve_from(&std::env::current_dir()?)?, bytes)
}

/// Reads a file that a person named, from `directory` if they said so; `None` if it has more than
/// `most` bytes. Pipes are files too.
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
