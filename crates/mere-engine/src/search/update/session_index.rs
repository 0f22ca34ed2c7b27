//! The search index of a session, behind a lock: one caller at a time holds it.
//!
//! It is opened when it is first needed and brought up to date before each query. An index that
//! turns out to be damaged is made again, and the query is repeated.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use super::change_detector::WatchMode;
use super::coverage::{Coverage, IndexAnswer};
use super::live_index::{LiveIndex, UpdateContext};
use super::vouching::VouchOutcome;
use crate::search::error::SearchError;
use crate::search::index::corpus::Corpus;
use crate::search::index::{IndexRecovery, SearchIndex};
use mere_host::{Database, reset_poisoned};

/// The pause before checking again whether another caller has finished.
const CALLER_POLL_INTERVAL: Duration = Duration::from_micros(500);
/// How long a question of another process waits for other callers.
const MAX_QUESTION_WAIT: Duration = Duration::from_millis(30);
/// How often an index is recovered for one query.
const MAX_RECOVERIES: usize = 3;
/// Up to this number of items, comparing the files takes almost no time.
const QUICK_SCAN_ITEMS: u64 = 2_000;
/// The most items that are merged while nobody waits.
const BACKGROUND_MERGE_ITEMS: usize = 1_000_000;

/// The index of a session, for one caller at a time.
#[derive(Default)]
pub(crate) struct SessionIndex {
    live_index: Mutex<Option<LiveIndex>>,
    is_watching: AtomicBool,
    /// The number of callers that wait for the lock.
    waiting_callers: AtomicUsize,
}

/// Which index is meant: where it is stored, and what it covers.
pub(crate) struct IndexTarget {
    pub(crate) database: Database,
    pub(crate) corpora: Vec<Corpus>,
}

/// How a caller treats an index that may not be up to date with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StalePolicy {
    /// A stale answer is better than none.
    Accept,
    Refuse,
}

/// A query of a caller who does not wait for much work.
pub(crate) struct QuickQuery<'a> {
    /// Returns about how many files would have to be compared.
    pub(crate) estimate_count: &'a dyn Fn() -> u64,
    pub(crate) stale_policy: StalePolicy,
}

/// The lock on the index, held by one caller.
type IndexGuard<'a> = MutexGuard<'a, Option<LiveIndex>>;

impl SessionIndex {
    /// Starts asking the operating system for changes. The session calls this when it will last.
    pub(crate) fn start_watching(&self) {
        self.is_watching.store(true, Ordering::Relaxed);
    }

    /// Returns whether the session lasts, so that work which can wait is put off.
    pub(crate) fn is_long_lived(&self) -> bool {
        self.is_watching.load(Ordering::Relaxed)
    }

    fn watch_mode(&self) -> WatchMode {
        if self.is_long_lived() { WatchMode::Watch } else { WatchMode::ScanOnly }
    }

    /// Merges small segments as long as nobody else wants the index. A failure is left for the next
    /// time.
    pub(crate) fn merge_while_idle(&self) {
        let is_wanted = || self.waiting_callers.load(Ordering::Relaxed) > 0;
        if let Some(mut guard) = self.try_lock()
            && let Some(live_index) = guard.as_mut()
            && let Err(error) = live_index.index.merge(BACKGROUND_MERGE_ITEMS, &is_wanted)
        {
            tracing::debug!(%error, "the segments of the search index could not be merged");
        }
    }

    /// Brings an index up to date and passes it to `ask`. A damaged index is recreated; one that
    /// cannot be stored is made for this session alone.
    pub(crate) fn with_current_index<T>(
        &self,
        target: IndexTarget,
        update: &UpdateContext<'_>,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<IndexAnswer<T>, SearchError> {
        let mut guard = self.wait_for_lock(update.signals.is_cancelled)?;
        self.answer_with_recovery(&mut guard, target, update, ask)
    }

