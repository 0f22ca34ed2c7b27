//! An agent's workspace, open for writing.
//!
//! It lies at `.ai/workspaces/<agent>` and is made on first use, with a `.gitignore` that keeps all
//! workspaces out of git. No link on the way is followed: a repository must not be able to send an
//! agent's writes elsewhere. Half-written files lie beside the workspaces, where no root shows
//! them, and what a killed process left there is cleared away in time.

use std::fs::TryLockError;
use std::io::{self, Read, Write};
use std::time::Duration;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};
use mere_core::address::RelPath;
use mere_core::digest::{Sha256, Sha256Hasher};
use mere_core::name::AgentName;
use mere_core::segment::Segment;

use super::derived::{clear_away, unfinished};
use super::{Folder, OpenFolder, SPACE, WORKSPACES, is_link, open_regular};

/// How long to wait before looking again whether another process is done.
const PATIENCE: Duration = Duration::from_millis(1);

/// An agent's workspace, which this process alone changes while it holds this.
pub struct Workspace {
    all: Dir,
    own: Dir,
    _lock: std::fs::File,
}

/// Where in a workspace a file goes.
pub struct Spot {
    folder: Dir,
    name: Segment,
}

/// Where a path in a workspace leads.
pub enum Way {
    To(Spot),
    /// A folder on the way is not there.
    Missing,
    /// Something on the way is no folder.
    Blocked,
}

/// What has the name now.
pub enum Occupant {
    Nobody,
    File(File),
    /// A folder, a link, a pipe.
    Other,
}

/// Whether missing folders are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    Make,
    Refuse,
}

impl Workspace {
    /// Opens the workspace, made if it is not there, and waits until no one else changes it, or
    /// until `over`: then there is none.
    pub fn open(
        project: &Folder,
        agent: &AgentName,
        over: &dyn Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let space = make(project.dir(), SPACE)?;
        let all = make(&space, WORKSPACES)?;
        ignore_in_git(&all)?;
        let lock = lock_file(&all, agent)?;
        while let Err(error) = lock.try_lock() {
            match error {
                TryLockError::WouldBlock if over() => return Ok(None),
                TryLockError::WouldBlock => std::thread::sleep(PATIENCE),
                TryLockError::Error(error) => return Err(error),
            }
        }
        let own = make(&all, agent.as_str())?;
        Ok(Some(Self { all, own, _lock: lock }))
    }

    /// Finds the spot at `path`.
    pub fn spot(&self, path: &RelPath, missing: Missing) -> io::Result<Way> {
        let Some((parents, name)) = path.split_last() else { return Ok(Way::Blocked) };
        let mut folder = self.own.try_clone()?;
        for parent in parents.names() {
            folder = match (folder.open_dir_nofollow(parent), missing) {
                (Ok(folder), _) => folder,
                (Err(error), Missing::Make) if is_missing(&error) => make(&folder, parent)?,
                (Err(error), Missing::Refuse) if is_missing(&error) => return Ok(Way::Missing),
                (Err(error), _) if is_no_folder(&error) => return Ok(Way::Blocked),
                (Err(error), _) => return Err(error),
            };
        }
        Ok(Way::To(Spot { folder, name }))
    }

    /// Puts a whole file there, in place of what was there before: a reader sees the old or the
    /// new one, and when this returns the new one survives a power cut.
    pub fn put(&self, spot: &Spot, bytes: &[u8]) -> io::Result<()> {
        let unfinished = unfinished();
        let put = self.try_put(spot, &unfinished, bytes);
        if put.is_err() {
            let _ = self.all.remove_file(&unfinished);
        }
        put
    }

    fn try_put(&self, spot: &Spot, unfinished: &str, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.all.open_with(unfinished, &options)?;
        file.write_all(bytes)?;
        if let Some(permissions) = spot.permissions()? {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        drop(file);
        self.all.rename(unfinished, &spot.folder, spot.name.as_str())?;
        OpenFolder::below(&spot.folder, "")?.sync()
    }

    /// Removes a folder and what is in it: out of the way at once, then piece by piece.
    pub fn remove_folder(&self, path: &RelPath) -> io::Result<()> {
        let Some((parents, name)) = path.split_last() else { return Ok(()) };
        let folder = OpenFolder::below(&self.own, parents.as_str())?.into_dir();
        let unfinished = unfinished();
        folder.rename(name.as_str(), &self.all, &unfinished)?;
        OpenFolder::below(&folder, "")?.sync()?;
        self.all.remove_dir_all(&unfinished)
    }

    /// Removes what killed processes left behind, as far as that can be done.
    pub fn clear_away(&self) {
        clear_away(&self.all);
    }
}

impl Spot {
    /// What has the name now.
    pub fn occupant(&self) -> io::Result<Occupant> {
        match self.folder.symlink_metadata(self.name.as_str()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Occupant::Nobody),
            Err(error) => return Err(error),
            Ok(metadata) if !metadata.is_file() => return Ok(Occupant::Other),
            Ok(_) => {}
        }
        let file = open_regular(&self.folder, self.name.as_str())?;
        Ok(file.map_or(Occupant::Other, Occupant::File))
    }

    /// A file keeps its permissions when its content is replaced.
    fn permissions(&self) -> io::Result<Option<Permissions>> {
        let metadata = super::absent(self.folder.symlink_metadata(self.name.as_str()))?;
        Ok(metadata.filter(Metadata::is_file).map(|metadata| metadata.permissions()))
    }
}

/// Opens a folder, made and made durable if it is not there. A link is not followed.
pub(super) fn make(parent: &Dir, name: &str) -> io::Result<Dir> {
    match parent.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match parent.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    OpenFolder::below(parent, "")?.sync()?;
    parent.open_dir_nofollow(name)
}

/// Keeps workspaces out of git without touching the repository's own files.
fn ignore_in_git(all: &Dir) -> io::Result<()> {
    const FILE: &str = ".gitignore";
    if all.symlink_metadata(FILE).is_ok() {
        return Ok(());
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    match all.open_with(FILE, &options) {
        Ok(mut file) => file.write_all(b"# Agents' workspaces are nobody's history.\n*\n"),
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// The file whose lock is an agent's. A link or a pipe in its place is none.
fn lock_file(all: &Dir, agent: &AgentName) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).follow(FollowSymlinks::No).nonblock(true);
    let file = all.open_with(format!(".lock-{agent}"), &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the lock is no regular file"));
    }
    Ok(file.into_std())
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_no_folder(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory || is_link(error)
}

/// The digest of a file, however large.
pub fn digest_of(mut file: File) -> io::Result<Sha256> {
    let mut hasher = Sha256Hasher::default();
    let mut buffer = [0; 16 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.digest()),
            read => hasher.update(&buffer[..read]),
        }
    }
}

/// The bytes of a file, unless there are more than `most`.
pub fn read_at_most(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    // One more than there should be, so that the end is seen at the second look.
    let size = file.metadata().map_or(0, |file| file.len()).min(most).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
