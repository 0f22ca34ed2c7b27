//! A folder of items that only this process changes.
//!
//! The lock is on the folder's own handle, so there is no lock file. A file is put in place whole
//! and durably; until then the old one stays. No symbolic link on the way is followed. Temporary
//! files are written at the top of the folder, under names that no item can have. Those of a store,
//! whose top may hold many files, go into a separate staging folder.

use std::cell::OnceCell;
use std::io::{self, Write};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, OpenOptions};
use mere_core::address::RelPath;
use mere_core::digest::Sha256;

use super::derived_files::{remove_abandoned_files, temporary_name};
use super::folder_lock::lock_folder;
use super::workspace::open_or_create_folder;
use crate::{
    Folder, OpenFolder, SPACE_FOLDER, SPACE_INDEX, digest_file, exchange, none_if_missing,
    open_regular_file, rename_no_replace,
};

/// How often a file is exchanged back while someone else keeps saving it.
const MAX_EXCHANGES: usize = 100;

/// The folder for the temporary files of a store.
pub(super) const STAGING_FOLDER: &str = ".new-files";

/// What git ignores in a space.
pub const GITIGNORE_PATTERNS: [&str; 3] = ["workspaces/", SPACE_INDEX, ".new-*"];

/// A folder that only this process changes while it holds this value.
pub struct FolderWriter {
    dir: Dir,
    staging: Staging,
    _lock: std::fs::File,
}

/// Where temporary files are written.
enum Staging {
    /// At the top of the folder itself.
    TopFolder(Dir),
    /// In a staging folder that exists only while it is needed.
    SeparateFolder(OnceCell<Dir>),
}

/// What must be at a path before a file is put there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePrecondition {
    /// Nothing exists there.
    Absent,
    /// Anything may be there, or nothing.
    Any,
    /// A file with this digest is there.
    Digest(Sha256),
}

impl FolderWriter {
    /// Locks a folder, waiting while another process holds the lock. Returns `None` once `over`
    /// returns true.
    pub fn open(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let Some(lock) = lock_folder(folder, over)? else { return Ok(None) };
        remove_abandoned_files(folder);
        let staging = Staging::TopFolder(folder.try_clone()?);
        Ok(Some(Self { dir: folder.try_clone()?, staging, _lock: lock }))
    }

    /// Locks the folder of a store in the same way.
    pub fn open_store(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let Some(lock) = lock_folder(folder, over)? else { return Ok(None) };
        let staging = Staging::SeparateFolder(OnceCell::new());
        Ok(Some(Self { dir: folder.try_clone()?, staging, _lock: lock }))
    }

    /// Returns the handle of the folder.
    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns the folder for temporary files, creating it if needed. A separate staging folder
    /// need not survive a power cut.
    pub(super) fn staging(&self) -> io::Result<&Dir> {
        let apart = match &self.staging {
            Staging::TopFolder(top) => return Ok(top),
            Staging::SeparateFolder(apart) => apart,
        };
        if let Some(staging) = apart.get() {
            return Ok(staging);
        }
        match self.dir.create_dir(STAGING_FOLDER) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let staging = self.dir.open_dir_nofollow(STAGING_FOLDER)?;
        remove_abandoned_files(&staging);
        Ok(apart.get_or_init(|| staging))
    }

    /// Opens the folder of a project's space and creates it if needed, with a `.gitignore` for the
    /// files that do not belong in git.
    pub fn make_space(project: &Folder) -> io::Result<Dir> {
        let is_new = none_if_missing(project.dir().symlink_metadata(SPACE_FOLDER))?.is_none();
        let space = open_or_create_folder(project.dir(), SPACE_FOLDER)?;
        if is_new {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let lines = GITIGNORE_PATTERNS.join("\n") + "\n";
            match space.open_with(".gitignore", &options) {
                Ok(mut file) => file.write_all(lines.as_bytes())?,
                // Another process is creating the same space.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(space)
    }

    /// Opens the folder at a path below another and creates every missing level.
    pub fn make_folders_below(top: &Dir, path: &RelPath) -> io::Result<Dir> {
        path.names().try_fold(top.try_clone()?, |folder, name| open_or_create_folder(&folder, name))
    }

    /// Opens the regular file at a path, or returns `None` if there is none.
    pub fn open_file(&self, path: &RelPath) -> io::Result<Option<File>> {
        let Some((parents, name)) = path.split_last() else { return Ok(None) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(None) };
        Ok(none_if_missing(open_regular_file(&folder, name.as_str()))?.flatten())
    }

    /// Checks whether the path is a file with this digest.
    pub fn has_digest(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let file = self.open_file(path)?;
        file.map_or(Ok(false), |file| Ok(digest_file(file)? == digest))
    }

    /// Checks whether anything at all exists at the path.
    pub fn has_path(&self, path: &RelPath) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(true) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(false) };
        Ok(none_if_missing(folder.symlink_metadata(name.as_str()))?.is_some())
    }

