//! A folder of items, open for changes by this process alone.
//!
//! Its own handle is the lock, so nothing lies about. A file is put there whole and durable; what
//! was there before is there until then. No link on the way is followed. Half-written files lie at
//! the top, under names that are no item's; those of a store, whose top may hold many files, in a
//! folder of their own.

use std::cell::OnceCell;
use std::io::{self, Write};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, OpenOptions};
use mere_core::address::RelPath;
use mere_core::digest::Sha256;

use super::derived::{remove_abandoned_files, temporary_name};
use super::lock::lock_folder;
use super::workspace::open_or_create_folder;
use super::{
    Folder, OpenFolder, SPACE_FOLDER, digest_file, exchange, is_symlink_error, none_if_missing,
    open_regular_file, rename_no_replace,
};

/// How often a file is given back to someone who saves it again at the same time.
const MAX_EXCHANGES: usize = 100;

/// Where the half-written files of a store lie.
pub(super) const STAGING_FOLDER: &str = ".new-files";

/// What of a space is nobody's history.
pub const GITIGNORE_PATTERNS: [&str; 3] = ["workspaces/", ".index.json", ".new-*"];

/// A folder that this process alone changes while it holds this.
pub struct FolderWriter {
    dir: Dir,
    staging: Staging,
    _lock: std::fs::File,
}

/// Where half-written files lie.
enum Staging {
    /// At the top of the folder itself.
    TopFolder(Dir),
    /// In a folder of their own, which is there only while it is needed.
    SeparateFolder(OnceCell<Dir>),
}

/// What must be there before a file is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WritePrecondition {
    /// Nothing.
    Absent,
    /// Whatever is there.
    Any,
    /// A file with this digest.
    Digest(Sha256),
}

impl FolderWriter {
    /// Opens a folder and waits until no one else changes it, or until `over`: then there is none.
    pub fn open(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let Some(lock) = lock_folder(folder, over)? else { return Ok(None) };
        remove_abandoned_files(folder);
        let staging = Staging::TopFolder(folder.try_clone()?);
        Ok(Some(Self { dir: folder.try_clone()?, staging, _lock: lock }))
    }

    /// Opens the folder of a store in the same way.
    pub fn open_store(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let Some(lock) = lock_folder(folder, over)? else { return Ok(None) };
        let staging = Staging::SeparateFolder(OnceCell::new());
        Ok(Some(Self { dir: folder.try_clone()?, staging, _lock: lock }))
    }

    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Where half-written files lie. A folder of their own need not survive a power cut.
    fn staging(&self) -> io::Result<&Dir> {
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

    /// The folder of a project's space, made if it is not there; git is told what to leave alone.
    pub fn make_space(project: &Folder) -> io::Result<Dir> {
        let is_new = none_if_missing(project.dir().symlink_metadata(SPACE_FOLDER))?.is_none();
        let space = open_or_create_folder(project.dir(), SPACE_FOLDER)?;
        if is_new {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let lines = GITIGNORE_PATTERNS.join("\n") + "\n";
            match space.open_with(".gitignore", &options) {
                Ok(mut file) => file.write_all(lines.as_bytes())?,
                // Someone else makes the same space.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(space)
    }

    /// The folder at a path below another, every level made if it is not there.
    pub fn make_folders_below(top: &Dir, path: &RelPath) -> io::Result<Dir> {
        path.names().try_fold(top.try_clone()?, |folder, name| open_or_create_folder(&folder, name))
    }

    /// The regular file at a path; `None` if there is none.
    pub fn open_file(&self, path: &RelPath) -> io::Result<Option<File>> {
        let Some((parents, name)) = path.split_last() else { return Ok(None) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(None) };
        Ok(none_if_missing(open_regular_file(&folder, name.as_str()))?.flatten())
    }

    /// Whether the path is a file with this digest.
    pub fn has_digest(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let file = self.open_file(path)?;
        file.map_or(Ok(false), |file| Ok(digest_file(file)? == digest))
    }

    /// Whether anything at all has the path.
    pub fn has_path(&self, path: &RelPath) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(true) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(false) };
        Ok(none_if_missing(folder.symlink_metadata(name.as_str()))?.is_some())
    }

    /// Puts a file there. Says no, and changes nothing, if `before` does not hold.
    pub fn put(&self, path: &RelPath, bytes: &[u8], before: WritePrecondition) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        self.put_in(&self.make_folder(&parents)?, name.as_str(), bytes, before)
    }

    /// The same in a folder that is there already. One that goes meanwhile takes nothing.
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

