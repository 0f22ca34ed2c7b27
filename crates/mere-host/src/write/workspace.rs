//! An agent's workspace, open for writing.
//!
//! It lies at `.ai/workspaces/<agent>` and is created on first use, with a `.gitignore` that keeps
//! all workspaces out of git. No symbolic link on the way is followed: a repository must not be
//! able to redirect an agent's writes. Temporary files lie beside the workspaces, where no root
//! shows them; those left by a killed process are removed after a while.

use std::io::{self, Read, Write};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, File, Metadata, OpenOptions, Permissions};
use mere_core::address::{AgentName, RelPath};
use mere_core::digest::{Sha256, Sha256Hasher};

use super::derived_files::{remove_abandoned_files, temporary_name};
use super::folder_lock::{LockWait, is_same_folder};
use super::folder_removal::remove_staged_folder;
use super::repository_sweep::SweepReport;
use super::run_marker::{RunMarker, recover_runs_in};
use super::workspace_size::{Growth, WorkspaceError, WorkspaceLimits, WorkspaceSize};
use super::write_target::{WriteTarget, digest_in, has_twin, is_missing, is_not_a_folder};
use crate::{
    Folder, OpenFolder, SPACE_FOLDER, WORKSPACES_FOLDER, none_if_missing, rename_no_replace,
};

/// An agent's workspace that only this process changes while it holds this value.
pub struct Workspace {
    pub(super) all_workspaces: Dir,
    pub(super) agent_folder: Dir,
    pub(super) agent: AgentName,
    _lock: std::fs::File,
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

/// What became of an entry that was to be removed or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryOutcome {
    /// It was removed or moved.
    Done,
    /// It is not a file with the expected digest. It was left where it is.
    Changed,
    /// Something has the new name. Nothing was moved.
    Taken,
}

/// What to do about folders that are missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingFolders {
    /// Missing folders are made when something is written.
    Create,
    /// Missing folders are an error.
    Refuse,
}

impl Workspace {
    /// Opens the workspace, creating it if needed, and waits while another process changes it.
    /// Returns `None` once `over` returns true, and fails if the lock is held for too long.
    pub fn open(
        project: &Folder,
        agent: &AgentName,
        over: &dyn Fn() -> bool,
    ) -> io::Result<Option<Self>> {
        let space = open_or_create_folder(project.dir(), SPACE_FOLDER)?;
        let all = open_or_create_folder(&space, WORKSPACES_FOLDER)?;
        ignore_in_git(&all)?;
        let wait = LockWait::new(over);
        let (own, lock) = loop {
            let own = open_or_create_folder(&all, agent.as_str())?;
            let instead = format!(".lock-{agent}");
            let Some(lock) = wait.lock(&own, Some((&all, &instead)))? else { return Ok(None) };
            // It may have been emptied and removed, or moved, while its lock was awaited.
            match none_if_missing(all.open_dir_nofollow(agent.as_str()))? {
                Some(now) if is_same_folder(&own, &now)? => break (own, lock),
                _ => {}
            }
        };
        recover_runs_in(&all);
        SweepReport::sweep_once(&own)?;
        Ok(Some(Self { all_workspaces: all, agent_folder: own, agent: agent.clone(), _lock: lock }))
    }

    /// Marks that a run in the workspace begins.
    pub fn begin_run(&self) -> io::Result<RunMarker> {
        RunMarker::begin(&self.all_workspaces, &self.agent)
    }

    /// Finds the target at `path`, and changes nothing.
    pub fn find_target(&self, path: &RelPath, missing: MissingFolders) -> io::Result<TargetLookup> {
        let Some((parents, name)) = path.split_last() else { return Ok(TargetLookup::NotAFolder) };
        let mut folder = self.agent_folder.try_clone()?;
        let mut names = parents.segments().collect::<Vec<_>>();
        let level = names.len();
        for depth in 0..level {
            let below = names[depth].as_str();
            if folder.symlink_metadata(below).is_ok() && has_twin(&folder, below)? {
                return Ok(TargetLookup::NotAFolder);
            }
            folder = match folder.open_dir_nofollow(below) {
                Ok(folder) => folder,
                Err(error) if is_missing(&error) && missing == MissingFolders::Create => {
                    let missing = names.split_off(depth);
                    return Ok(TargetLookup::Found(WriteTarget { folder, missing, name, level }));
                }
                Err(error) if is_missing(&error) => return Ok(TargetLookup::MissingFolder),
                Err(error) if is_not_a_folder(&error) => return Ok(TargetLookup::NotAFolder),
                Err(error) => return Err(error),
            };
        }
        Ok(TargetLookup::Found(WriteTarget { folder, missing: Vec::new(), name, level }))
    }

    /// Measures what the workspace holds.
    pub fn size(&self) -> WorkspaceSize {
        WorkspaceSize::measure(&self.agent_folder)
    }

