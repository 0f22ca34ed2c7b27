//! Changes to projects that tools propose, kept in the user's state folder until a person decides.
//!
//! Each proposal is a folder with its description, the new contents and, while it is applied, the
//! journal. No agent and no tool can write there. A proposal appears whole or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, OpenOptions};
use mere_core::address::RelPath;

use super::derived_files::{is_temporary_name, temporary_name};
use super::folder_removal::remove_staged_folder;
use super::locked_folder::{LockedFolder, WriteError, open_own_folder};
use super::project_change::{ApplyError, apply, find_conflicts, recover};
use super::project_journal::ProjectJournal;
use crate::{
    ChangedFile, EntryKind, Environment, Folder, MAX_CHANGED_BYTES, OpenFolder, none_if_missing,
    open_regular_file, read_at_most,
};

/// The folder of the state folder that holds them.
const FOLDER: &str = "project-proposals";
const DESCRIPTION_FILE: &str = "proposal.json";
const JOURNAL_FILE: &str = "journal.json";
/// The largest description, in bytes.
const MAX_DESCRIPTION: u64 = 16 * 1024 * 1024;
/// The largest number of proposals that wait.
pub const MAX_WAITING_PROPOSALS: usize = 64;

/// The proposals that tools made, of all projects.
pub struct ProposalStore {
    path: PathBuf,
}

/// The proposals while nobody else changes them.
pub struct LockedProposals {
    folder: LockedFolder,
}

/// Why a proposal was not saved.
#[derive(Debug, thiserror::Error)]
pub enum SaveError {
    /// [`MAX_WAITING_PROPOSALS`] wait already.
    #[error("too many proposals wait")]
    TooMany,
    /// The machine refused.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<WriteError> for SaveError {
    fn from(error: WriteError) -> Self {
        Self::Io(error.into())
    }
}

impl Environment {
    /// Returns the proposals. Returns `None` if the environment gives them no place.
    pub fn proposal_store(&self) -> Option<ProposalStore> {
        self.state_path().map(|state| ProposalStore { path: state.join(FOLDER) })
    }
}

impl ProposalStore {
    /// Returns which files of a project are not what the changes were made for.
    pub fn find_conflicts(project: &Folder, changes: &[ChangedFile]) -> io::Result<Vec<RelPath>> {
        find_conflicts(project, changes)
    }

    /// Returns the id and the description of each proposal, the oldest ids first.
    pub fn list(&self) -> io::Result<Vec<(String, Vec<u8>)>> {
        let Some(all) = self.open()? else { return Ok(Vec::new()) };
        let mut found = Vec::new();
        for id in proposal_names(&all)? {
            let text = read_in(&all, &id, DESCRIPTION_FILE, MAX_DESCRIPTION)?;
            found.extend(text.map(|text| (id, text)));
        }
        Ok(found)
    }

    /// Returns how many proposals wait.
    pub fn count(&self) -> io::Result<usize> {
        self.open()?.map_or(Ok(0), |all| Ok(proposal_names(&all)?.len()))
    }

    /// Reads one of the new contents of a proposal.
    pub fn read_content(&self, id: &str, number: usize) -> io::Result<Option<Vec<u8>>> {
        let Some(all) = self.open()? else { return Ok(None) };
        read_in(&all, id, &number.to_string(), MAX_CHANGED_BYTES)
    }

    /// Waits for the lock.
    pub fn lock(&self) -> Result<LockedProposals, WriteError> {
        Ok(LockedProposals { folder: LockedFolder::open(&self.path)? })
    }

    /// Finishes what killed processes began to apply, or takes it back. `is_own` tells by its
    /// description whether a proposal is for this project.
    pub fn recover(&self, project: &Folder, is_own: &dyn Fn(&[u8]) -> bool) -> io::Result<()> {
        let Some(all) = self.open()? else { return Ok(()) };
        let is_cut_short = |id: &String| {
            let journal = format!("{id}/{JOURNAL_FILE}");
            all.symlink_metadata(journal).is_ok()
        };
        if !proposal_names(&all)?.iter().any(is_cut_short) {
            return Ok(());
        }
        self.lock().map_err(io::Error::from)?.recover(project, is_own)
    }

    fn open(&self) -> io::Result<Option<Dir>> {
        none_if_missing(open_own_folder(Path::new(&self.path)))
    }
}

