//! A file as a search reads it: watched for private keys, up to a limit, and until the call is
//! over.

use std::cell::Cell;
use std::io::{self, Read};

use cap_std::fs::File;
use mere_host::read_at;

/// How much of a file is searched.
const MAX_SEARCHED: u64 = 1024 * 1024 * 1024;

/// The text that the first line of every PEM-encoded private key contains.
const KEY_MARK: &[u8] = b"PRIVATE KEY";

/// Says whether the file contains a private key before or on the current line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PrivateKeyContext {
    NoKey,
    KeyBefore,
}

/// A file reader that ends when the call is over, and notices private keys in what it reads.
pub(super) struct KeyWatchingReader<'a> {
    file: &'a File,
    position: u64,
    is_cancelled: &'a dyn Fn() -> bool,
    /// The last bytes of the previous read, because a marker may lie across two reads.
    tail: Vec<u8>,
    key: &'a Cell<PrivateKeyContext>,
}

impl<'a> KeyWatchingReader<'a> {
    pub(super) fn new(
        file: &'a File,
        is_cancelled: &'a dyn Fn() -> bool,
        key: &'a Cell<PrivateKeyContext>,
    ) -> Self {
        Self { file, position: 0, is_cancelled, tail: Vec::new(), key }
    }

    fn look_for_keys(&mut self, bytes: &[u8]) {
        let marked = |bytes: &[u8]| memchr::memmem::find(bytes, KEY_MARK).is_some();
        self.tail.extend_from_slice(&bytes[..bytes.len().min(KEY_MARK.len())]);
        if marked(&self.tail) || marked(bytes) {
            self.key.set(PrivateKeyContext::KeyBefore);
        }
        let kept = bytes.len().saturating_sub(KEY_MARK.len());
        self.tail.clear();
        self.tail.extend_from_slice(&bytes[kept..]);
    }
}

impl Read for KeyWatchingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if (self.is_cancelled)() {
            return Ok(0);
        }
        if self.position >= MAX_SEARCHED {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        // The position of the handle is left alone, because what precedes a line is read again.
        let read = read_at(self.file, buffer, self.position)?;
        self.position += read as u64;
        self.look_for_keys(&buffer[..read]);
        Ok(read)
    }
}
