//! An agent's workspace, open for writing.
//!
//! It lies at `.ai/workspaces/<agent>` and is created on first use, with a `.gitignore` that keeps
//! all workspaces out of git. No symbolic link on the way is followed: a repository must not be
//! able to redirect an agent's writes. Temporary files lie beside the workspaces, where no root
//! shows them; those left by a killed process are removed after a while.

use std::fs::TryLockError;
use std::io::{self, Read, Write};
use std::time::Duration;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};
use mere_core::address::{AgentName, RelPath, Segment};
use mere_core::digest::{Sha256, Sha256Hasher};

use super::derived_files::{remove_abandoned_files, temporary_name};
use crate::{
    Folder, OpenFolder, SPACE_FOLDER, WORKSPACES_FOLDER, is_symlink_error, open_regular_file,
};

/// How long to wait before trying the lock again.
const LOCK_RETRY_PAUSE: Duration = Duration::from_millis(1);

/// An agent's workspace that only this process changes while it holds this value.
pub struct Workspace {
    all_workspaces: Dir,
    agent_folder: Dir,
    _lock: std::fs::File,
}

/// Where in a workspace a file is written: its folder and its name.
pub struct WriteTarget {
    folder: Dir,
    name: Segment,
}

/// The result of looking up a path in a workspace.
pub enum TargetLookup {
    /// The target can be written.
    Found(WriteTarget),
    /// A folder on the way does not exist.
    MissingFolder,
    /// Something on the way is not a folder.
    NotAFolder,
}

/// What exists under a target's name now.
pub enum ExistingEntry {
    /// Nothing has the name.
    Absent,
    /// A regular file has the name.
    File(File),
    /// A folder, a symbolic link, a pipe.
    Other,
}

/// What to do about folders that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingFolders {
    /// Missing folders are made.
    Create,
    /// Missing folders are an error.
    Refuse,
}

impl Workspace {
    /// Opens the workspace, creating it if needed, and waits while another process changes it.
    /// Returns `None` once `over` returns true.
    pub fn open(
        project: &Folder,
        agent: &AgentName,
        over: &dyn Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let space = open_or_create_folder(project.dir(), SPACE_FOLDER)?;
        let all = open_or_create_folder(&space, WORKSPACES_FOLDER)?;
        ignore_in_git(&all)?;
        let lock = open_lock_file(&all, agent)?;
        while let Err(error) = lock.try_lock() {
            match error {
                TryLockError::WouldBlock if over() => return Ok(None),
                TryLockError::WouldBlock => std::thread::sleep(LOCK_RETRY_PAUSE),
                TryLockError::Error(error) => return Err(error),
            }
        }
        let own = open_or_create_folder(&all, agent.as_str())?;
        Ok(Some(Self { all_workspaces: all, agent_folder: own, _lock: lock }))
    }

    /// Finds the target at `path`.
    pub fn find_target(&self, path: &RelPath, missing: MissingFolders) -> io::Result<TargetLookup> {
        let Some((parents, name)) = path.split_last() else { return Ok(TargetLookup::NotAFolder) };
        let mut folder = self.agent_folder.try_clone()?;
        for parent in parents.names() {
            folder = match (folder.open_dir_nofollow(parent), missing) {
                (Ok(folder), _) => folder,
                (Err(error), MissingFolders::Create) if is_missing(&error) => {
                    open_or_create_folder(&folder, parent)?
                }
                (Err(error), MissingFolders::Refuse) if is_missing(&error) => {
                    return Ok(TargetLookup::MissingFolder);
                }
                (Err(error), _) if is_not_a_folder(&error) => return Ok(TargetLookup::NotAFolder),
                (Err(error), _) => return Err(error),
            };
        }
        Ok(TargetLookup::Found(WriteTarget { folder, name }))
    }

    /// Writes a whole file and replaces what was there: a reader sees the old or the new one, and
    /// when this returns, the new one survives a power cut.
    pub fn put(&self, target: &WriteTarget, bytes: &[u8]) -> io::Result<()> {
        let unfinished = temporary_name();
        let put = self.try_put(target, &unfinished, bytes);
        if put.is_err() {
            let _ = self.all_workspaces.remove_file(&unfinished);
        }
        put
    }