    /// Writes a whole file and replaces what was there: a reader sees the old or the new one, and
    /// when this returns, the new one survives a power cut. Nothing is written if the workspace
    /// would hold more than it may.
    pub fn put(
        &self,
        target: &WriteTarget,
        bytes: &[u8],
        limits: WorkspaceLimits,
    ) -> Result<(), WorkspaceError> {
        let old = target.metadata()?;
        let old_bytes = old.as_ref().map_or(0, Metadata::len);
        let growth = Growth {
            bytes: (bytes.len() as u64).saturating_sub(old_bytes),
            files: target.missing.len() as u64 + u64::from(old.is_none()),
        };
        target.check_level(0)?;
        growth.check(&self.agent_folder, limits)?;
        let folder = target.make_parents()?;
        let unfinished = temporary_name();
        let permissions = old.filter(Metadata::is_file).map(|old| old.permissions());
        let put = self.stage(&unfinished, bytes, permissions).and_then(|()| {
            self.all_workspaces.rename(&unfinished, &folder, target.name.as_str())?;
            OpenFolder::open(&folder, "")?.sync()
        });
        if put.is_err() {
            let _ = self.all_workspaces.remove_file(&unfinished);
        }
        Ok(put?)
    }

    /// Writes a temporary file, which has the permissions of the file that it will replace.
    fn stage(&self, name: &str, bytes: &[u8], permissions: Option<Permissions>) -> io::Result<()> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let mut file = self.all_workspaces.open_with(name, &options)?;
        file.write_all(bytes)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()
    }

    /// Makes a folder at a place that nothing has, with the folders on the way.
    pub fn make_folder(
        &self,
        target: &WriteTarget,
        limits: WorkspaceLimits,
    ) -> Result<(), WorkspaceError> {
        target.check_level(1)?;
        let files = target.missing.len() as u64 + 1;
        Growth { bytes: 0, files }.check(&self.agent_folder, limits)?;
        open_or_create_folder(&target.make_parents()?, target.name.as_str())?;
        Ok(())
    }

    /// Renames an entry, a link itself and not what it leads to. A file is left where it is if it
    /// does not have the `expected` digest, and nothing is ever replaced.
    pub fn rename(
        &self,
        from: &WriteTarget,
        to: &WriteTarget,
        expected: Option<Sha256>,
    ) -> Result<EntryOutcome, WorkspaceError> {
        let levels = match from.folder.open_dir_nofollow(from.name.as_str()) {
            Ok(folder) => WorkspaceSize::measure(&folder).levels + 1,
            Err(error) if is_not_a_folder(&error) => 0,
            Err(error) => return Err(error.into()),
        };
        to.check_level(levels)?;
        let (old, new) = ((&from.folder, from.name.as_str()), (&to.folder, to.name.as_str()));
        if !rename_no_replace(old, new)? {
            return Ok(EntryOutcome::Taken);
        }
        // Others write here without our lock: what counts is the file that was moved.
        let digest = expected.map(|_| to.digest()).transpose();
        if !matches!(&digest, Ok(digest) if digest.flatten() == expected) {
            rename_no_replace(new, old)?;
            return digest.map(|_| EntryOutcome::Changed).map_err(Into::into);
        }
        OpenFolder::open(&to.folder, "")?.sync()?;
        OpenFolder::open(&from.folder, "")?.sync()?;
        Ok(EntryOutcome::Done)
    }

    /// Removes an entry, a folder with everything in it and a link without what it leads to. It is
    /// moved out of the workspace at once and then deleted. A file that does not have the
    /// `expected` digest is put back, and so is what could not be deleted.
    pub fn remove(
        &self,
        target: &WriteTarget,
        expected: Option<Sha256>,
    ) -> io::Result<EntryOutcome> {
        let staged = temporary_name();
        let (here, aside) =
            ((&target.folder, target.name.as_str()), (&self.all_workspaces, staged.as_str()));
        target.folder.rename(here.1, aside.0, aside.1)?;
        let removed = self.remove_staged(&staged, expected);
        // A name that was taken again meanwhile stays with its new owner.
        if !matches!(removed, Ok(EntryOutcome::Done)) {
            rename_no_replace(aside, here)?;
        }
        OpenFolder::open(&target.folder, "")?.sync()?;
        removed
    }

    pub(super) fn remove_staged(
        &self,
        staged: &str,
        expected: Option<Sha256>,
    ) -> io::Result<EntryOutcome> {
        let staging = &self.all_workspaces;
        if expected.is_some() && digest_in(staging, staged)? != expected {
            return Ok(EntryOutcome::Changed);
        }
        if staging.symlink_metadata(staged)?.is_dir() {
            remove_staged_folder(staging, staged)?;
        } else {
            staging.remove_file(staged)?;
        }
        Ok(EntryOutcome::Done)
    }

    /// Removes a folder with its contents, if it exists.
    pub fn remove_folder(&self, path: &RelPath) -> io::Result<()> {
        match self.find_target(path, MissingFolders::Refuse)? {
            TargetLookup::Found(target) => self.remove(&target, None).map(|_| ()),
            TargetLookup::MissingFolder => Err(io::ErrorKind::NotFound.into()),
            TargetLookup::NotAFolder => Err(io::ErrorKind::NotADirectory.into()),
        }
    }

    /// Removes the temporary files that killed processes left behind, as far as possible.
    pub fn remove_abandoned_files(&self) {
        remove_abandoned_files(&self.all_workspaces);
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
