//! The operator's log file.
//!
//! It is only appended to, and it is created so that only the user can read it.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use crate::TypedPath;

/// An open log file.
pub struct LogFile(File);

impl LogFile {
    /// Opens the file that a person named and creates it if needed.
    pub fn open(typed: &TypedPath) -> io::Result<Self> {
        let path = typed.resolve_from(Path::new(""))?;
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // Opening or writing a pipe or a device could block the server.
        if path.symlink_metadata().is_ok_and(|metadata| !metadata.is_file()) {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
        }
        options.open(path).map(Self)
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