    /// Does the same as [`Self::with_current_index`] where that is little work, and returns none
    /// where another caller holds the index. If very many files would have to be compared, the index
    /// is queried as it is or, if the caller refuses a stale one, not at all.
    pub(crate) fn try_with_index<T>(
        &self,
        target: IndexTarget,
        update: &UpdateContext<'_>,
        quick_query: &QuickQuery<'_>,
        mut ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<IndexAnswer<T>>, SearchError> {
        let Some(mut guard) = self.try_lock() else { return Ok(None) };
        let is_watched = self.is_long_lived() && guard.is_some();
        if is_watched || (quick_query.estimate_count)() <= QUICK_SCAN_ITEMS {
            return self.answer_with_recovery(&mut guard, target, update, ask).map(Some);
        }
        if quick_query.stale_policy == StalePolicy::Refuse
            || (guard.is_none() && !target.database.exists())
        {
            return Ok(None);
        }
        let live_index = self.open_index(&mut guard, target)?;
        live_index.reload_unchecked()?;
        live_index.ask_if_covered(&mut ask)
    }

    /// Passes the index to `ask` without comparing the disk again; returns none if it is not open,
    /// or has lost items since it was compared.
    pub(crate) fn with_open_index<T>(
        &self,
        ask: impl FnOnce(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<IndexAnswer<T>>, SearchError> {
        let mut guard = self.lock();
        let Some(live_index) = guard.as_mut() else { return Ok(None) };
        live_index.index.refresh()?;
        live_index.ask_if_covered(ask)
    }

    /// Answers another process, unless other callers use the index for too long.
    pub(super) fn vouch(
        &self,
        target: IndexTarget,
        update: &UpdateContext<'_>,
        subject: &[u8; 32],
    ) -> Result<VouchOutcome, SearchError> {
        let began = Instant::now();
        let mut guard = self.wait_for_lock(&|| began.elapsed() > MAX_QUESTION_WAIT)?;
        if guard.as_ref().is_some_and(|live_index| !live_index.has_its_file()) {
            *guard = None;
        }
        self.open_index(&mut guard, target)?.vouch(subject, update)
    }

    /// Compares everything with the index, and returns whether this process can vouch for it now.
    pub(super) fn prepare_to_vouch(
        &self,
        target: IndexTarget,
        update: &UpdateContext<'_>,
    ) -> Result<bool, SearchError> {
        let mut guard = self.wait_for_lock(update.signals.is_cancelled)?;
        let can_vouch = |live_index: &mut LiveIndex| live_index.can_vouch(&update.rules);
        if let Some(live_index) = guard.as_mut() {
            live_index.detector.require_rescan();
        }
        let answer = self.answer_with_recovery(&mut guard, target, update, can_vouch)?;
        Ok(answer.value && answer.coverage == Coverage::Complete)
    }

    /// Returns whether another process vouched for the index since this one last compared
    /// everything itself.
    pub(crate) fn relies_on_others(&self) -> bool {
        self.try_lock().is_some_and(|guard| guard.as_ref().is_some_and(|one| one.relies_on_others))
    }

    /// Clears the index, which is built anew by the next query. Other processes may be using it.
    pub(crate) fn clear(&self, database: &Database) -> Result<(), SearchError> {
        let mut guard = self.lock();
        *guard = None;
        let result = SearchIndex::open(database).and_then(|mut index| Ok(index.clear()?));
        match result {
            Err(SearchError::Database(error))
                if IndexRecovery::for_error(&error) == Some(IndexRecovery::Recreate) =>
            {
                Ok(database.remove()?)
            }
            result => result,
        }
    }

    fn answer_with_recovery<T>(
        &self,
        guard: &mut IndexGuard<'_>,
        target: IndexTarget,
        update: &UpdateContext<'_>,
        mut ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<IndexAnswer<T>, SearchError> {
        let mut answer = self.open_index(guard, target)?.update_and_ask(update, &mut ask);
        for _ in 0..MAX_RECOVERIES {
            let Err(SearchError::Database(error)) = &answer else { break };
            let Some(remedy) = IndexRecovery::for_error(error) else { break };
            let Some(live_index) = guard.take() else { break };
            tracing::warn!(%error, ?remedy, "the search index is being rebuilt");
            let recreated = live_index.recreate(remedy, self.watch_mode())?;
            answer = guard.insert(recreated).update_and_ask(update, &mut ask);
        }
        answer
    }

    /// Returns the open index of these corpora.
    fn open_index<'a>(
        &self,
        guard: &'a mut IndexGuard<'_>,
        target: IndexTarget,
    ) -> Result<&'a mut LiveIndex, SearchError> {
        let IndexTarget { database, corpora } = target;
        let mut live_index = match guard.take() {
            Some(live_index) if live_index.preferred_database == database => live_index,
            _ => LiveIndex::open(&database)?,
        };
        if !live_index.detector.has_corpora(&corpora) {
            live_index.set_corpora(corpora, self.watch_mode());
        }
        Ok(guard.insert(live_index))
    }

    /// Locks the index. One that a call was using when it panicked, perhaps in the middle of a
    /// transaction, is opened again.
    pub(crate) fn lock(&self) -> IndexGuard<'_> {
        self.waiting_callers.fetch_add(1, Ordering::Relaxed);
        let guard = self.live_index.lock();
        let guard = guard.unwrap_or_else(|poisoned| reset_poisoned(&self.live_index, poisoned));
        self.waiting_callers.fetch_sub(1, Ordering::Relaxed);
        guard
    }

    fn try_lock(&self) -> Option<IndexGuard<'_>> {
        match self.live_index.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => {
                Some(reset_poisoned(&self.live_index, poisoned))
            }
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for the lock as long as the caller waits for the answer.
    fn wait_for_lock(
        &self,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<IndexGuard<'_>, SearchError> {
        self.waiting_callers.fetch_add(1, Ordering::Relaxed);
        let guard = loop {
            if let Some(guard) = self.try_lock() {
                break Ok(guard);
            }
            if is_cancelled() {
                break Err(SearchError::Cancelled);
            }
            thread::sleep(CALLER_POLL_INTERVAL);
        };
        self.waiting_callers.fetch_sub(1, Ordering::Relaxed);
        guard
    }
}
