//! A file that a person asked to be written, wherever they like.

use std::io;

use super::Typed;

/// Writes a file that a person named.
pub fn write_file(file: &Typed, bytes: &[u8]) -> io::Result<()> {
    std::fs::write(file.below(&std::env::current_dir()?)?, bytes)
}
