//! Reads the text that a person supplies: on the command line, in a file, or on standard input.
//!
//! Files and standard input may be as large as the largest memory and must be UTF-8.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use mere_core::item::MAX_ITEM_BYTES;
use mere_engine::TypedPath;

use crate::arguments::{ContentArguments, ContentSource};
use crate::print::terminal;

/// The reasons why no text could be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ContentError {
    #[error(
        "no text was given: pass TEXT, name a file with `--file FILE`, or pipe the text to \
         standard input"
    )]
    Missing,
    #[error("{what} cannot be read: {error}")]
    Unreadable { what: &'static str, error: io::Error },
    #[error("{what} is larger than a memory may be: {MAX_ITEM_BYTES} bytes")]
    TooLarge { what: &'static str },
    #[error("{what} is not UTF-8 text")]
    NotUtf8 { what: &'static str },
}

impl ContentError {
    /// Prints the error and returns the exit code of the process.
    pub(crate) fn report(&self) -> ExitCode {
        let code = match self {
            Self::Missing => terminal::USAGE,
            _ => terminal::INVALID,
        };
        terminal::print_failure(&self.to_string(), code)
    }
}

/// Reads the text that was given, if any. A relative file path is resolved against `directory`.
pub(crate) fn read_optional(
    arguments: &ContentArguments,
    directory: Option<&TypedPath>,
) -> Result<Option<String>, ContentError> {
    match (&arguments.text, &arguments.file) {
        (Some(text), _) => Ok(Some(text.clone())),
        (None, Some(ContentSource::StandardInput)) => read_piped().map(Some),
        (None, Some(ContentSource::File(file))) => {
            let bytes = mere_engine::read_file(file, directory, MAX_ITEM_BYTES as u64);
            decode("the file", bytes).map(Some)
        }
        (None, None) => Ok(None),
    }
}

/// Reads the text where one is required: without an argument it comes from standard input, which
/// must not be empty.
pub(crate) fn read_required(
    arguments: &ContentArguments,
    directory: Option<&TypedPath>,
) -> Result<String, ContentError> {
    if let Some(text) = read_optional(arguments, directory)? {
        return Ok(text);
    }
    if io::stdin().is_terminal() {
        return Err(ContentError::Missing);
    }
    read_piped()
}

/// Reads piped text. Empty input is an error, because the program that should have produced it has
/// failed.
fn read_piped() -> Result<String, ContentError> {
    let text = read_standard_input()?;
    if text.is_empty() { Err(ContentError::Missing) } else { Ok(text) }
}

fn read_standard_input() -> Result<String, ContentError> {
    let most = MAX_ITEM_BYTES as u64;
    let mut bytes = Vec::new();
    let read = io::stdin().lock().take(most + 1).read_to_end(&mut bytes);
    let is_small = bytes.len() as u64 <= most;
    decode("standard input", read.map(|_| is_small.then_some(bytes)))
}

fn decode(what: &'static str, read: io::Result<Option<Vec<u8>>>) -> Result<String, ContentError> {
    let bytes = read.map_err(|error| ContentError::Unreadable { what, error })?;
    let bytes = bytes.ok_or(ContentError::TooLarge { what })?;
    String::from_utf8(bytes).map_err(|_| ContentError::NotUtf8 { what })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_kept_is_told_apart() {
        let check = |read, expected: &str| {
            let error = decode("the file", read).expect_err("no text");
            assert_eq!(error.to_string(), expected);
        };
        check(Ok(None), "the file is larger than a memory may be: 1048576 bytes");
        check(Ok(Some(vec![0xff])), "the file is not UTF-8 text");
        let missing = io::Error::new(io::ErrorKind::NotFound, "gone");
        check(Err(missing), "the file cannot be read: gone");
        assert_eq!(decode("the file", Ok(Some(b"a\n".to_vec()))).expect("text"), "a\n");
    }
}
