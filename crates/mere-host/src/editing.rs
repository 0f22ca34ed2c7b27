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

use super::derived::{clear_away, unfinished};
use super::lock::lock;
use super::workspace::make;
use super::{
    Folder, OpenFolder, SPACE, absent, digest_of, exchange, is_link, open_regular, rename_new,
};

/// How often a file is given back to someone who saves it again at the same time.
const MAX_EXCHANGES: usize = 100;

/// Where the half-written files of a store lie.
pub(super) const STAGING: &str = ".new-files";

/// What of a space is nobody's history.
pub const IGNORED: [&str; 3] = ["workspaces/", ".index.json", ".new-*"];

/// A folder that this process alone changes while it holds this.
pub struct Editing {
    dir: Dir,
    staging: Staging,
    _lock: std::fs::File,
}

/// Where half-written files lie.
enum Staging {
    /// At the top of the folder itself.
    Top(Dir),
    /// In a folder of their own, which is there only while it is needed.
    Apart(OnceCell<Dir>),
}

/// What must be there before a file is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// Nothing.
    Nothing,
    /// Whatever is there.
    Anything,
    /// A file with this digest.
    This(Sha256),
}

impl Editing {
    /// Opens a folder and waits until no one else changes it, or until `over`: then there is none.
    pub fn open(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let Some(lock) = lock(folder, over)? else { return Ok(None) };
        clear_away(folder);
        let staging = Staging::Top(folder.try_clone()?);
        Ok(Some(Self { dir: folder.try_clone()?, staging, _lock: lock }))
    }

    /// Opens the folder of a store in the same way.
    pub fn open_store(folder: &Dir, over: &dyn Fn() -> bool) -> io::Result<Option<Self>> {
        let Some(lock) = lock(folder, over)? else { return Ok(None) };
        let staging = Staging::Apart(OnceCell::new());
        Ok(Some(Self { dir: folder.try_clone()?, staging, _lock: lock }))
    }

