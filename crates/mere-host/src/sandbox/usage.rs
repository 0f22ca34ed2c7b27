//! The resources that a run uses, all its processes together.
//!
//! Processes and memory are checked here only where no control group does it; the growth of the
//! workspace is checked in any case.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, MetadataExt};
use mere_core::address::{EntryForm, RepositoryName};
use rustix::fs::fstatvfs;

use super::process_tree::{OpenFiles, ProcessTree};
use super::run_plan::{ExceededLimit, RunLimits};
use crate::{SweepReport, is_symlink_error};

/// The time between two checks of the processes, the memory and the free disk space.
const CHECK_INTERVAL: Duration = Duration::from_millis(20);
/// The shortest time between two measurements of the workspace.
const MEASURE_INTERVAL: Duration = Duration::from_millis(100);
/// A run ends when fewer bytes than these are free on the disk: others need some too.
const MIN_FREE_BYTES: u64 = 64 * 1024 * 1024;
/// How often repositories are disarmed during a run before it is ended: a tool that makes them again
/// and again would have one most of the time.
const MAX_DISARMED: usize = 3;
/// The largest number of entries of a workspace that are measured.
const MAX_ENTRIES: usize = 200_000;
/// The largest number of levels of a workspace that are examined.
pub(super) const MAX_DEPTH: usize = 128;

/// The limits that no control group enforces, so that they are watched here.
#[derive(Clone, Copy)]
pub(super) struct WatchedLimits {
    pub(super) tasks: bool,
    pub(super) memory: bool,
}

/// Monitors the resources of one run.
pub(super) struct UsageMonitor {
    limits: RunLimits,
    watched: WatchedLimits,
    workspace: Dir,
    /// The folders that take what the tool writes into the project.
    layers: Vec<Dir>,
    /// The workspace and these folders before the run.
    before: WorkspaceUsage,
    /// The free bytes of the disk before the run and at the last measurement.
    free_bytes: (u64, u64),
    last_check: Instant,
    last_measure: Instant,
    /// The time that the last measurement took.
    measure_duration: Duration,
    /// The repositories that were disarmed during the run, and how often there were some.
    repositories: (SweepReport, usize),
}

impl UsageMonitor {
    pub(super) fn new(
        limits: RunLimits,
        watched: WatchedLimits,
        (work, layers): (&Dir, Vec<Dir>),
    ) -> io::Result<Self> {
        let began = Instant::now();
        let work = work.try_clone()?;
        let before = WorkspaceUsage::measure((&work, &layers), u64::MAX);
        let free = least_free_bytes(&work, &layers).unwrap_or(u64::MAX);
        let (cost, surveyed) = (began.elapsed(), Instant::now());
        let free = (free, free);
        Ok(Self {
            limits,
            watched,
            workspace: work,
            layers,
            before,
            free_bytes: free,
            last_check: began,
            last_measure: surveyed,
            measure_duration: cost,
            repositories: (SweepReport::default(), 0),
        })
    }

    /// Returns the limit that is exceeded, if it is time to check.
    pub(super) fn check(&mut self, init: u32) -> Option<ExceededLimit> {
        if self.last_check.elapsed() < CHECK_INTERVAL {
            return None;
        }
        self.last_check = Instant::now();
        let free = self.free_bytes().unwrap_or(u64::MAX);
        if free < MIN_FREE_BYTES {
            return Some(ExceededLimit::Workspace);
        }
        let is_due = self.last_measure.elapsed()
            >= MEASURE_INTERVAL.max(self.measure_duration * 10)
            || self.free_bytes.1.saturating_sub(free) > self.limits.workspace_growth / 4;
        if !(is_due || self.watched.tasks || self.watched.memory) {
            return None;
        }
        let family = ProcessTree::read_from(init);
        if self.watched.tasks && family.task_count() > self.limits.tasks {
            return Some(ExceededLimit::Tasks);
        }
        let memory = if self.watched.memory { family.memory_bytes(self.limits.memory) } else { 0 };
        if memory > self.limits.memory {
            return Some(ExceededLimit::Memory);
        }
        if !is_due {
            return None;
        }
        let began = Instant::now();
        let held = family.open_files();
        let now = self.measure();
        if now.has_repository {
            self.disarm();
            self.repositories.1 += 1;
        }
        let is_over = self.has_outgrown_limit(&now, &held);
        (self.measure_duration, self.last_measure) = (began.elapsed(), Instant::now());
        self.free_bytes.1 = free;
        let is_too_much = self.watched.memory && memory + held.buffer_bytes > self.limits.memory;
        if self.repositories.1 >= MAX_DISARMED {
            return Some(ExceededLimit::Repositories);
        }
        is_over.then_some(ExceededLimit::Workspace).or(is_too_much.then_some(ExceededLimit::Memory))
    }