    /// Puts a file at a path. Returns `false` and changes nothing if `before` does not hold.
    pub fn put(&self, path: &RelPath, bytes: &[u8], before: WritePrecondition) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        self.put_in(&self.make_folder(&parents)?, name.as_str(), bytes, before)
    }

    /// Puts a file into a folder that exists already. If the folder is removed meanwhile, nothing
    /// is written.
    pub fn put_in(
        &self,
        folder: &Dir,
        name: &str,
        bytes: &[u8],
        before: WritePrecondition,
    ) -> io::Result<bool> {
        let unfinished = temporary_name();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let staging = self.staging()?;
        let mut file = staging.open_with(&unfinished, &options)?;
        let written = (|| {
            file.write_all(bytes)?;
            if let Some(old) = none_if_missing(folder.symlink_metadata(name))?
                && old.is_file()
            {
                file.set_permissions(old.permissions())?;
            }
            file.sync_all()?;
            match before {
                WritePrecondition::Digest(digest) => {
                    self.replace_if_digest(&unfinished, folder, name, digest)
                }
                WritePrecondition::Any => staging.rename(&unfinished, folder, name).map(|()| true),
                WritePrecondition::Absent => self.link_new(&unfinished, folder, name),
            }
        })();
        if !matches!(written, Ok(true)) || before != WritePrecondition::Any {
            let _ = staging.remove_file(&unfinished);
        }
        if matches!(written, Ok(true)) {
            OpenFolder::open(folder, "")?.sync()?;
        }
        written
    }

    /// Puts a whole folder at a path. Returns `false` if something is there.
    pub fn put_folder(&self, path: &RelPath, files: &[(RelPath, Vec<u8>)]) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        if self.has_path(path)? {
            return Ok(false);
        }
        self.put_folder_in(&self.make_folder(&parents)?, name.as_str(), files)
    }

    /// Puts a whole folder into a parent that exists already.
    pub fn put_folder_in(
        &self,
        parent: &Dir,
        name: &str,
        files: &[(RelPath, Vec<u8>)],
    ) -> io::Result<bool> {
        if none_if_missing(parent.symlink_metadata(name))?.is_some() {
            return Ok(false);
        }
        let unfinished = temporary_name();
        let staging = self.staging()?;
        let put = (|| {
            let folder = open_or_create_folder(staging, &unfinished)?;
            for (file, bytes) in files {
                write_new_file(&folder, file, bytes)?;
            }
            staging.rename(&unfinished, parent, name)?;
            OpenFolder::open(parent, "")?.sync()
        })();
        if put.is_err() {
            let _ = staging.remove_dir_all(&unfinished);
        }
        put.map(|()| true)
    }

    /// Removes a file if it exists.
    pub fn remove(&self, path: &RelPath) -> io::Result<()> {
        let Some((parents, name)) = path.split_last() else { return Ok(()) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(()) };
        none_if_missing(folder.remove_file(name.as_str()))?;
        OpenFolder::open(&folder, "")?.sync()
    }

    /// Removes a file if it has this digest. The file is first moved aside and then checked; a file
    /// with another digest is put back, and the result is `false`.
    pub fn remove_if_digest(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(false) };
        let staged = temporary_name();
        let staging = self.staging()?;
        folder.rename(name.as_str(), staging, &staged)?;
        let same = file_has_digest(staging, &staged, digest)?;
        if !same {
            self.link_new(&staged, &folder, name.as_str())?;
        }
        none_if_missing(staging.remove_file(&staged))?;
        OpenFolder::open(&folder, "")?.sync()?;
        Ok(same)
    }

    /// Removes a folder with its contents if `is_right` accepts it. The folder is first moved
    /// aside, then checked, then deleted. If it is not accepted, it is put back and the result is
    /// `false`.
    pub fn remove_folder_if(
        &self,
        path: &RelPath,
        is_right: impl FnOnce(&Dir) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(false) };
        let staged = temporary_name();
        let staging = self.staging()?;
        folder.rename(name.as_str(), staging, &staged)?;
        let right =
            OpenFolder::open(staging, &staged).and_then(|staged| is_right(&staged.into_dir()));
        if !matches!(right, Ok(true)) {
            staging.rename(&staged, &folder, name.as_str())?;
            return right;
        }
        OpenFolder::open(&folder, "")?.sync()?;
        // The folder is already out of the tree; leftovers in staging belong to nothing.
        if let Err(error) = staging.remove_dir_all(&staged) {
            tracing::warn!(%error, "a removed folder could not be deleted from staging");
        }
        Ok(true)
    }

    /// Puts a finished file in the place of one with this digest. Other programs do not respect our
    /// lock, so what matters is the file that the exchange brings out: if it is not the expected
    /// one, it is put back.
    fn replace_if_digest(
        &self,
        unfinished: &str,
        folder: &Dir,
        name: &str,
        digest: Sha256,
    ) -> io::Result<bool> {
        if !file_has_digest(folder, name, digest)? {
            return Ok(false);
        }
        let staging = self.staging()?;
        let own = none_if_missing(open_regular_file(staging, unfinished))?.flatten();
        let own = digest_file(own.ok_or(io::ErrorKind::NotFound)?)?;
        let (ours, theirs) = ((staging, unfinished), (folder, name));
        if !exchange(ours, theirs)? {
            return staging.rename(unfinished, folder, name).map(|()| true);
        }
        if file_has_digest(staging, unfinished, digest)? {
            return Ok(true);
        }
        self.restore_exchanged(unfinished, (folder, name), own)?;
        Ok(false)
    }

    /// Puts back the file that an exchange brought out, and repeats until the file that comes out
    /// is the one that was put in last. So whoever saves the file meanwhile has the last word.
    fn restore_exchanged(&self, staged: &str, place: (&Dir, &str), put: Sha256) -> io::Result<()> {
        let staging = self.staging()?;
        let mut put = put;
        for _ in 0..MAX_EXCHANGES {
            let back = none_if_missing(open_regular_file(staging, staged))?
                .flatten()
                .map(digest_file)
                .transpose()?;
            exchange((staging, staged), place)?;
            if file_has_digest(staging, staged, put)? {
                return Ok(());
            }
            let Some(back) = back else { return Ok(()) };
            put = back;
        }
        Err(io::Error::other("another program keeps writing the file"))
    }

    /// Puts a finished file under a name that nothing has. Returns `false` if something has it.
    fn link_new(&self, unfinished: &str, folder: &Dir, name: &str) -> io::Result<bool> {
        let staging = self.staging()?;
        match staging.hard_link(unfinished, folder, name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // On a file system without hard links, the lock still excludes our own processes.
            Err(_) if none_if_missing(folder.symlink_metadata(name))?.is_none() => {
                staging.rename(unfinished, folder, name).map(|()| true)
            }
            Err(error) => Err(error),
        }
    }

    /// Renames a file. Returns `false` if something has the new path. Both folders must exist.
    pub fn rename(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<bool> {
        if !rename_no_replace(from, to)? {
            return Ok(false);
        }
        OpenFolder::open(to.0, "")?.sync()?;
        OpenFolder::open(from.0, "")?.sync()?;
        Ok(true)
    }

    /// Opens the folder at a path. Returns `None` if there is none; a symbolic link counts as none.
    pub fn open_folder(&self, path: &RelPath) -> io::Result<Option<Dir>> {
        Self::open_folder_below(&self.dir, path)
    }

    /// Opens the folder at a path below any folder.
    pub fn open_folder_below(top: &Dir, path: &RelPath) -> io::Result<Option<Dir>> {
        Ok(OpenFolder::find(top, path.as_str())?.map(OpenFolder::into_dir))
    }

    fn make_folder(&self, path: &RelPath) -> io::Result<Dir> {
        Self::make_folders_below(&self.dir, path)
    }
}

impl Drop for FolderWriter {
    /// Removes the staging folder while the lock is still held. If a killed process left files in
    /// it, it stays until they are old enough to be removed.
    fn drop(&mut self) {
        if let Staging::SeparateFolder(apart) = &self.staging
            && apart.get().is_some()
        {
            let _ = self.dir.remove_dir(STAGING_FOLDER);
        }
    }
}

/// Checks whether a file has this digest.
fn file_has_digest(folder: &Dir, name: &str, digest: Sha256) -> io::Result<bool> {
    let file = none_if_missing(open_regular_file(folder, name))?.flatten();
    file.map_or(Ok(false), |file| Ok(digest_file(file)? == digest))
}

/// Writes a file into a folder that is not visible to anyone else yet.
pub(super) fn write_new_file(folder: &Dir, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
    let Some((parents, name)) = path.split_last() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut holder = folder.try_clone()?;
    for parent in parents.names() {
        holder = open_or_create_folder(&holder, parent)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = holder.open_with(name.as_str(), &options)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    OpenFolder::open(&holder.open_dir_nofollow(".")?, "")?.sync()
}
