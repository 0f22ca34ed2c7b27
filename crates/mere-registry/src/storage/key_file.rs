//! Files that hold a private key, and public keys that an operator names.

use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, Read, Write};

use zeroize::Zeroizing;

/// The largest file that can hold a key.
const MAX_KEY_BYTES: u64 = 16 * 1024;

/// The file of a key.
#[derive(Clone, Debug)]
pub struct KeyFile(OsString);

impl From<OsString> for KeyFile {
    fn from(path: OsString) -> Self {
        Self(path)
    }
}

impl KeyFile {
    /// Reads the text of the file; `None` if there is no such file.
    pub(crate) fn read(&self) -> io::Result<Option<Zeroizing<String>>> {
        let file = match fs::File::open(&self.0) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut text = Zeroizing::new(String::new());
        file.take(MAX_KEY_BYTES).read_to_string(&mut text)?;
        Ok(Some(text))
    }

    /// Writes a new file that only its owner can read.
    pub(crate) fn create(&self, text: &str) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&self.0)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    /// Names a file beside this one.
    pub(crate) fn beside(&self, ending: &str) -> OsString {
        let mut path = self.0.clone();
        path.push(ending);
        path
    }

    /// Reads a public key, as in a file that ends in `.pub`.
    pub fn read_public_key(&self) -> io::Result<String> {
        let text = self.read()?.ok_or(io::ErrorKind::NotFound)?;
        Ok(text.to_string())
    }
}
