//! Files that a person named on the command line, wherever they like: one to write, one to read.

use std::io::{self, Read};

use super::Typed;

/// Writes a file that a person named.
pub fn write_file(file: &Typed, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(file.below(&std::env::current_dir()?)?, bytes)
}

/// Reads a file that a person named, from `directory` if they said so; `None` if it has more than
/// `most` bytes. Pipes are files too.
pub fn read_file(
    file: &Typed,
    directory: Option<&Typed>,
    most: u64,
) -> io::Result<Option<Vec<u8>>> {
    let mut folder = std::env::current_dir()?;
    if let Some(directory) = directory {
        folder = directory.below(&folder)?;
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(file.below(&folder)?)?;
    opened.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
