//! Files that only their owner may read.

use std::fs::OpenOptions;
use std::io;

/// Creates an empty file that only its owner can read. One that is there stays as it is.
pub(crate) fn create_private_file(path: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}

/// Tells whether there is a file or anything else at a path.
pub(crate) fn is_there(path: &str) -> bool {
    std::fs::symlink_metadata(path).is_ok()
}
