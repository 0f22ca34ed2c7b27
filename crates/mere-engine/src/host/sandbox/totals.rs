//! What a run uses, all its processes together: the watch that is kept where no control group keeps it,
//! and over the workspace in any case.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::statvfs;

use super::plan::{Excess, Limits};

/// How often processes and memory are looked at.
const GLANCE: Duration = Duration::from_millis(20);
/// How often the workspace is, at most.
const SURVEY: Duration = Duration::from_millis(100);
/// Below so many free bytes of the disk a run ends: others need some too.
const FLOOR: u64 = 64 * 1024 * 1024;
/// So many entries of a workspace are looked at.
const MAX_ENTRIES: usize = 200_000;

/// Watches one run.
pub(super) struct Watch {
    limits: Limits,
    /// Whether processes are counted here.
    tasks: bool,
    /// Whether memory is counted here.
    memory: bool,
    work: PathBuf,
    /// What lay there before.
    before: u64,
    glanced: Instant,
    surveyed: Instant,
    /// How long a survey takes.
    cost: Duration,
}

impl Watch {
    pub(super) fn new(
        limits: Limits,
        (tasks, memory): (bool, bool),
        work: &Path,
    ) -> io::Result<Self> {
        let began = Instant::now();
        let before = size_of(work, None)?;
        let cost = began.elapsed();
        let (glanced, surveyed) = (began, Instant::now());
        let work = work.to_owned();
        Ok(Self { limits, tasks, memory, work, before, glanced, surveyed, cost })
    }

    /// What there is too much of, if it is time to look.
    pub(super) fn look(&mut self, init: Option<u32>) -> Option<Excess> {
        let family = |init: u32| family(init);
        if self.glanced.elapsed() >= GLANCE && (self.tasks || self.memory) {
            self.glanced = Instant::now();
            let (tasks, memory) = usage(&init.map(family).unwrap_or_default());
            if self.tasks && tasks > self.limits.tasks {
                return Some(Excess::Tasks);
            }
            if self.memory && memory > self.limits.memory {
                return Some(Excess::Memory);
            }
        }
        if self.surveyed.elapsed() >= SURVEY.max(self.cost * 10) {
            let began = Instant::now();
            let family = init.map(family).unwrap_or_default();
            let hidden = family.iter().map(|process| unlinked(*process, &self.work)).sum::<u64>();
            // What cannot be measured has no limit: it ends.
            let now = size_of(&self.work, Some(self.before + self.limits.work));
            let grown = now.map(|now| (now + hidden).saturating_sub(self.before));
            self.surveyed = Instant::now();
            self.cost = began.elapsed();
            if grown.is_ok_and(|grown| grown > self.limits.work) || is_full(&self.work) {
                return Some(Excess::Work);
            }
        }
        None
    }

    /// The last look, when all is over.
    pub(super) fn last(&self) -> Option<Excess> {
        let now = size_of(&self.work, Some(self.before + self.limits.work)).ok()?;
        (now.saturating_sub(self.before) > self.limits.work).then_some(Excess::Work)
    }
}

/// Whether the kernel tells which processes another has started.
pub(super) fn can_count() -> bool {
    let own = std::process::id();
    Path::new(&format!("/proc/{own}/task/{own}/children")).exists()
}

/// A process and all that it started: who loses his parents belongs to the first.
fn family(init: u32) -> Vec<u32> {
    let mut known = vec![init];
    let mut next = 0;
    while let Some(process) = known.get(next).copied() {
        next += 1;
        let threads = fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten();
        for thread in threads.flatten() {
            let children = fs::read_to_string(thread.path().join("children")).unwrap_or_default();
            known.extend(children.split_whitespace().filter_map(|word| word.parse::<u32>().ok()));
        }
    }
    known
}

/// How many tasks there are, and how many bytes of memory they have.
fn usage(family: &[u32]) -> (u64, u64) {
    let mut all = (0, 0);
    for process in family {
        let status = fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
        let figure = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name));
            let word = line.and_then(|line| line.split_whitespace().next());
            word.and_then(|word| word.parse::<u64>().ok()).unwrap_or_default()
        };
        all.0 += figure("Threads:");
        all.1 += 1024 * (figure("RssAnon:") + figure("RssShmem:") + figure("VmSwap:"));
    }
    all
}

/// How many bytes of files a process holds open that have no name any more.
fn unlinked(process: u32, work: &Path) -> u64 {
    let device = work.metadata().map(|work| work.dev()).ok();
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    let files = open.filter_map(|file| fs::metadata(file.path()).ok());
    let lost = files.filter(|file| file.is_file() && file.nlink() == 0);
    lost.filter(|file| Some(file.dev()) == device).map(|file| file.blocks() * 512).sum()
}

/// How many bytes a folder takes on the disk, counted no further than `enough`.
fn size_of(folder: &Path, enough: Option<u64>) -> io::Result<u64> {
    let mut total = 0;
    let mut waiting = vec![folder.to_owned()];
    let mut entries = 0;
    while let Some(folder) = waiting.pop() {
        // What goes while it is counted does not count.
        let Ok(found) = fs::read_dir(&folder) else { continue };
        for entry in found.flatten() {
            entries += 1;
            let Ok(metadata) = entry.metadata() else { continue };
            total += metadata.blocks() * 512;
            if metadata.is_dir() {
                waiting.push(entry.path());
            }
            if enough.is_some_and(|enough| total > enough) || entries > MAX_ENTRIES {
                return if entries > MAX_ENTRIES && enough.is_none() {
                    Err(io::Error::other("the workspace has too many files to be watched"))
                } else {
                    Ok(u64::MAX / 2)
                };
            }
        }
    }
    Ok(total)
}

fn is_full(folder: &Path) -> bool {
    statvfs(folder).is_ok_and(|disk| disk.f_bavail.saturating_mul(disk.f_frsize) < FLOOR)
}
