//! Blobs as files that are named by their digests.
//!
//! A blob appears under its name only when all of it is on the disk, and never changes there.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mere_core::digest::Sha256;

use crate::blobs::{ListedBlob, parse_blob_name};
use crate::clock;

/// How long an unfinished file may be there.
const MAX_LEFTOVER_AGE: Duration = Duration::from_hours(24);

/// A folder of blobs.
pub(crate) struct BlobFolder {
    folder: PathBuf,
    /// Makes the names of unfinished files unique in this process.
    next: AtomicU64,
}

impl BlobFolder {
    /// Opens the folder, and creates it if it is missing.
    pub(crate) fn open(path: &str) -> io::Result<Self> {
        let folder = PathBuf::from(path);
        fs::create_dir_all(folder.join("new"))?;
        remove_leftovers(&folder.join("new"));
        Ok(Self { folder, next: AtomicU64::new(0) })
    }

    /// Stores a blob durably. One that is there already stays as it is.
    pub(crate) fn put(&self, digest: &Sha256, bytes: &[u8]) -> io::Result<()> {
        let place = self.place(digest);
        if fs::metadata(&place).is_ok_and(|found| found.len() == bytes.len() as u64) {
            return Ok(());
        }
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let unfinished = self.folder.join("new").join(format!("{}-{number}", std::process::id()));
        let written = write_synced(&unfinished, bytes).and_then(|()| {
            let parent = place.parent().unwrap_or(&self.folder);
            fs::create_dir_all(parent)?;
            fs::rename(&unfinished, &place)?;
            sync_folder(parent)?;
            sync_folder(&self.folder)
        });
        if written.is_err() {
            let _ = fs::remove_file(&unfinished);
        }
        written
    }

    /// Reads a blob, if it is there.
    pub(crate) fn get(&self, digest: &Sha256) -> io::Result<Option<Vec<u8>>> {
        match fs::read(self.place(digest)) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Removes a blob, if it is there.
    pub(crate) fn remove(&self, digest: &Sha256) -> io::Result<()> {
        let place = self.place(digest);
        match fs::remove_file(&place) {
            Ok(()) => sync_folder(place.parent().unwrap_or(&self.folder)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns the names of the folders in which blobs are.
    pub(crate) fn list_parts(&self) -> io::Result<Vec<String>> {
        let mut parts = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name().into_string().unwrap_or_default();
            if name.len() == 2 {
                parts.push(name);
            }
        }
        Ok(parts)
    }

    /// Returns the blobs in one of these folders. Another server may remove some meanwhile.
    pub(crate) fn list(&self, part: &str) -> io::Result<Vec<ListedBlob>> {
        let mut blobs = Vec::new();
        for entry in fs::read_dir(self.folder.join(part))? {
            let entry = entry?;
            let name = entry.file_name().into_string().unwrap_or_default();
            let is_here = |_: &Sha256| name.starts_with(part);
            let Some(digest) = parse_blob_name(&name).filter(is_here) else { continue };
            let found = match entry.metadata() {
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                found => found?,
            };
            let stored = clock::from_system(found.modified()?);
            blobs.push(ListedBlob { digest, size: found.len(), stored });
        }
        Ok(blobs)
    }

    fn place(&self, digest: &Sha256) -> PathBuf {
        let name = digest.to_string();
        self.folder.join(&name[..2]).join(name)
    }
}

/// Removes files that were never finished. Another server may be writing those of today.
fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let modified = entry.metadata().and_then(|found| found.modified()).ok();
        let age = modified.and_then(|modified| modified.elapsed().ok());
        if age.is_some_and(|age| age > MAX_LEFTOVER_AGE) {
            let _ = fs::remove_file(entry.path());
        }
    }
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create(true).truncate(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

fn sync_folder(path: &Path) -> io::Result<()> {
    File::open(path)?.sync_all()
}