    fn try_put(&self, target: &WriteTarget, unfinished: &str, bytes: &[u8]) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.all_workspaces.open_with(unfinished, &options)?;
        file.write_all(bytes)?;
        if let Some(permissions) = target.permissions()? {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        drop(file);
        self.all_workspaces.rename(unfinished, &target.folder, target.name.as_str())?;
        OpenFolder::open(&target.folder, "")?.sync()
    }

    /// Removes a folder with its contents: it is moved out of the workspace at once and then
    /// deleted.
    pub fn remove_folder(&self, path: &RelPath) -> io::Result<()> {
        let Some((parents, name)) = path.split_last() else { return Ok(()) };
        let folder = OpenFolder::open(&self.agent_folder, parents.as_str())?.into_dir();
        let unfinished = temporary_name();
        folder.rename(name.as_str(), &self.all_workspaces, &unfinished)?;
        OpenFolder::open(&folder, "")?.sync()?;
        self.all_workspaces.remove_dir_all(&unfinished)
    }

    /// Removes the temporary files that killed processes left behind, as far as possible.
    pub fn remove_abandoned_files(&self) {
        remove_abandoned_files(&self.all_workspaces);
    }
}

impl WriteTarget {
    /// Returns what exists under the name now.
    pub fn existing_entry(&self) -> io::Result<ExistingEntry> {
        match self.folder.symlink_metadata(self.name.as_str()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(ExistingEntry::Absent);
            }
            Err(error) => return Err(error),
            Ok(metadata) if !metadata.is_file() => return Ok(ExistingEntry::Other),
            Ok(_) => {}
        }
        let file = open_regular_file(&self.folder, self.name.as_str())?;
        Ok(file.map_or(ExistingEntry::Other, ExistingEntry::File))
    }

    /// Returns the permissions of the existing file, which it keeps when its content is replaced.
    fn permissions(&self) -> io::Result<Option<Permissions>> {
        let metadata = crate::none_if_missing(self.folder.symlink_metadata(self.name.as_str()))?;
        Ok(metadata.filter(Metadata::is_file).map(|metadata| metadata.permissions()))
    }
}

/// Opens a folder, creating it durably if it does not exist. A symbolic link is not followed.
pub(super) fn open_or_create_folder(parent: &Dir, name: &str) -> io::Result<Dir> {
    match parent.open_dir_nofollow(name) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        opened => return opened,
    }
    match parent.create_dir(name) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    OpenFolder::open(parent, "")?.sync()?;
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
        Ok(mut file) => {
            file.write_all(b"# Agents' workspaces do not belong in the project's history.\n*\n")
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Opens the file whose lock protects an agent's workspace. A symbolic link or a pipe in its place
/// is an error.
fn open_lock_file(all: &Dir, agent: &AgentName) -> io::Result<std::fs::File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).follow(FollowSymlinks::No).nonblock(true);
    let file = all.open_with(format!(".lock-{agent}"), &options)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the lock is not a regular file"));
    }
    Ok(file.into_std())
}

fn is_missing(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotFound
}

fn is_not_a_folder(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::NotADirectory || is_symlink_error(error)
}

/// Hashes a file of any size.
pub fn digest_file(mut file: File) -> io::Result<Sha256> {
    let mut hasher = Sha256Hasher::default();
    let mut buffer = [0; 16 * 1024];
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(hasher.digest()),
            read => hasher.update(&buffer[..read]),
        }
    }
}

/// Reads a file, or returns `None` if it has more than `most` bytes.
pub fn read_at_most(file: File, most: u64) -> io::Result<Option<Vec<u8>>> {
    // One byte more than expected, so that the second read already finds the end of the file.
    let size = file.metadata().map_or(0, |file| file.len()).min(most).saturating_add(1);
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or_default());
    file.take(most + 1).read_to_end(&mut bytes)?;
    Ok((bytes.len() as u64 <= most).then_some(bytes))
}
