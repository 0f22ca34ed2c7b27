//! The files of an item besides its main file.
//!
//! These are all files in the folder of a folder item, or the siblings `{id}.…` of a flat tool. The
//! item's own sidecar is excluded, since a signature is not part of what it signs. A link or a
//! special file among them makes the item invalid, because its content could not be determined.

use std::io::Read as _;

use cap_std::fs::{Dir, File};
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::item::integrity::FileDigest;
use mere_core::item::{ItemFault, ItemForm, ItemType, ScopedPath};

use crate::world::join_path;
use mere_host::{EntryKind, OpenFolder, none_if_missing, open_regular_file};

/// The largest number of files an item may have.
const MAX_FILES: usize = 1_000;
/// The largest total size of those files, in bytes.
const MAX_BYTES: u64 = 64 * 1024 * 1024;
/// The deepest level of nested folders.
const MAX_DEPTH: usize = 16;

/// The reason why an item's files could not be hashed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ItemFilesError {
    /// A file that is not allowed, with its path if it can be named.
    #[error("a file is not allowed")]
    Fault(ItemFault, Option<String>),
    #[error("a file cannot be read")]
    Io(#[from] std::io::Error),
}

/// Hashes every file except the main one, which lies in `folder`. The result is sorted by path.
pub(crate) fn hash_other_files(
    folder: &Dir,
    place: &ScopedPath,
) -> Result<Vec<FileDigest>, ItemFilesError> {
    let sidecar = place.sidecar_name().unwrap_or_default();
    let mut collector = FileCollector { folder, sidecar, found: Vec::new(), bytes: 0 };
    match (place.kind, place.form) {
        (ItemType::Tool, ItemForm::Flat) => collector.collect_siblings(place)?,
        (ItemType::Directive | ItemType::Tool, ItemForm::Folder) => {
            let main = place.kind.folder_main_file().unwrap_or_default();
            collector.collect_below("", main, 0)?;
        }
        _ => {}
    }
    let mut files = collector.hash_all()?;
    files.sort_by(|left, right| left.path.cmp(&right.path));
    Ok(files)
}

/// Reads an item's other files and returns one digest of the whole item, including its main file. A
/// change to an item is bound to exactly this digest. If the files are not allowed, the digest
/// covers only the main file.
pub(crate) fn read_item_digest(
    main: Sha256,
    folder: &Dir,
    place: &ScopedPath,
) -> std::io::Result<Sha256> {
    match hash_other_files(folder, place) {
        Ok(files) => Ok(item_digest(main, &files)),
        // An item with such files can still be removed.
        Err(ItemFilesError::Fault(..)) => Ok(Sha256::digest(format!("{main} and more").as_bytes())),
        Err(ItemFilesError::Io(error)) => Err(error),
    }
}

/// Combines the digests of all files of an item into one.
pub(crate) fn item_digest(main: Sha256, files: &[FileDigest]) -> Sha256 {
    let mut hasher = Sha256Hasher::default();
    hasher.update(main.to_string().as_bytes());
    for file in files {
        // No path contains a NUL, so two different items never hash the same text.
        hasher.update(format!("\0{}\0{}", file.sha256, file.path).as_bytes());
    }
    hasher.digest()
}

/// Collects the paths of an item's files before any of them is read, so that an item that is too
/// large is refused early.
struct FileCollector<'a> {
    folder: &'a Dir,
    /// The file name of the item's own sidecar.
    sidecar: String,
    /// The folder and name of each file.
    found: Vec<(String, String)>,
    bytes: u64,
}

