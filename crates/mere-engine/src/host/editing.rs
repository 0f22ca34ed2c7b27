//! A folder of items, open for changes by this process alone.
//!
//! Its own handle is the lock, so nothing lies about. A file is put there whole and durable; what
//! was there before is there until then. No link on the way is followed. Half-written files lie at
//! the top, under names that are no item's.

use std::fs::TryLockError;
use std::io::{self, Write};
use std::time::Duration;

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, OpenOptions};
use mere_core::address::RelPath;
use mere_core::digest::Sha256;

use super::derived::{clear_away, unfinished};
use super::workspace::make;
use super::{Folder, OpenFolder, SPACE, absent, digest_of, exchange, is_link, open_regular};

/// How long to wait before looking again whether another process is done.
const PATIENCE: Duration = Duration::from_millis(1);

/// What of a space is nobody's history.
pub(crate) const IGNORED: [&str; 3] = ["workspaces/", ".index.json", ".new-*"];

/// A folder that this process alone changes while it holds this.
pub(crate) struct Editing {
    dir: Dir,
    _lock: std::fs::File,
}

/// What must be there before a file is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Before {
    /// Nothing.
    Nothing,
    /// Whatever is there.
    Anything,
    /// A file with this digest.
    This(Sha256),
}

impl Editing {
    /// Opens a folder and waits until no one else changes it, or until `over`: then there is none.
    pub(crate) fn open(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let lock = OpenFolder::below(folder, "")?.into_dir().into_std_file();
        while let Err(error) = lock.try_lock() {
            match error {
                TryLockError::WouldBlock if over() => return Ok(None),
                TryLockError::WouldBlock => std::thread::sleep(PATIENCE),
                TryLockError::Error(error) => return Err(error),
            }
        }
        clear_away(folder);
        Ok(Some(Self { dir: folder.try_clone()?, _lock: lock }))
    }

    pub(crate) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// The folder of a project's space, made if it is not there; git is told what to leave alone.
    pub(crate) fn make_space(project: &Folder) -> io::Result<Dir> {
        let is_new = absent(project.dir().symlink_metadata(SPACE))?.is_none();
        let space = make(project.dir(), SPACE)?;
        if is_new {
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let lines = IGNORED.join("\n") + "\n";
            match space.open_with(".gitignore", &options) {
                Ok(mut file) => file.write_all(lines.as_bytes())?,
                // Someone else makes the same space.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Ok(space)
    }

    /// The regular file at a path; `None` if there is none.
    pub(crate) fn file(&self, path: &RelPath) -> io::Result<Option<File>> {
        let Some((parents, name)) = path.split_last() else { return Ok(None) };
        let Some(folder) = self.folder(&parents)? else { return Ok(None) };
        Ok(absent(open_regular(&folder, name.as_str()))?.flatten())
    }

    /// Whether the path is a file with this digest.
    pub(crate) fn holds(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let file = self.file(path)?;
        file.map_or(Ok(false), |file| Ok(digest_of(file)? == digest))
    }

    /// Whether anything at all has the path.
    pub(crate) fn has(&self, path: &RelPath) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(true) };
        let Some(folder) = self.folder(&parents)? else { return Ok(false) };
        Ok(absent(folder.symlink_metadata(name.as_str()))?.is_some())
    }

