//! Files that exist for the length of one command, in a folder of their own.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write as _};
use std::path::PathBuf;
use std::sync::Arc;

use mere_core::address::RelPath;

use crate::Folder;

/// A folder among the temporary files of this machine, which only its owner may look into. It is
/// removed when it is dropped.
pub struct UnpackedFolder(PathBuf);

impl UnpackedFolder {
    /// Writes files into a new folder. Nothing that exists is written to.
    pub fn create<'a>(files: impl Iterator<Item = (&'a RelPath, &'a [u8])>) -> io::Result<Self> {
        let name = format!("mere-unpacked-{}", uuid::Uuid::new_v4().simple());
        let folder = Self(std::env::temp_dir().join(name));
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&folder.0)?;
        for (path, bytes) in files {
            let target = folder.0.join(path.as_str());
            if let Some(parent) = target.parent() {
                fs::create_dir_all(parent)?;
            }
            OpenOptions::new().write(true).create_new(true).open(target)?.write_all(bytes)?;
        }
        Ok(folder)
    }

    /// Opens the folder, or one in it.
    pub fn open(&self, below: &str) -> io::Result<Arc<Folder>> {
        Folder::open(&self.0.join(below)).map(Arc::new)
    }
}

impl Drop for UnpackedFolder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            tracing::warn!(%error, "an unpacked folder could not be removed");
        }
    }
}