impl FileCollector<'_> {
    fn collect_siblings(&mut self, place: &ScopedPath) -> Result<(), ItemFilesError> {
        let (stem, main) = (format!("{}.", place.id), format!("{}.yaml", place.id));
        let mut names = Vec::new();
        let mut has_invalid_name = false;
        OpenFolder::open(self.folder, "")?.for_each_entry(|name, kind| {
            // A file whose name is not UTF-8 could belong to the tool.
            has_invalid_name |= name.is_none();
            let name = name.filter(|name| name.starts_with(&stem) && *name != main);
            names.extend(name.map(|name| (name.to_owned(), kind)));
            Ok(())
        })?;
        if has_invalid_name {
            return Err(unplaced_fault(
                "a file beside it has a name that is not UTF-8",
                "Rename it.",
            ));
        }
        for (name, kind) in names {
            match kind {
                EntryKind::Folder => {}
                _ => self.add_file("", &name, kind)?,
            }
        }
        Ok(())
    }

    fn collect_below(
        &mut self,
        path: &str,
        main: &str,
        depth: usize,
    ) -> Result<(), ItemFilesError> {
        if depth > MAX_DEPTH {
            return Err(unplaced_fault(
                "its folders are nested more than 16 levels deep",
                "Flatten them.",
            ));
        }
        let mut entries = Vec::new();
        OpenFolder::open(self.folder, path)?.for_each_entry(|name, kind| {
            entries.push((name.map(str::to_owned), kind));
            Ok(())
        })?;
        for (name, kind) in entries {
            let Some(name) = name else {
                return Err(unplaced_fault("a file name is not UTF-8", "Rename it."));
            };
            let is_main = path.is_empty() && name == main;
            match kind {
                EntryKind::Folder => {
                    self.collect_below(&join_path(path, &name), main, depth + 1)?;
                }
                _ if is_main => {}
                _ => self.add_file(path, &name, kind)?,
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &str, name: &str, kind: EntryKind) -> Result<(), ItemFilesError> {
        if path.is_empty() && name == self.sidecar {
            return Ok(());
        }
        if name.chars().any(char::is_control) {
            return Err(unplaced_fault("a file name contains a control character", "Rename it."));
        }
        if kind != EntryKind::File {
            let what = "one of its files is a link or a special file";
            let fault = fault_at_start(what, "Replace it with a regular file.");
            return Err(ItemFilesError::Fault(fault, Some(join_path(path, name))));
        }
        if self.found.len() == MAX_FILES {
            return Err(unplaced_fault(
                "it has more than 1,000 files",
                "Remove the files that it does not need.",
            ));
        }
        self.bytes += self.open(path, name)?.metadata()?.len();
        self.check_size()?;
        self.found.push((path.to_owned(), name.to_owned()));
        Ok(())
    }

    fn open(&self, path: &str, name: &str) -> Result<File, ItemFilesError> {
        let parent = OpenFolder::open(self.folder, path)?.into_dir();
        open_regular_file(&parent, name)?
            .ok_or_else(|| unplaced_fault("a file changed while it was read", "Try again."))
    }

    fn check_size(&self) -> Result<(), ItemFilesError> {
        if self.bytes <= MAX_BYTES {
            return Ok(());
        }
        Err(unplaced_fault("its files are larger than 64 MiB", "Keep large data elsewhere."))
    }

    /// Hashes every file that was collected.
    fn hash_all(mut self) -> Result<Vec<FileDigest>, ItemFilesError> {
        self.bytes = 0;
        let mut files = Vec::new();
        for (path, name) in std::mem::take(&mut self.found) {
            let mut file = self.open(&path, &name)?.take(MAX_BYTES - self.bytes + 1);
            let (mut hasher, mut buffer, mut size) = (Sha256Hasher::default(), [0; 16 * 1024], 0);
            loop {
                match file.read(&mut buffer)? {
                    0 => break,
                    read => {
                        hasher.update(&buffer[..read]);
                        size += read as u64;
                    }
                }
            }
            self.bytes += size;
            self.check_size()?;
            files.push(FileDigest { path: join_path(&path, &name), sha256: hasher.digest(), size });
        }
        Ok(files)
    }
}

fn unplaced_fault(what: &'static str, fix: &'static str) -> ItemFilesError {
    ItemFilesError::Fault(fault_at_start(what, fix), None)
}

fn fault_at_start(what: &'static str, fix: &'static str) -> ItemFault {
    ItemFault { line: 1, column: 1, what: what.into(), fix: fix.into() }
}

/// Returns whether anything lies where the sidecar of an item would. A place that has no name for
/// one is an error, because nothing can be said about it.
pub(crate) fn has_sidecar(folder: &Dir, place: &ScopedPath) -> std::io::Result<bool> {
    let name = place.sidecar_name().ok_or(std::io::ErrorKind::InvalidInput)?;
    Ok(none_if_missing(folder.symlink_metadata(name))?.is_some())
}