    pub fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Where half-written files lie. A folder of their own need not survive a power cut.
    fn staging(&self) -> io::Result<&Dir> {
        let apart = match &self.staging {
            Staging::Top(top) => return Ok(top),
            Staging::Apart(apart) => apart,
        };
        if let Some(staging) = apart.get() {
            return Ok(staging);
        }
        match self.dir.create_dir(STAGING) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
            _ => {}
        }
        let staging = self.dir.open_dir_nofollow(STAGING)?;
        clear_away(&staging);
        Ok(apart.get_or_init(|| staging))
    }

    /// The folder of a project's space, made if it is not there; git is told what to leave alone.
    pub fn make_space(project: &Folder) -> io::Result<Dir> {
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

    /// The folder at a path below another, every level made if it is not there.
    pub fn make_below(top: &Dir, path: &RelPath) -> io::Result<Dir> {
        path.names().try_fold(top.try_clone()?, |folder, name| make(&folder, name))
    }

    /// The regular file at a path; `None` if there is none.
    pub fn file(&self, path: &RelPath) -> io::Result<Option<File>> {
        let Some((parents, name)) = path.split_last() else { return Ok(None) };
        let Some(folder) = self.folder(&parents)? else { return Ok(None) };
        Ok(absent(open_regular(&folder, name.as_str()))?.flatten())
    }

    /// Whether the path is a file with this digest.
    pub fn holds(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let file = self.file(path)?;
        file.map_or(Ok(false), |file| Ok(digest_of(file)? == digest))
    }

    /// Whether anything at all has the path.
    pub fn has(&self, path: &RelPath) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(true) };
        let Some(folder) = self.folder(&parents)? else { return Ok(false) };
        Ok(absent(folder.symlink_metadata(name.as_str()))?.is_some())
    }

    /// Puts a file there. Says no, and changes nothing, if `before` does not hold.
    pub fn put(&self, path: &RelPath, bytes: &[u8], before: Before) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        self.put_in(&self.make_folder(&parents)?, name.as_str(), bytes, before)
    }

    /// The same in a folder that is there already. One that goes meanwhile takes nothing.
    pub fn put_in(
        &self,
        folder: &Dir,
        name: &str,
        bytes: &[u8],
        before: Before,
    ) -> io::Result<bool> {
        let unfinished = unfinished();
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let staging = self.staging()?;
        let mut file = staging.open_with(&unfinished, &options)?;
        let written = (|| {
            file.write_all(bytes)?;
            if let Some(old) = absent(folder.symlink_metadata(name))?
                && old.is_file()
            {
                file.set_permissions(old.permissions())?;
            }
            file.sync_all()?;
            match before {
                Before::This(digest) => self.swap(&unfinished, folder, name, digest),
                Before::Anything => staging.rename(&unfinished, folder, name).map(|()| true),
                Before::Nothing => self.link(&unfinished, folder, name),
            }
        })();
        if !matches!(written, Ok(true)) || before != Before::Anything {
            let _ = staging.remove_file(&unfinished);
        }
        if matches!(written, Ok(true)) {
            OpenFolder::below(folder, "")?.sync()?;
        }
        written
    }

    /// Puts a whole folder there, if nothing has its path.
    pub fn put_folder(&self, path: &RelPath, files: &[(RelPath, Vec<u8>)]) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        if self.has(path)? {
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
        if absent(parent.symlink_metadata(name))?.is_some() {
            return Ok(false);
        }
        let unfinished = unfinished();
        let staging = self.staging()?;
        let put = (|| {
            let folder = make(staging, &unfinished)?;
            for (file, bytes) in files {
                fill(&folder, file, bytes)?;
            }
            staging.rename(&unfinished, parent, name)?;
            OpenFolder::below(parent, "")?.sync()
        })();
        if put.is_err() {
            let _ = staging.remove_dir_all(&unfinished);
        }
        put.map(|()| true)
    }

    /// Removes a file, if it is there.
    pub fn remove(&self, path: &RelPath) -> io::Result<()> {
        let Some((parents, name)) = path.split_last() else { return Ok(()) };
        let Some(folder) = self.folder(&parents)? else { return Ok(()) };
        absent(folder.remove_file(name.as_str()))?;
        OpenFolder::below(&folder, "")?.sync()
    }

    /// Removes a file with this digest: out of the way at once, then looked at. Another one goes
    /// back, and the answer is no.
    pub fn remove_this(&self, path: &RelPath, digest: Sha256) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.folder(&parents)? else { return Ok(false) };
        let aside = unfinished();
        let staging = self.staging()?;
        folder.rename(name.as_str(), staging, &aside)?;
        let same = holds(staging, &aside, digest)?;
        if !same {
            self.link(&aside, &folder, name.as_str())?;
        }
        absent(staging.remove_file(&aside))?;
        OpenFolder::below(&folder, "")?.sync()?;
        Ok(same)
    }

    /// Removes a folder and what is in it, if `is_right`: out of the way at once, then looked at,
    /// then piece by piece. Another one goes back, and the answer is no.
    pub fn remove_folder(
        &self,
        path: &RelPath,
        is_right: impl FnOnce(&Dir) -> io::Result<bool>,
    ) -> io::Result<bool> {
        let Some((parents, name)) = path.split_last() else { return Ok(false) };
        let Some(folder) = self.folder(&parents)? else { return Ok(false) };
        let aside = unfinished();
        let staging = self.staging()?;
        folder.rename(name.as_str(), staging, &aside)?;
        let right =
            OpenFolder::below(staging, &aside).and_then(|aside| is_right(&aside.into_dir()));
        if !matches!(right, Ok(true)) {
            staging.rename(&aside, &folder, name.as_str())?;
            return right;
        }
        OpenFolder::below(&folder, "")?.sync()?;
        // It is gone by now; what cannot be cleared away is nobody's.
        if let Err(error) = staging.remove_dir_all(&aside) {
            tracing::warn!(%error, "a folder that was removed could not be cleared away");
        }
        Ok(true)
    }

    /// Puts a finished file in the place of one with this digest. Whoever else writes does not know
    /// our lock, so it is what comes out that is looked at; if it is another, it goes back.
    fn swap(&self, unfinished: &str, folder: &Dir, name: &str, digest: Sha256) -> io::Result<bool> {
        if !holds(folder, name, digest)? {
            return Ok(false);
        }
        let staging = self.staging()?;
        let own = absent(open_regular(staging, unfinished))?.flatten();
        let own = digest_of(own.ok_or(io::ErrorKind::NotFound)?)?;
        let (ours, theirs) = ((staging, unfinished), (folder, name));
        if !exchange(ours, theirs)? {
            return staging.rename(unfinished, folder, name).map(|()| true);
        }
        if holds(staging, unfinished, digest)? {
            return Ok(true);
        }
        self.give_back(unfinished, (folder, name), own)?;
        Ok(false)
    }

    /// Puts back what came out of a place, until what comes out is what was put there last: whoever
    /// saves meanwhile has the last word.
    fn give_back(&self, aside: &str, place: (&Dir, &str), put: Sha256) -> io::Result<()> {
        let staging = self.staging()?;
        let mut put = put;
        for _ in 0..MAX_EXCHANGES {
            let back =
                absent(open_regular(staging, aside))?.flatten().map(digest_of).transpose()?;
            exchange((staging, aside), place)?;
            if holds(staging, aside, put)? {
                return Ok(());
            }
            let Some(back) = back else { return Ok(()) };
            put = back;
        }
        Err(io::Error::other("somebody else writes the file all the time"))
    }

    /// Puts a finished file under a name that nobody has.
    fn link(&self, unfinished: &str, folder: &Dir, name: &str) -> io::Result<bool> {
        let staging = self.staging()?;
        match staging.hard_link(unfinished, folder, name) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // A file system without links: the lock keeps others of us away.
            Err(_) if absent(folder.symlink_metadata(name))?.is_none() => {
                staging.rename(unfinished, folder, name).map(|()| true)
            }
            Err(error) => Err(error),
        }
    }

    /// Gives a file another path, unless something has it: then says no. Both folders are there.
    pub fn rename(from: (&Dir, &str), to: (&Dir, &str)) -> io::Result<bool> {
        if !rename_new(from, to)? {
            return Ok(false);
        }
        OpenFolder::below(to.0, "")?.sync()?;
        OpenFolder::below(from.0, "")?.sync()?;
        Ok(true)
    }

    /// The folder at a path; `None` if there is none. A link is none.
    pub fn folder(&self, path: &RelPath) -> io::Result<Option<Dir>> {
        Self::folder_below(&self.dir, path)
    }

    /// The same below any folder.
    pub fn folder_below(top: &Dir, path: &RelPath) -> io::Result<Option<Dir>> {
        match OpenFolder::below(top, path.as_str()) {
            Err(error) if is_link(&error) => Ok(None),
            opened => Ok(absent(opened)?.map(OpenFolder::into_dir)),
        }
    }

    fn make_folder(&self, path: &RelPath) -> io::Result<Dir> {
        Self::make_below(&self.dir, path)
    }
}

impl Drop for Editing {
    /// Takes the staging folder away while the lock is still held. One with a killed process's files
    /// stays until they are old enough.
    fn drop(&mut self) {
        if let Staging::Apart(apart) = &self.staging
            && apart.get().is_some()
        {
            let _ = self.dir.remove_dir(STAGING);
        }
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
