//! `OpenFolder` on Linux, by direct use of `openat2` and `getdents64`.
//!
//! Where the kernel lacks or forbids `openat2`, the path is opened one name at a time instead. No
//! symbolic link is followed either way.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};

use cap_std::fs::{Dir, File};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, RenameFlags, ResolveFlags, fstat, fstatfs, openat,
    openat2, renameat_with, statat,
};
use rustix::io::Errno;

use super::EntryKind;
use crate::{FileStamp, FolderIdentity};

/// How many bytes of directory entries are read at once.
const BUFFER_BYTES: usize = 16 * 1024;
const READ_FOLDER: OFlags =
    OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::NOFOLLOW).union(OFlags::CLOEXEC);

/// An open folder.
pub struct OpenFolder(OwnedFd);

impl OpenFolder {
    /// Opens the folder at `path`, names joined by slashes, below `root`. The empty path is `root`
    /// itself.
    pub fn open(root: &Dir, path: &str) -> io::Result<Self> {
        let beneath =
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let path = if path.is_empty() { "." } else { path };
        loop {
            match openat2(root, path, READ_FOLDER, Mode::empty(), beneath) {
                Ok(folder) => return Ok(Self(folder)),
                // EAGAIN: a rename elsewhere raced with the lookup, and the kernel wants a retry.
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(Errno::NOSYS | Errno::PERM) => return Self::open_step_by_step(root, path),
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Opens the folder one name at a time, where `openat2` is not available.
    fn open_step_by_step(root: &Dir, path: &str) -> io::Result<Self> {
        let mut here = openat(root, ".", READ_FOLDER, Mode::empty())?;
        for name in path.split('/').filter(|name| *name != ".") {
            here = openat(&here, name, READ_FOLDER, Mode::empty())?;
        }
        Ok(Self(here))
    }

    /// Returns the handle, for opening what lies below.
    pub fn into_dir(self) -> Dir {
        Dir::from_std_file(self.0.into())
    }

    /// Returns the raw file descriptor.
    pub(crate) fn descriptor(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Returns the magic number of the file system that the folder lies on.
    pub(crate) fn file_system_type(&self) -> io::Result<u64> {
        Ok(u64::try_from(fstatfs(&self.0)?.f_type).unwrap_or_default())
    }

    /// Returns the device and inode of this folder.
    pub fn identity(&self) -> io::Result<FolderIdentity> {
        let stat = fstat(&self.0)?;
        Ok(FolderIdentity::new(stat.st_dev, stat.st_ino))
    }

    /// Returns the folder's current stamp.
    pub fn stamp(&self) -> io::Result<FileStamp> {
        Ok(FileStamp::from_stat(&fstat(&self.0)?))
    }

    /// Returns the stamp of the folder at `path` below `root` without opening it, or `None` if
    /// there is none. Links on the way are followed, so the result may only be used to tell whether
    /// a folder is still the same one.
    pub fn stat(root: &Dir, path: &str) -> io::Result<Option<FileStamp>> {
        match statat(root, path, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
                Ok(is_folder.then(|| FileStamp::from_stat(&stat)))
            }
            Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Makes created, renamed and removed names in this folder durable.
    pub(crate) fn sync(&self) -> io::Result<()> {
        Ok(rustix::fs::fsync(&self.0)?)
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
        let mut buffer = [MaybeUninit::uninit(); BUFFER_BYTES];
        let mut entries = RawDir::new(&self.0, &mut buffer);
        while let Some(entry) = entries.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                FileType::Unknown => match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => FileType::from_raw_mode(stat.st_mode),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                },
                known => known,
            };
            each(name.to_bytes(), entry_kind(kind))?;
        }
        Ok(())
    }

    /// Returns the identity of a child folder without opening it, or `None` if the child is no
    /// folder.
    pub fn child_identity(&self, name: &str) -> io::Result<Option<FolderIdentity>> {
        let stat = statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
        let is_folder = FileType::from_raw_mode(stat.st_mode) == FileType::Directory;
        Ok(is_folder.then(|| FolderIdentity::new(stat.st_dev, stat.st_ino)))
    }

    /// Checks whether the name is a regular file.
    pub fn has_file(&self, name: &str) -> io::Result<bool> {
        Ok(self.file_stamp(name)?.is_some())
    }

    /// Returns the stamp of a regular file in this folder without opening it, or `None` if the name
    /// is missing or is something else.
    pub fn file_stamp(&self, name: &str) -> io::Result<Option<FileStamp>> {
        Ok(self.file_stamp_and_sharing(name)?.map(|(stamp, _)| stamp))
    }

    /// Returns the same stamp, and whether the file has other names, here or elsewhere.
    pub fn file_stamp_and_sharing(&self, name: &str) -> io::Result<Option<(FileStamp, bool)>> {
        match statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => {
                let is_file = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
                Ok(is_file.then(|| (FileStamp::from_stat(&stat), stat.st_nlink > 1)))
            }
            Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Opens a regular file of this folder, or returns `None` if the name is something else.
    pub fn open_file(&self, name: &str) -> io::Result<Option<File>> {
        open_regular_file(&self.0, name)
    }
}

/// Opens a regular file of a folder, never through a symbolic link and never blocking on a pipe.
/// Returns `None` if the name is something else.
pub fn open_regular_file(folder: &impl AsFd, name: &str) -> io::Result<Option<File>> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let file = match openat(folder, name, flags, Mode::empty()) {
        Ok(file) => file,
        Err(Errno::LOOP | Errno::NXIO) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let is_file = FileType::from_raw_mode(fstat(&file)?.st_mode) == FileType::RegularFile;
    Ok(is_file.then(|| File::from_std(file.into())))
}

/// Swaps two files atomically. Returns `false` where the file system cannot.
pub(crate) fn exchange(one: (&Dir, &str), other: (&Dir, &str)) -> io::Result<bool> {
    match renameat_with(one.0, one.1, other.0, other.1, RenameFlags::EXCHANGE) {
        Ok(()) => Ok(true),
        Err(Errno::INVAL | Errno::NOSYS | Errno::PERM) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// Renames a file to a name that nothing has. Returns `false` if something has it.
pub(crate) fn rename_no_replace(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<bool> {
    match renameat_with(from.0, from.1, to.0, to.1, RenameFlags::NOREPLACE) {
        Ok(()) => Ok(true),
        Err(Errno::EXIST) => Ok(false),
        // This file system cannot check and rename atomically. The lock still excludes our own
        // processes.
        Err(Errno::INVAL | Errno::NOSYS) => super::check_then_rename(from, to),
        Err(error) => Err(error.into()),
    }
}

fn entry_kind(kind: FileType) -> EntryKind {
    match kind {
        FileType::Directory => EntryKind::Folder,
        FileType::RegularFile => EntryKind::File,
        FileType::Symlink => EntryKind::Link,
        _ => EntryKind::Special,
    }
}
