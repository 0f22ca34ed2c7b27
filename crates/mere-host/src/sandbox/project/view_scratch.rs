//! A folder in the user's state folder that takes what a tool writes into its view of the project.
//!
//! It is locked as long as its run goes on, and removed with it. What a killed process left behind
//! is removed when the next one is made.

use std::io;
use std::path::{Path, PathBuf};

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use crate::write::folder_removal::remove_staged_folder;
use crate::write::locked_folder::{create_private_folder, open_own_folder};
use crate::{Environment, OpenFolder};

/// The folder of the state folder that holds them.
const FOLDER: &str = "project-views";
/// The layer that takes what is written into an overlay.
pub(super) const UPPER: &str = "upper";
/// The folder that the kernel needs beside that layer.
pub(super) const WORK: &str = "work";
/// The copy of the project, where there is no overlay.
pub(super) const COPY: &str = "copy";

/// The folder of one run.
pub struct ViewScratch {
    all: Dir,
    name: String,
    path: PathBuf,
    dir: Dir,
    _lock: std::fs::File,
}

impl ViewScratch {
    /// Creates a folder. Fails if the environment gives it no place.
    pub fn create(environment: &Environment) -> io::Result<Self> {
        let no_place = || io::Error::other("there is no state folder: set HOME");
        let state = environment.state_path().ok_or_else(no_place)?;
        create_private_folder(state)?;
        open_own_folder(state)?;
        Self::create_in(&state.join(FOLDER))
    }

    fn create_in(folder: &Path) -> io::Result<Self> {
        create_private_folder(folder)?;
        let folder = folder.canonicalize()?;
        let all = open_own_folder(&folder)?;
        remove_abandoned(&all);
        loop {
            let name = uuid::Uuid::new_v4().simple().to_string();
            create_private_folder(&folder.join(&name))?;
            let dir = all.open_dir_nofollow(&name)?;
            // Another process may have taken the new folder for one that was left behind.
            let Some(lock) = lock_handle(&dir)? else { continue };
            if all.symlink_metadata(&name).is_err() {
                continue;
            }
            for part in [UPPER, WORK, COPY] {
                create_private_folder(&folder.join(&name).join(part))?;
            }
            return Ok(Self { all, path: folder.join(&name), name, dir, _lock: lock });
        }
    }

    /// Returns the path. Only this part of the crate may use it.
    pub(in crate::sandbox) fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the handle.
    pub(in crate::sandbox) fn dir(&self) -> &Dir {
        &self.dir
    }

    /// Returns the folders that grow with what the tool writes.
    pub(in crate::sandbox) fn layers(&self) -> io::Result<[Dir; 2]> {
        Ok([self.part(UPPER)?, self.part(COPY)?])
    }

    /// Opens one of the folders in it.
    pub(super) fn part(&self, name: &str) -> io::Result<Dir> {
        self.dir.open_dir_nofollow(name)
    }
}

impl Drop for ViewScratch {
    fn drop(&mut self) {
        if let Err(error) = remove_staged_folder(&self.all, &self.name) {
            tracing::warn!(%error, "the folder of a run could not be removed");
        }
    }
}

/// Removes the folders whose runs have ended, as far as possible.
fn remove_abandoned(all: &Dir) {
    let mut names = Vec::new();
    let listed = OpenFolder::open(all, "").and_then(|folder| {
        folder.for_each_entry(|name, _| {
            names.extend(name.map(str::to_owned));
            Ok(())
        })
    });
    if let Err(error) = listed {
        tracing::warn!(%error, "the folders of runs cannot be listed");
    }
    for name in names {
        let Ok(folder) = all.open_dir_nofollow(&name) else { continue };
        // Whoever holds the lock is still running.
        if let Ok(Some(_lock)) = lock_handle(&folder)
            && let Err(error) = remove_staged_folder(all, &name)
        {
            tracing::warn!(%error, "the folder of a run that was cut short could not be removed");
        }
    }
}

/// Locks a folder. Returns `None` if another process holds the lock.
fn lock_handle(folder: &Dir) -> io::Result<Option<std::fs::File>> {
    let handle = OpenFolder::open(folder, "")?.into_dir().into_std_file();
    match handle.try_lock() {
        Ok(()) => Ok(Some(handle)),
        Err(std::fs::TryLockError::WouldBlock) => Ok(None),
        Err(std::fs::TryLockError::Error(error)) => Err(error),
    }
}
