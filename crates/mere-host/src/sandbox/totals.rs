//! What a run uses, all its processes together: the watch that is kept where no control group keeps it,
//! and over the workspace in any case.

use std::io;
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use cap_fs_ext::DirExt;
use cap_std::fs::{Dir, MetadataExt};
use rustix::fs::fstatvfs;

use super::disarm::{disarm, is_repository};
use super::family::{Family, Held};
use super::plan::{Excess, Limits};
use crate::is_link;

/// How often processes, memory and the disk are looked at.
const GLANCE: Duration = Duration::from_millis(20);
/// How often the workspace is, at most.
const SURVEY: Duration = Duration::from_millis(100);
/// Below so many free bytes of the disk a run ends: others need some too.
const FLOOR: u64 = 64 * 1024 * 1024;
/// So many entries of a workspace are looked at.
const MAX_ENTRIES: usize = 200_000;
/// So deep.
pub(super) const MAX_DEPTH: usize = 128;

/// Watches one run.
pub(super) struct Watch {
    limits: Limits,
    /// Whether processes are counted here.
    tasks: bool,
    /// Whether memory is counted here.
    memory: bool,
    work: Dir,
    /// What lay there before.
    before: Measure,
    /// How much of the disk was free before, and at the last survey.
    free: (u64, u64),
    glanced: Instant,
    surveyed: Instant,
    /// How long a survey takes.
    cost: Duration,
}

impl Watch {
    pub(super) fn new(
        limits: Limits,
        (tasks, memory): (bool, bool),
        work: &Dir,
    ) -> io::Result<Self> {
        let began = Instant::now();
        let work = work.try_clone()?;
        let before = Measure::of(&work, u64::MAX);
        let free = free(&work).unwrap_or(u64::MAX);
        let (cost, surveyed) = (began.elapsed(), Instant::now());
        let free = (free, free);
        Ok(Self { limits, tasks, memory, work, before, free, glanced: began, surveyed, cost })
    }

    /// What there is too much of, if it is time to look.
    pub(super) fn look(&mut self, init: Option<u32>) -> Option<Excess> {
        if self.glanced.elapsed() < GLANCE {
            return None;
        }
        self.glanced = Instant::now();
        let free = free(&self.work).unwrap_or(u64::MAX);
        if free < FLOOR {
            return Some(Excess::Work);
        }
        let is_due = self.surveyed.elapsed() >= SURVEY.max(self.cost * 10)
            || self.free.1.saturating_sub(free) > self.limits.work / 4;
        if !(is_due || self.tasks || self.memory) {
            return None;
        }
        let family = init.map(Family::of).unwrap_or_default();
        if self.tasks && family.tasks() > self.limits.tasks {
            return Some(Excess::Tasks);
        }
        let memory = if self.memory { family.memory(self.limits.memory) } else { 0 };
        if memory > self.limits.memory {
            return Some(Excess::Memory);
        }
        if !is_due {
            return None;
        }
        let began = Instant::now();
        let held = family.held();
        let is_over = self.has_outgrown(&self.measure(), &held);
        (self.cost, self.surveyed) = (began.elapsed(), Instant::now());
        self.free.1 = free;
        let is_too_much = self.memory && memory + held.buffers > self.limits.memory;
        is_over.then_some(Excess::Work).or(is_too_much.then_some(Excess::Memory))
    }

    /// The last look, when all is over. A repository that was not there before is one no more.
    pub(super) fn last(&self) -> Option<Excess> {
        let now = self.measure();
        if (now.has_repository || !now.is_whole) && !self.before.has_repository {
            disarm(&self.work);
        }
        self.has_outgrown(&now, &Held::default()).then_some(Excess::Work)
    }

    /// What lies there now, counted no further than it takes.
    fn measure(&self) -> Measure {
        Measure::of(&self.work, self.before.bytes.saturating_add(self.limits.work))
    }

    /// Whether the workspace has grown by more than it may. Where a run made a part of it that cannot be
    /// looked at, it has; where it always had one, what the disk has lost since is taken for it.
    fn has_outgrown(&self, now: &Measure, held: &Held) -> bool {
        let mut grown = (now.bytes + held.nameless).saturating_sub(self.before.bytes);
        if !now.is_whole || held.is_hiding {
            let free = free(&self.work).unwrap_or(self.free.0);
            grown = grown.max(self.free.0.saturating_sub(free));
        }
        let hides = self.before.is_whole && !now.is_whole;
        grown > self.limits.work || hides
    }
}

/// What lies in a workspace.
#[derive(Debug, Default)]
struct Measure {
    /// Bytes on the disk.
    bytes: u64,
    entries: usize,
    /// Whether all of it could be looked at.
    is_whole: bool,
    /// Whether there is a repository.
    has_repository: bool,
}

impl Measure {
    /// Counts no further than `enough` bytes.
    fn of(folder: &Dir, enough: u64) -> Self {
        let mut measure = Self { is_whole: true, ..Self::default() };
        measure.add(folder, MAX_DEPTH, enough);
        measure
    }

    /// Adds what lies in a folder. By handles: a link in its place leads nowhere.
    fn add(&mut self, folder: &Dir, depth: usize, enough: u64) {
        let found = match folder.entries() {
            Err(error) => return self.is_whole &= is_gone(&error),
            Ok(found) => found,
        };
        for entry in found {
            if self.bytes > enough || self.entries > MAX_ENTRIES {
                return self.is_whole = false;
            }
            // What goes while it is counted does not count.
            let found = entry.and_then(|entry| Ok((entry.metadata()?, entry.file_name())));
            let (metadata, name) = match found {
                Err(error) if is_gone(&error) => continue,
                Err(_) => return self.is_whole = false,
                Ok(found) => found,
            };
            self.entries += 1;
            self.has_repository |= name.to_str().is_some_and(is_repository);
            self.bytes += metadata.blocks() * 512;
            if !metadata.is_dir() {
                continue;
            }
            match folder.open_dir_nofollow(&name) {
                Err(error) if is_gone(&error) => {}
                Ok(below) if depth > 0 => self.add(&below, depth - 1, enough),
                _ => self.is_whole = false,
            }
        }
    }
}

/// Whether something is not there any more, or something else is.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) || is_link(error)
}

/// How many bytes of a folder's disk are free.
fn free(folder: &Dir) -> io::Result<u64> {
    let disk = fstatvfs(folder.as_fd())?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}