    /// Puts a whole folder there, if nothing has its path.
    pub fn put_folder(&self, path: &RelPath, files: &[(RelPath, Vec<u8>)]) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        if self.has_path(path)? {
            return Ok(false);
        }
        self.put_folder_in(&self.make_folder(&parents)?, name.as_str(), files)
    }

    /// The same in a folder that is there already.
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

    /// Removes a file, if it is there.
    pub fn remove(&self, path: &RelPath) -> io::Result<()> {
        let Some((parents, name)) = path.split_last() else { return Ok(()) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(()) };
        none_if_missing(folder.remove_file(name.as_str()))?;
        OpenFolder::open(&folder, "")?.sync()
    }

    /// Removes a file with this digest: out of the way at once, then looked at. Another one goes
    /// back, and the answer is no.
    pub fn remove_if_digest(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(false) };
        let aside = temporary_name();
        let staging = self.staging()?;
        folder.rename(name.as_str(), staging, &aside)?;
        let same = file_has_digest(staging, &aside, digest)?;
        if !same {
            self.link_new(&aside, &folder, name.as_str())?;
        }
        none_if_missing(staging.remove_file(&aside))?;
        OpenFolder::open(&folder, "")?.sync()?;
        Ok(same)
    }

    /// Removes a folder and what is in it, if `is_right`: out of the way at once, then looked at,
    /// then piece by piece. Another one goes back, and the answer is no.
    pub fn remove_folder_if(
        &self,
        path: &RelPath,
        is_right: impl FnOnce(&Dir) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.open_folder(&parents)? else { return Ok(false) };
        let aside = temporary_name();
        let staging = self.staging()?;
        folder.rename(name.as_str(), staging, &aside)?;
        let right = OpenFolder::open(staging, &aside).and_then(|aside| is_right(&aside.into_dir()));
        if !matches!(right, Ok(true)) {
            staging.rename(&aside, &folder, name.as_str())?;
            return right;
        }
        OpenFolder::open(&folder, "")?.sync()?;
        // It is gone by now; what cannot be cleared away is nobody's.
        if let Err(error) = staging.remove_dir_all(&aside) {
            tracing::warn!(%error, "a folder that was removed could not be cleared away");
        }
        Ok(true)
    }

    /// Puts a finished file in the place of one with this digest. Whoever else writes does not know
    /// our lock, so it is what comes out that is looked at; if it is another, it goes back.
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

    /// Puts back what came out of a place, until what comes out is what was put there last: whoever
    /// saves meanwhile has the last word.
    fn restore_exchanged(&self, aside: &str, place: (&Dir, &str), put: Sha256) -> io::Result<()> {
        let staging = self.staging()?;
        let mut put = put;
        for _ in 0..MAX_EXCHANGES {
            let back = none_if_missing(open_regular_file(staging, aside))?
                .flatten()
                .map(digest_file)
                .transpose()?;
            exchange((staging, aside), place)?;
            if file_has_digest(staging, aside, put)? {
                return Ok(());
            }
            let Some(back) = back else { return Ok(()) };
            put = back;
        }
        Err(io::Error::other("somebody else writes the file all the time"))
    }

    /// Puts a finished file under a name that nobody has.
    fn link_new(&self, unfinished: &str, folder: &Dir, name: &str) -> io::Result<bool> {
        let staging = self.staging()?;
        match staging.hard_link(unfinished, folder, name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // A file system without links: the lock keeps others of us away.
            Err(_) if none_if_missing(folder.symlink_metadata(name))?.is_none() => {
                staging.rename(unfinished, folder, name).map(|()| true)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives a file another path, unless something has it: then says no. Both folders are there.
    pub fn rename(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<bool> {
        if !rename_no_replace(from, to)? {
            return Ok(false);
        }
        OpenFolder::open(to.0, "")?.sync()?;
        OpenFolder::open(from.0, "")?.sync()?;
        Ok(true)
    }

    /// The folder at a path; `None` if there is none. A link is none.
    pub fn open_folder(&self, path: &RelPath) -> io::Result<Option<Dir>> {
        Self::open_folder_below(&self.dir, path)
    }

    /// The same below any folder.
    pub fn open_folder_below(top: &Dir, path: &RelPath) -> io::Result<Option<Dir>> {
        match OpenFolder::open(top, path.as_str()) {
            Err(error) if is_symlink_error(&error) => Ok(None),
            opened => Ok(none_if_missing(opened)?.map(OpenFolder::into_dir)),
        }
    }

    fn make_folder(&self, path: &RelPath) -> io::Result<Dir> {
        Self::make_folders_below(&self.dir, path)
    }
}

impl Drop for FolderWriter {
    /// Takes the staging folder away while the lock is still held. One with a killed process's files
    /// stays until they are old enough.
    fn drop(&mut self) {
        if let Staging::SeparateFolder(apart) = &self.staging
            && apart.get().is_some()
        {
            let _ = self.dir.remove_dir(STAGING_FOLDER);
        }
    }
}

/// Whether a file has this digest.
fn file_has_digest(folder: &Dir, name: &str, digest: Sha256) -> io::Result<bool> {
    let file = none_if_missing(open_regular_file(folder, name))?.flatten();
    file.map_or(Ok(false), |file| Ok(digest_file(file)? == digest))
}

/// Writes a file of a folder that nobody else knows yet.
fn write_new_file(folder: &Dir, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
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
