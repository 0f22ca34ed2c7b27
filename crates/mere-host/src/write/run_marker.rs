//! The marker of a run that has begun in a workspace and has not ended properly.
//!
//! It is a file beside the workspaces, where no tool can write. It is made and synced before the
//! tool starts, and removed only once the workspace has been swept after the run. If this program
//! is killed meanwhile, the marker stays, and the next process that opens the project sweeps the
//! workspace. A marker whose run is still going on is locked by its supervisor, or names a living
//! process.

use std::fs::TryLockError;
use std::io::{self, Read, Write};
use std::sync::Mutex;

use cap_fs_ext::{DirExt, FollowSymlinks, OpenOptionsFollowExt, OpenOptionsSyncExt};
use cap_std::fs::{Dir, OpenOptions};
use mere_core::address::AgentName;
use uuid::Uuid;

use super::repository_sweep::SweepReport;
use crate::{Folder, OpenFolder, SPACE_FOLDER, WORKSPACES_FOLDER};

/// The start of a marker's name. A number follows, and the agent after a hyphen.
const PREFIX: &str = ".run-";
/// The largest marker, in bytes.
const MAX_BYTES: u64 = 256;

/// The marker of a run in this process.
pub struct RunMarker {
    all_workspaces: Dir,
    name: String,
    /// Locked as long as this process supervises the run.
    file: std::fs::File,
}

impl RunMarker {
    /// Marks that a run in an agent's workspace begins. The marker is not synced yet.
    pub(super) fn begin(all_workspaces: &Dir, agent: &AgentName) -> io::Result<Self> {
        let all_workspaces = all_workspaces.try_clone()?;
        loop {
            let name = format!("{PREFIX}{}-{agent}", Uuid::new_v4().simple());
            let mut options = OpenOptions::new();
            options.write(true).create_new(true);
            let file = all_workspaces.open_with(&name, &options)?.into_std();
            // Another process may have taken the new file for one that was left behind.
            if file.try_lock().is_ok() && all_workspaces.symlink_metadata(&name).is_ok() {
                return Ok(Self { all_workspaces, name, file });
            }
        }
    }

    /// Records the first process of the cell, which ends after everything that the tool started.
    pub(crate) fn record_process(&self, process: u32) -> io::Result<()> {
        let started = process_start(process).unwrap_or_default();
        (&self.file).write_all(format!("{process} {started}\n").as_bytes())
    }

    /// Syncs the marker. It takes as long as the disk does, so it is called while the cell is built,
    /// and before its tool is started.
    pub(crate) fn sync(&self) -> io::Result<()> {
        OpenFolder::open(&self.all_workspaces, "")?.sync()
    }

    /// Removes the marker, because the workspace was swept after the run and is clean.
    pub(crate) fn remove(&self) {
        if let Err(error) = self.all_workspaces.remove_file(&self.name) {
            // The next process sweeps once more.
            tracing::warn!(%error, "the marker of a run could not be removed");
        }
    }
}

/// Sweeps the workspaces of a project in which runs were cut short. The project is opened by this
/// process for the first time, so nothing is created.
pub fn recover_unfinished_runs(project: &Folder) {
    let all = project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"));
    if let Ok(Some(all)) = all {
        recover_runs_in(all.dir());
    }
}

/// Does the same in the folder that holds the workspaces.
pub(super) fn recover_runs_in(all: &Dir) {
    // One thread at a time: the second would find the markers locked by the first.
    static RECOVERY: Mutex<()> = Mutex::new(());
    let mut markers = Vec::new();
    let listed = OpenFolder::open(all, "").and_then(|folder| {
        folder.for_each_entry(|name, _| {
            markers.extend(name.filter(|name| name.starts_with(PREFIX)).map(str::to_owned));
            Ok(())
        })
    });
    if let Err(error) = listed {
        tracing::warn!(%error, "the markers of runs cannot be listed");
    }
    if markers.is_empty() {
        return;
    }
    let _alone = RECOVERY.lock();
    for marker in markers {
        if let Err(error) = recover_run(all, &marker) {
            tracing::warn!(%error, "a run that was cut short could not be cleaned up");
        }
    }
}

fn recover_run(all: &Dir, marker: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.read(true).follow(FollowSymlinks::No).nonblock(true);
    let file = match all.open_with(marker, &options) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        opened => opened?.into_std(),
    };
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Ok(()),
        Err(TryLockError::Error(error)) => return Err(error),
    }
    if names_living_process(&file) {
        return Ok(());
    }
    // The name is the number, without hyphens, and the agent.
    let agent = marker.strip_prefix(PREFIX).and_then(|rest| Some(rest.split_once('-')?.1));
    let agent = agent.and_then(|agent| agent.parse::<AgentName>().ok());
    let agent = agent.ok_or_else(|| io::Error::other("the marker names no agent"))?;
    let is_clean = match all.open_dir_nofollow(agent.as_str()) {
        Ok(workspace) => SweepReport::sweep(&workspace).is_clean(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => true,
        Err(error) => return Err(error),
    };
    if is_clean { all.remove_file(marker) } else { Ok(()) }
}

/// Checks whether the process that a marker names is still there.
fn names_living_process(file: &std::fs::File) -> bool {
    let mut text = String::new();
    let read = file.take(MAX_BYTES).read_to_string(&mut text);
    let mut words = text.split_whitespace();
    let process = words.next().and_then(|word| word.parse::<u32>().ok());
    let started = words.next().and_then(|word| word.parse::<u64>().ok());
    read.is_ok()
        && process.is_some_and(|process| {
            process_start(process).is_some_and(|now| started.is_none_or(|then| then == now))
        })
}

/// Returns when a process was started, in ticks of the machine's clock. Returns `None` if there is
/// no such process, or if it has ended and nobody has taken note.
#[cfg(target_os = "linux")]
pub(crate) fn process_start(process: u32) -> Option<u64> {
    /// The fields after the name: the state is the first, the start the twentieth.
    const START_FIELD: usize = 19;
    let text = std::fs::read(format!("/proc/{process}/stat")).ok()?;
    let text = String::from_utf8_lossy(&text);
    // The name stands in parentheses and may contain anything.
    let fields = text.rsplit_once(')')?.1.split_whitespace().collect::<Vec<_>>();
    let is_dead = matches!(fields.first(), Some(&("Z" | "X")));
    if is_dead { None } else { fields.get(START_FIELD)?.parse().ok() }
}

/// Tools only run on Linux.
#[cfg(not(target_os = "linux"))]
fn process_start(_: u32) -> Option<u64> {
    None
}