    /// Puts a file there. Says no, and changes nothing, if `before` does not hold.
    pub(crate) fn put(&self, path: &RelPath, bytes: &[u8], before: Before) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let folder = self.make_folder(&parents)?;
        let unfinished = unfinished();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.dir.open_with(&unfinished, &options)?;
        let written = (|| {
            file.write_all(bytes)?;
            if let Some(old) = absent(folder.symlink_metadata(name.as_str()))?
                && old.is_file()
            {
                file.set_permissions(old.permissions())?;
            }
            file.sync_all()?;
            match before {
                Before::This(digest) => self.swap(&unfinished, &folder, name.as_str(), digest),
                Before::Anything => {
                    self.dir.rename(&unfinished, &folder, name.as_str()).map(|()| true)
                }
                Before::Nothing => self.link(&unfinished, &folder, name.as_str()),
            }
        })();
        if !matches!(written, Ok(true)) || before != Before::Anything {
            let _ = self.dir.remove_file(&unfinished);
        }
        if matches!(written, Ok(true)) {
            OpenFolder::below(&folder, "")?.sync()?;
        }
        written
    }

    /// Puts a whole folder there, if nothing has its path.
    pub(crate) fn put_folder(
        &self,
        path: &RelPath,
        files: &[(RelPath, Vec<u8>)],
    ) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        if self.has(path)? {
            return Ok(false);
        }
        let unfinished = unfinished();
        let put = (|| {
            let folder = make(&self.dir, &unfinished)?;
            for (file, bytes) in files {
                fill(&folder, file, bytes)?;
            }
            let parent = self.make_folder(&parents)?;
            self.dir.rename(&unfinished, &parent, name.as_str())?;
            OpenFolder::below(&parent, "")?.sync()
        })();
        if put.is_err() {
            let _ = self.dir.remove_dir_all(&unfinished);
        }
        put.map(|()| true)
    }

    /// Removes a file, if it is there.
    pub(crate) fn remove(&self, path: &RelPath) -> io::Result<()> {
        let Some((parents, name)) = path.split_last() else { return Ok(()) };
        let Some(folder) = self.folder(&parents)? else { return Ok(()) };
        absent(folder.remove_file(name.as_str()))?;
        OpenFolder::below(&folder, "")?.sync()
    }

    /// Removes a file with this digest: out of the way at once, then looked at. Another one goes
    /// back, and the answer is no.
    pub(crate) fn remove_this(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.folder(&parents)? else { return Ok(false) };
        let aside = unfinished();
        folder.rename(name.as_str(), &self.dir, &aside)?;
        let same = holds(&self.dir, &aside, digest)?;
        if !same {
            self.link(&aside, &folder, name.as_str())?;
        }
        absent(self.dir.remove_file(&aside))?;
        OpenFolder::below(&folder, "")?.sync()?;
        Ok(same)
    }

    /// Removes a folder and what is in it, if `is_right`: out of the way at once, then looked at,
    /// then piece by piece. Another one goes back, and the answer is no.
    pub(crate) fn remove_folder(
        &self,
        path: &RelPath,
        is_right: impl FnOnce(&Dir) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.folder(&parents)? else { return Ok(false) };
        let aside = unfinished();
        folder.rename(name.as_str(), &self.dir, &aside)?;
        if !is_right(&OpenFolder::below(&self.dir, &aside)?.into_dir())? {
            self.dir.rename(&aside, &folder, name.as_str())?;
            return Ok(false);
        }
        OpenFolder::below(&folder, "")?.sync()?;
        self.dir.remove_dir_all(&aside)?;
        Ok(true)
    }

    /// Puts a finished file in the place of one with this digest. Whoever else writes does not know
    /// our lock, so it is what comes out that is looked at; if it is another, it goes back.
    fn swap(&self, unfinished: &str, folder: &Dir, name: &str, digest: Sha256) -> io::Result<bool> {
        if !holds(folder, name, digest)? {
            return Ok(false);
        }
        let (ours, theirs) = ((&self.dir, unfinished), (folder, name));
        if !exchange(ours, theirs)? {
            return self.dir.rename(unfinished, folder, name).map(|()| true);
        }
        if holds(&self.dir, unfinished, digest)? {
            return Ok(true);
        }
        exchange(ours, theirs)?;
        Ok(false)
    }

    /// Puts a finished file under a name that nobody has.
    fn link(&self, unfinished: &str, folder: &Dir, name: &str) -> io::Result<bool> {
        match self.dir.hard_link(unfinished, folder, name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // A file system without links: the lock keeps others of us away.
            Err(_) if absent(folder.symlink_metadata(name))?.is_none() => {
                self.dir.rename(unfinished, folder, name).map(|()| true)
            }
            Err(error) => Err(error),
        }
    }

    fn folder(&self, path: &RelPath) -> io::Result<Option<Dir>> {
        match OpenFolder::below(&self.dir, path.as_str()) {
            Err(error) if is_link(&error) => Ok(None),
            opened => Ok(absent(opened)?.map(OpenFolder::into_dir)),
        }
    }

    fn make_folder(&self, path: &RelPath) -> io::Result<Dir> {
        let mut folder = self.dir.try_clone()?;
        for name in path.names() {
            folder = make(&folder, name)?;
        }
        Ok(folder)
    }
}

/// Whether a file has this digest.
fn holds(folder: &Dir, name: &str, digest: Sha256) -> io::Result<bool> {
    let file = absent(open_regular(folder, name))?.flatten();
    file.map_or(Ok(false), |file| Ok(digest_of(file)? == digest))
}

/// Writes a file of a folder that nobody else knows yet.
fn fill(folder: &Dir, path: &RelPath, bytes: &[u8]) -> io::Result<()> {
    let Some((parents, name)) = path.split_last() else {
        return Err(io::ErrorKind::InvalidInput.into());
    };
    let mut holder = folder.try_clone()?;
    for parent in parents.names() {
        holder = make(&holder, parent)?;
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let mut file = holder.open_with(name.as_str(), &options)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    OpenFolder::below(&holder.open_dir_nofollow(".")?, "")?.sync()
}