    /// Makes the last check after the run.
    pub(super) fn check_final(&self) -> Option<ExceededLimit> {
        let now = self.measure();
        self.has_outgrown_limit(&now, &OpenFiles::default()).then_some(ExceededLimit::Workspace)
    }

    /// Disarms the repositories in the workspace.
    fn disarm(&mut self) {
        self.repositories.0.add_later(SweepReport::sweep(&self.workspace));
    }

    /// Disarms the repositories in the workspace after the run, and returns all that were found.
    pub(super) fn finish(mut self) -> SweepReport {
        self.disarm();
        self.repositories.0
    }

    /// Measures the workspace, no further than needed to see that it is over the limit.
    fn measure(&self) -> WorkspaceUsage {
        WorkspaceUsage::measure(
            (&self.workspace, &self.layers),
            self.before.bytes.saturating_add(self.limits.workspace_growth),
        )
    }

    fn free_bytes(&self) -> io::Result<u64> {
        least_free_bytes(&self.workspace, &self.layers)
    }

    /// Checks whether the workspace has grown by more than it may. If a run has created a part of
    /// it that cannot be measured, it counts as outgrown. If such a part was there before, the loss
    /// of free disk space is taken as its growth.
    fn has_outgrown_limit(&self, now: &WorkspaceUsage, held: &OpenFiles) -> bool {
        let mut grown = (now.bytes + held.unlinked_bytes).saturating_sub(self.before.bytes);
        if !now.is_complete || held.may_hide_files {
            let free = self.free_bytes().unwrap_or(self.free_bytes.0);
            grown = grown.max(self.free_bytes.0.saturating_sub(free));
        }
        let hides = self.before.is_complete && !now.is_complete;
        grown > self.limits.workspace_growth || hides
    }
}

/// The contents of a workspace, measured.
#[derive(Debug, Default)]
struct WorkspaceUsage {
    /// Bytes on the disk.
    bytes: u64,
    entries: usize,
    /// True if all of it could be measured.
    is_complete: bool,
    /// True if a version control program would take something in it for a repository.
    has_repository: bool,
}

impl WorkspaceUsage {
    /// Measures the workspace and the folders for the project, and stops after `enough` bytes. What
    /// looks like a repository counts only in the workspace, because nobody else sees the others.
    fn measure((workspace, layers): (&Dir, &[Dir]), enough: u64) -> Self {
        let mut measure = Self { is_complete: true, ..Self::default() };
        measure.add_folder(workspace, MAX_DEPTH, enough);
        let has_repository = measure.has_repository;
        for layer in layers {
            measure.add_folder(layer, MAX_DEPTH, enough);
        }
        Self { has_repository, ..measure }
    }

    /// Adds the contents of a folder. It works through handles, so a symbolic link in a folder's
    /// place leads nowhere.
    fn add_folder(&mut self, folder: &Dir, depth: usize, enough: u64) {
        let found = match folder.entries() {
            Err(error) => return self.is_complete &= is_gone(&error),
            Ok(found) => found,
        };
        for entry in found {
            if self.bytes > enough || self.entries > MAX_ENTRIES {
                return self.is_complete = false;
            }
            // An entry that disappears meanwhile does not count.
            let found = entry.and_then(|entry| Ok((entry.metadata()?, entry.file_name())));
            let (metadata, name) = match found {
                Err(error) if is_gone(&error) => continue,
                Err(_) => return self.is_complete = false,
                Ok(found) => found,
            };
            self.entries += 1;
            let form = if metadata.is_dir() { EntryForm::Folder } else { EntryForm::Leaf };
            let is_repository = |name: &str| RepositoryName::recognize(name, form).is_some();
            self.has_repository |= name.to_str().is_some_and(is_repository);
            self.bytes += metadata.blocks() * 512;
            if !metadata.is_dir() {
                continue;
            }
            match folder.open_dir_nofollow(&name) {
                Err(error) if is_gone(&error) => {}
                Ok(below) if depth > 0 => self.add_folder(&below, depth - 1, enough),
                _ => self.is_complete = false,
            }
        }
    }
}

/// Checks whether an entry does not exist any more, or was replaced by something else.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
        || is_symlink_error(error)
}

/// Returns the number of free bytes on the disk that has fewer of them.
fn least_free_bytes(workspace: &Dir, layers: &[Dir]) -> io::Result<u64> {
    let free = free_bytes(workspace)?;
    layers.first().map_or(Ok(free), |layer| Ok(free_bytes(layer)?.min(free)))
}

/// Returns the number of free bytes on a folder's disk.
fn free_bytes(folder: &Dir) -> io::Result<u64> {
    let disk = fstatvfs(folder.as_fd())?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