impl LockedProposals {
    /// Saves a proposal, durably.
    pub fn save(&self, id: &str, description: &[u8], contents: &[&[u8]]) -> Result<(), SaveError> {
        let all = self.folder.dir();
        if proposal_names(all)?.len() >= MAX_WAITING_PROPOSALS {
            return Err(SaveError::TooMany);
        }
        let unfinished = temporary_name();
        let save = || {
            all.create_dir(&unfinished)?;
            let folder = all.open_dir_nofollow(&unfinished)?;
            for (number, content) in contents.iter().enumerate() {
                write_private(&folder, &number.to_string(), content)?;
            }
            write_private(&folder, DESCRIPTION_FILE, description)?;
            OpenFolder::open(&folder, "")?.sync()?;
            all.rename(&unfinished, all, id)?;
            OpenFolder::open(all, "")?.sync()
        };
        let saved = save();
        if saved.is_err() {
            let _ = remove_staged_folder(all, &unfinished);
        }
        Ok(saved?)
    }

    /// Applies the changes of a proposal to a project, all of them or none, and removes it.
    pub fn apply(
        &self,
        id: &str,
        project: &Folder,
        changes: &[ChangedFile],
    ) -> Result<(), ApplyError> {
        let all = self.folder.dir();
        // What a killed process began is settled first.
        if read_in(all, id, JOURNAL_FILE, MAX_DESCRIPTION)?.is_some()
            && self.recover_one(id, project)?
        {
            return Ok(());
        }
        let folder = all.open_dir_nofollow(id)?;
        let applied = apply(project, changes, &|journal| write_journal(&folder, journal));
        match applied {
            Ok(()) => Ok(self.remove(id)?),
            Err(error) => {
                none_if_missing(folder.remove_file(JOURNAL_FILE))?;
                Err(error)
            }
        }
    }

    /// Removes a proposal.
    pub fn remove(&self, id: &str) -> io::Result<()> {
        let (all, aside) = (self.folder.dir(), temporary_name());
        all.rename(id, all, &aside)?;
        OpenFolder::open(all, "")?.sync()?;
        // It is gone already; what is left of it belongs to nothing.
        if let Err(error) = remove_staged_folder(all, &aside) {
            tracing::warn!(%error, "a removed proposal could not be deleted");
        }
        Ok(())
    }

    fn recover(&self, project: &Folder, is_own: &dyn Fn(&[u8]) -> bool) -> io::Result<()> {
        let all = self.folder.dir();
        for id in proposal_names(all)? {
            let description = read_in(all, &id, DESCRIPTION_FILE, MAX_DESCRIPTION)?;
            if description.is_some_and(|text| is_own(&text)) {
                self.recover_one(&id, project)?;
            }
        }
        Ok(())
    }

    /// Settles one proposal. Returns whether it is applied, and gone.
    fn recover_one(&self, id: &str, project: &Folder) -> io::Result<bool> {
        let all = self.folder.dir();
        let Some(text) = read_in(all, id, JOURNAL_FILE, MAX_DESCRIPTION)? else {
            return Ok(false);
        };
        let journal = ProjectJournal::parse(&text);
        let journal = journal.ok_or_else(|| io::Error::other("a journal is damaged"))?;
        let is_applied = recover(project, &journal)?;
        if is_applied {
            self.remove(id)?;
        } else {
            all.open_dir_nofollow(id)?.remove_file(JOURNAL_FILE)?;
        }
        Ok(is_applied)
    }
}

/// Returns the names of the proposals, in order.
fn proposal_names(all: &Dir) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    OpenFolder::open(all, "")?.for_each_entry(|name, kind| {
        let is_one = |name: &&str| kind == EntryKind::Folder && !is_temporary_name(name);
        names.extend(name.filter(is_one).map(str::to_owned));
        Ok(())
    })?;
    names.sort();
    Ok(names)
}

fn read_in(all: &Dir, id: &str, name: &str, most: u64) -> io::Result<Option<Vec<u8>>> {
    let Some(folder) = none_if_missing(OpenFolder::open(all, id))? else { return Ok(None) };
    let file = none_if_missing(open_regular_file(&folder.into_dir(), name))?.flatten();
    file.map_or(Ok(None), |file| read_at_most(file, most))
}

/// Replaces the journal durably.
fn write_journal(folder: &Dir, journal: &ProjectJournal) -> io::Result<()> {
    let unfinished = temporary_name();
    write_private(folder, &unfinished, &journal.to_text())?;
    folder.rename(&unfinished, folder, JOURNAL_FILE)?;
    OpenFolder::open(folder, "")?.sync()
}

fn write_private(folder: &Dir, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    cap_std::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = folder.open_with(name, &options)?;
    file.write_all(bytes)?;
    file.sync_all()
}
