//! `OpenFolder` on other systems, one name at a time, through `cap-std`.
//!
//! No symbolic link is followed. The `mere_portable` cfg selects this version on Linux too.

use std::io;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, FileType, OpenOptions};

use super::EntryKind;
use crate::{FileStamp, FolderIdentity, none_if_missing};

/// An open folder.
pub struct OpenFolder(Dir);

impl OpenFolder {
    /// Opens the folder at `path`, names joined by slashes, below `root`. The empty path is `root`
    /// itself.
    pub fn open(root: &Dir, path: &str) -> io::Result<Self> {
        let mut here = root.try_clone()?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            here = here.open_dir_nofollow(name)?;
        }
        Ok(Self(here))
    }

    /// Returns the handle, for opening what lies below.
    pub fn into_dir(self) -> Dir {
        self.0
    }

    /// Returns the device and inode of this folder.
    pub fn identity(&self) -> io::Result<FolderIdentity> {
        Ok(FolderIdentity::from_metadata(&self.0.dir_metadata()?))
    }

    /// Returns the folder's current stamp.
    pub fn stamp(&self) -> io::Result<FileStamp> {
        Ok(FileStamp::from_metadata(&self.0.dir_metadata()?))
    }

    /// Returns the stamp of the folder at `path` below `root`, or `None` if there is none.
    pub fn stat(root: &Dir, path: &str) -> io::Result<Option<FileStamp>> {
        let metadata = none_if_missing(root.symlink_metadata(path))?;
        Ok(metadata
            .filter(cap_std::fs::Metadata::is_dir)
            .map(|metadata| FileStamp::from_metadata(&metadata)))
    }

    /// Makes created, renamed and removed names in this folder durable, where folders can be
    /// synced.
    pub fn sync(&self) -> io::Result<()> {
        if cfg!(windows) { Ok(()) } else { self.0.open(".")?.sync_all() }
    }

    /// Calls `each` with every name and its kind, in no order. A name that is not UTF-8 is `None`.
    pub fn for_each_entry(
        &self,
        mut each: impl FnMut(Option<&str>, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        self.for_each_name(|name, kind| each(std::str::from_utf8(name).ok(), kind))
    }

    /// Calls `each` with the bytes of every name and its kind, in no order.
    pub fn for_each_name(
        &self,
        mut each: impl FnMut(&[u8], EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        for entry in self.0.entries()? {
            let entry = entry?;
            let Some(kind) = none_if_missing(entry.file_type())? else { continue };
            each(entry.file_name().as_encoded_bytes(), entry_kind(kind))?;
        }
        Ok(())
    }

    /// Returns the identity of a child folder, or `None` if the child is no folder.
    pub fn child_identity(&self, name: &str) -> io::Result<Option<FolderIdentity>> {
        let metadata = self.0.symlink_metadata(name)?;
        Ok(metadata.is_dir().then(|| FolderIdentity::from_metadata(&metadata)))
    }

    /// Checks whether the name is a regular file.
    pub fn has_file(&self, name: &str) -> io::Result<bool> {
        Ok(self.file_stamp(name)?.is_some())
    }

    /// Returns the stamp of a regular file in this folder without opening it, or `None` if the name
    /// is missing or is something else.
    pub fn file_stamp(&self, name: &str) -> io::Result<Option<FileStamp>> {
        let metadata = none_if_missing(self.0.symlink_metadata(name))?;
        Ok(metadata
            .filter(cap_std::fs::Metadata::is_file)
            .map(|metadata| FileStamp::from_metadata(&metadata)))
    }

    /// Returns the same stamp, and whether the file has other names, which is not known here.
    pub fn file_stamp_and_sharing(&self, name: &str) -> io::Result<Option<(FileStamp, bool)>> {
        Ok(self.file_stamp(name)?.map(|stamp| (stamp, true)))
    }

    /// Opens a regular file of this folder, or returns `None` if the name is something else.
    pub fn open_file(&self, name: &str) -> io::Result<Option<File>> {
        open_regular_file(&self.0, name)
    }
}

/// Opens a regular file of a folder, never through a symbolic link and never blocking on a pipe.
/// Returns `None` if the name is something else.
pub fn open_regular_file(folder: &Dir, name: &str) -> io::Result<Option<File>> {
    if !folder.symlink_metadata(name)?.is_file() {
        return Ok(None);
    }
    let mut opening = OpenOptions::new();
    opening.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &opening)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Always returns `false`: there is no portable way to swap two files atomically.
pub(crate) fn exchange(_one: (&Dir, &str), _other: (&Dir, &str)) -> io::Result<bool> {
    Ok(false)
}

fn entry_kind(kind: FileType) -> EntryKind {
    if kind.is_dir() {
        EntryKind::Folder
    } else if kind.is_file() {
        EntryKind::File
    } else if kind.is_symlink() {
        EntryKind::Link
    } else {
        EntryKind::Special
    }
}
