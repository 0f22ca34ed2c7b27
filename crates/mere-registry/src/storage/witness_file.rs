//! What a witness remembers: one file that is replaced as a whole.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The file.
pub(crate) struct WitnessFile(PathBuf);

impl WitnessFile {
    /// Names the file, which need not be there.
    pub(crate) fn new(path: OsString) -> Self {
        Self(path.into())
    }

    /// Reads the file; `None` if there is none.
    pub(crate) fn read(&self) -> io::Result<Option<String>> {
        match fs::read_to_string(&self.0) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Replaces the file durably.
    pub(crate) fn replace(&self, text: &str) -> io::Result<()> {
        let mut unfinished = self.0.clone().into_os_string();
        unfinished.push(".new");
        let unfinished = PathBuf::from(unfinished);
        let mut file = File::create(&unfinished)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&unfinished, &self.0)?;
        let folder = self.0.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
    }
}
