//! One file of a project: what it is now, and a new one beside it.
//!
//! No symbolic link is followed, in its place or on the way to it.

use std::io::{self, Write};

use cap_std::fs::{Dir, File, OpenOptions};

use crate::{
    FileState, NewContent, OpenFolder, digest_file, is_symlink_error, none_if_missing,
    open_regular_file,
};

/// What lies at a path of a project.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoundFile {
    Absent,
    File(FileState),
    /// A folder, a link, or something behind one.
    Other,
}

impl FoundFile {
    pub(super) fn at(project: &Dir, path: &str) -> io::Result<Self> {
        let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
        match OpenFolder::open(project, folder) {
            Ok(folder) => Self::in_folder(&folder.into_dir(), name),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::Absent),
            Err(error)
                if error.kind() == io::ErrorKind::NotADirectory || is_symlink_error(&error) =>
            {
                Ok(Self::Other)
            }
            Err(error) => Err(error),
        }
    }

    pub(super) fn in_folder(folder: &Dir, name: &str) -> io::Result<Self> {
        let Some(metadata) = none_if_missing(folder.symlink_metadata(name))? else {
            return Ok(Self::Absent);
        };
        if !metadata.is_file() {
            return Ok(Self::Other);
        }
        let Some(file) = none_if_missing(open_regular_file(folder, name))?.flatten() else {
            return Ok(Self::Other);
        };
        let is_executable = is_executable(&file)?;
        Ok(Self::File(FileState { sha256: digest_file(file)?, is_executable }))
    }
}

/// Writes a new file beside its target, with the owner and the permissions of the old one.
pub(super) fn stage_file(
    folder: &Dir,
    (staged, name): (&str, &str),
    after: &NewContent,
) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = folder.open_with(staged, options.write(true).create_new(true))?;
    file.write_all(&after.bytes)?;
    let old = none_if_missing(folder.symlink_metadata(name))?;
    set_attributes(&file, (folder, old), after)?;
    file.sync_all()
}

#[cfg(unix)]
fn set_attributes(
    file: &File,
    (folder, old): (&Dir, Option<cap_std::fs::Metadata>),
    after: &NewContent,
) -> io::Result<()> {
    use cap_std::fs::{MetadataExt, Permissions, PermissionsExt};
    if rustix::process::geteuid().is_root() {
        // What root writes for somebody else still belongs to them.
        let like = match &old {
            Some(old) => (old.uid(), old.gid()),
            None => folder.dir_metadata().map(|above| (above.uid(), above.gid()))?,
        };
        let owner = (rustix::fs::Uid::from_raw(like.0), rustix::fs::Gid::from_raw(like.1));
        rustix::fs::fchown(file, Some(owner.0), Some(owner.1))?;
    }
    let mode = match old {
        Some(old) => old.mode() & 0o777,
        None => file.metadata()?.mode() & 0o777,
    };
    // Whoever may read a program may execute it.
    let mode = match after.is_executable {
        true if mode & 0o100 != 0 => mode,
        true => mode | ((mode & 0o444) >> 2),
        false => mode & !0o111,
    };
    file.set_permissions(Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn set_attributes(
    _: &File,
    _: (&Dir, Option<cap_std::fs::Metadata>),
    _: &NewContent,
) -> io::Result<()> {
    Ok(())
}

#[cfg(unix)]
fn is_executable(file: &File) -> io::Result<bool> {
    Ok(cap_std::fs::MetadataExt::mode(&file.metadata()?) & 0o100 != 0)
}

#[cfg(not(unix))]
fn is_executable(_: &File) -> io::Result<bool> {
    Ok(false)
}
