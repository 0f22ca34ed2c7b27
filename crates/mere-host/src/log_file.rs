//! The operator's log file: appended to, for the user alone.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use super::TypedPath;

/// An open log file.
pub struct LogFile(File);

impl LogFile {
    /// Opens the file a person named, and makes it if it is not there.
    pub fn open(typed: &TypedPath) -> io::Result<Self> {
        let path = typed.resolve_from(Path::new(""))?;
        let mut options = std::fs::OpenOptions::new();
        options.create(true).append(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        // A pipe or a device could hold the server up.
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
