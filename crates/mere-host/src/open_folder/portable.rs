//! One name at a time, through `cap-std`.

use std::io;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, FileType, OpenOptions};

use super::EntryKind;
use crate::{Identity, Stamp, absent};

/// An open folder.
pub struct OpenFolder(Dir);

impl OpenFolder {
    /// Opens the folder at `path`, names joined by slashes, below `root`; the empty path is `root`
    /// itself.
    pub(crate) fn below(root: &Dir, path: &str) -> io::Result<Self> {
        let mut here = root.try_clone()?;
        for name in path.split('/').filter(|name| !name.is_empty()) {
            here = here.open_dir_nofollow(name)?;
        }
        Ok(Self(here))
    }

    /// The handle, to open what lies below.
    pub(crate) fn into_dir(self) -> Dir {
        self.0
    }

    pub(crate) fn identity(&self) -> io::Result<Identity> {
        Ok(Identity::of(&self.0.dir_metadata()?))
    }

    /// What it looks like now.
    pub(crate) fn stamp(&self) -> io::Result<Stamp> {
        Ok(Stamp::of(&self.0.dir_metadata()?))
    }

    /// What the folder at `path` below `root` looks like; `None` if there is none.
    pub(crate) fn glance(root: &Dir, path: &str) -> io::Result<Option<Stamp>> {
        let metadata = absent(root.symlink_metadata(path))?;
        Ok(metadata.filter(cap_std::fs::Metadata::is_dir).map(|metadata| Stamp::of(&metadata)))
    }

    /// Makes its names durable, where folders can be synced.
    pub(crate) fn sync(&self) -> io::Result<()> {
        if cfg!(windows) { Ok(()) } else { self.0.open(".")?.sync_all() }
    }

    /// Tells every name and what it is, in no order; a name that is not UTF-8 is `None`.
    pub(crate) fn read(
        &self,
        mut each: impl FnMut(Option<&str>, EntryKind) -> io::Result<()>,
    ) -> io::Result<()> {
        for entry in self.0.entries()? {
            let entry = entry?;
            let Some(kind) = absent(entry.file_type())? else { continue };
            each(entry.file_name().to_str(), kind_of(kind))?;
        }
        Ok(())
    }

    /// Which folder a child is; `None` if it is none.
    pub(crate) fn child_identity(&self, name: &str) -> io::Result<Option<Identity>> {
        let metadata = self.0.symlink_metadata(name)?;
        Ok(metadata.is_dir().then(|| Identity::of(&metadata)))
    }

    /// Whether a regular file has this name.
    pub(crate) fn has_file(&self, name: &str) -> io::Result<bool> {
        Ok(self.file_stamp(name)?.is_some())
    }

    /// What a regular file of this folder looks like, without opening it; `None` if the name is
    /// something else, or nothing.
    pub(crate) fn file_stamp(&self, name: &str) -> io::Result<Option<Stamp>> {
        let metadata = absent(self.0.symlink_metadata(name))?;
        Ok(metadata.filter(cap_std::fs::Metadata::is_file).map(|metadata| Stamp::of(&metadata)))
    }

    /// Opens a regular file of this folder; `None` if the name is something else.
    pub(crate) fn file(&self, name: &str) -> io::Result<Option<File>> {
        open_regular(&self.0, name)
    }
}

/// Opens a regular file of a folder, never through a link and never waiting for a pipe; `None` if
/// the name is something else.
pub fn open_regular(folder: &Dir, name: &str) -> io::Result<Option<File>> {
    if !folder.symlink_metadata(name)?.is_file() {
        return Ok(None);
    }
    let mut opening = OpenOptions::new();
    opening.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = folder.open_with(name, &opening)?;
    Ok(file.metadata()?.is_file().then_some(file))
}

/// Swaps two files, in one moment; says no where the system cannot.
pub(crate) fn exchange(_one: (&Dir, &str), _other: (&Dir, &str)) -> io::Result<bool> {
    Ok(false)
}

fn kind_of(kind: FileType) -> EntryKind {
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
