//! What the watches of a session may not have told since the last full scan.
//!
//! A search of the session itself is content with what the system reports. A session that vouches
//! for the index to others must know that nothing was left out, so anything that is known to change
//! files without a report is recorded here, and stays until everything is scanned again.

use std::io;
use std::time::Instant;

use crate::search::index::corpus::Corpus;
use mere_host::{MountPoints, MountTable, WatchReport, now_nanoseconds};

/// How far the clock may have been set since the last full scan, in nanoseconds.
const MAX_CLOCK_STEP: i64 = 1_000_000_000;

/// Why a change may have been missed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WatchGap {
    /// No full scan is complete.
    NotScanned,
    /// The system does not report all changes of these folders.
    NotReported,
    /// A folder could not be watched before it was read.
    Unwatched,
    /// A file has several names, and may be changed under one that is not watched.
    SharedFile,
    /// A folder is reached by two paths, and its changes are reported under one of them.
    SharedFolder,
    /// Something is mounted below a folder of items, or was.
    Mounted,
    /// The clock was set, or the machine slept.
    ClockSet,
}

/// The gaps since the last full scan.
#[derive(Default)]
pub(super) struct WatchGaps {
    first: Option<WatchGap>,
    has_shared_folder: bool,
    /// The two clocks at the last full scan.
    scanned_at: Option<(Instant, i64)>,
    /// Says whether mounts must be looked for again.
    mounts: Option<MountTable>,
}

impl WatchGaps {
    /// Begins anew, before everything is scanned.
    pub(super) fn at_full_scan(corpora: &[Corpus]) -> Self {
        let scanned_at = Some((Instant::now(), now_nanoseconds()));
        // It is opened before the mounts are looked for, so that no change is missed in between.
        let mounts = MountTable::open().ok();
        let mut gaps = Self { scanned_at, mounts, ..Self::default() };
        gaps.find_mounts(corpora);
        gaps
    }

    pub(super) fn add(&mut self, gap: WatchGap) {
        self.first.get_or_insert(gap);
        self.has_shared_folder |= gap == WatchGap::SharedFolder;
    }

    /// Returns whether changes are missed even by the session itself.
    pub(super) fn has_shared_folder(&self) -> bool {
        self.has_shared_folder
    }

    /// Looks for mounts among the items again, unless there can be no new one: nothing was mounted,
    /// and no folder was moved together with what is mounted below it.
    pub(super) fn recheck_mounts(&mut self, corpora: &[Corpus], report: &WatchReport) {
        let has_changed = self.mounts.as_ref().is_none_or(MountTable::has_changed);
        if has_changed || !matches!(report, WatchReport::Unchanged) {
            self.find_mounts(corpora);
        }
    }

    /// Records whether anything is mounted among the items now.
    fn find_mounts(&mut self, corpora: &[Corpus]) {
        if has_mounts(corpora).unwrap_or(true) {
            self.add(WatchGap::Mounted);
        }
    }

    /// Returns the first gap.
    pub(super) fn find(&self) -> Option<WatchGap> {
        let is_steady = self.scanned_at.is_some_and(|(instant, clock)| {
            let passed = i64::try_from(instant.elapsed().as_nanos()).unwrap_or(i64::MAX);
            let shown = now_nanoseconds().saturating_sub(clock);
            shown.saturating_sub(passed).saturating_abs() <= MAX_CLOCK_STEP
        });
        self.first.or((!is_steady).then_some(WatchGap::ClockSet))
    }
}

/// Checks whether anything is mounted among the items.
fn has_mounts(corpora: &[Corpus]) -> io::Result<bool> {
    let points = MountPoints::read()?;
    for tree in corpora.iter().flat_map(|corpus| &corpus.trees) {
        if points.has_any_below(tree.dir(), &tree.path_from_handle(""))? {
            return Ok(true);
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_stays_and_a_clock_that_was_set_is_one() {
        let mut gaps = WatchGaps::at_full_scan(&[]);
        assert_eq!(gaps.find(), None);
        gaps.scanned_at = gaps.scanned_at.map(|(instant, clock)| (instant, clock - 2_000_000_000));
        assert_eq!(gaps.find(), Some(WatchGap::ClockSet));
        gaps.add(WatchGap::SharedFile);
        gaps.add(WatchGap::Unwatched);
        assert_eq!(gaps.find(), Some(WatchGap::SharedFile));
        assert_eq!(WatchGaps::default().find(), Some(WatchGap::ClockSet), "never scanned");
    }
}
