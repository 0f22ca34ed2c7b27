//! The search index of a session: opened when it is first needed, and brought up to date with the
//! disk before each query.
//!
//! One caller at a time holds it. Several processes may share the database; each sees the others'
//! changes before it queries.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;
use std::{io, thread};

use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::batch_reader::{BatchReader, read_batches};
use super::change_detector::{ChangeDetector, DetectionContext, IndexChanges};
use crate::search::SearchError;
use crate::search::embed::embedder::Embedder;
use crate::search::index::corpus::Corpus;
use crate::search::index::{CorpusId, IndexRecovery, SearchIndex, Sketches};
use crate::search::update::embedding_backlog::BacklogPass;
use mere_host::{Database, DatabaseLock};

/// From this number of files on, only one process at a time reads them.
const EXCLUSIVE_READ_MIN: usize = 256;
/// The pause before checking again whether another process has finished.
const PROCESS_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// The pause before checking again whether another caller has finished.
const CALLER_POLL_INTERVAL: Duration = Duration::from_micros(500);
/// How often the disk is compared for one query while other processes keep changing the index.
const MAX_UPDATE_ROUNDS: usize = 3;
/// How often an index is recovered for one query.
const MAX_RECOVERIES: usize = 3;
/// Up to this number of items, comparing the files takes almost no time.
const QUICK_SCAN_ITEMS: u64 = 2_000;
/// The most items that are merged while a caller waits.
const FOREGROUND_MERGE_ITEMS: usize = 1024;
/// The most items that are merged while nobody waits.
const BACKGROUND_MERGE_ITEMS: usize = 1_000_000;

/// The index of a session, for one caller at a time.
#[derive(Default)]
pub(crate) struct SessionIndex {
    live_index: Mutex<Option<LiveIndex>>,
    is_watching: AtomicBool,
    /// Whether the visibility of items has changed, so that everything must be scanned again.
    must_rescan: AtomicBool,
    /// The number of callers that wait for the lock.
    waiting_callers: AtomicUsize,
}

/// A search index together with what keeps it up to date.
pub(crate) struct LiveIndex {
    /// The database where the index should be.
    pub(super) preferred_database: Database,
    /// The database where the index is.
    pub(super) database: Database,
    pub(crate) index: SearchIndex,
    pub(crate) detector: ChangeDetector,
    pub(crate) sketches: Sketches,
    pub(super) backlog_pass: BacklogPass,
    /// The epoch of the index that the last scan was compared with.
    pub(super) checked_epoch: i64,
    /// Whether the disk was not compared for this query.
    pub(crate) is_outdated: bool,
}

/// The inputs of an update of the index.
pub(crate) struct UpdateContext<'a> {
    pub(crate) database: Database,
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    /// Whether an item may be known to anybody.
    pub(crate) is_visible: &'a dyn Fn(&ScopedPath) -> bool,
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
    /// Reports how many files are read, and of how many.
    pub(crate) progress: &'a dyn Fn(u64, u64),
}

/// How a caller treats an index that may not be up to date with the disk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StalePolicy {
    /// A stale answer is better than none.
    Accept,
    Refuse,
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

    /// Requires a full scan before the next query, because the visibility of items has changed.
    pub(crate) fn require_rescan(&self) {
        self.must_rescan.store(true, Ordering::Relaxed);
    }

    /// Merges small segments as long as nobody else wants the index. A failure is left for the next
    /// time.
    pub(crate) fn merge_while_idle(&self) {
        let is_wanted = || self.waiting_callers.load(Ordering::Relaxed) > 0;
        if let Some(mut open) = self.try_lock()
            && let Some(library) = open.as_mut()
            && let Err(error) = library.index.merge(BACKGROUND_MERGE_ITEMS, &is_wanted)
        {
            tracing::debug!(%error, "the segments of the search index could not be merged");
        }
    }

    /// Brings the index of these corpora up to date and passes it to `ask`. A damaged index is
    /// recreated; one that cannot be stored is made for this session alone.
    pub(crate) fn with_current_index<T>(
        &self,
        means: &UpdateContext<'_>,
        grounds: Vec<Corpus>,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut turn = self.wait_for_lock(means.is_cancelled)?;
        self.answer_with_recovery(&mut turn, means, grounds, ask)
    }

    /// Does the same as [`Self::with_current_index`] where that is little work, and returns none
    /// where another caller holds the index. `items` counts the files that would have to be
    /// compared: if they are very many, the index is queried as it is or, if the caller refuses a
    /// stale one, not at all.
    pub(crate) fn try_with_index<T>(
        &self,
        means: &UpdateContext<'_>,
        grounds: Vec<Corpus>,
        (items, outdated): (impl FnOnce() -> u64, StalePolicy),
        mut ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<T>, SearchError> {
        let Some(mut turn) = self.try_lock() else { return Ok(None) };
        let is_watched = self.is_long_lived() && turn.is_some();
        if is_watched || items() <= QUICK_SCAN_ITEMS {
            return self.answer_with_recovery(&mut turn, means, grounds, ask).map(Some);
        }
        if outdated == StalePolicy::Refuse || (turn.is_none() && !means.database.exists()) {
            return Ok(None);
        }
        let library = self.open_index(&mut turn, means, grounds)?;
        library.index.refresh()?;
        library.detector.assign_corpus_ids(&mut library.index)?;
        library.is_outdated = true;
        library.ask_in_transaction(means.embedder, &mut ask).map(Some)
    }

    fn answer_with_recovery<T>(
        &self,
        turn: &mut IndexGuard<'_>,
        means: &UpdateContext<'_>,
        grounds: Vec<Corpus>,
        mut ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        let mut answer = self.open_index(turn, means, grounds)?.update_and_ask(means, &mut ask);
        for _ in 0..MAX_RECOVERIES {
            let Err(SearchError::Database(error)) = &answer else { break };
            let Some(remedy) = IndexRecovery::for_error(error) else { break };
            let Some(library) = turn.take() else { break };
            tracing::warn!(%error, ?remedy, "the search index is being rebuilt");
            answer = turn
                .insert(library.recreate(remedy, self.is_long_lived())?)
                .update_and_ask(means, &mut ask);
        }
        answer
    }

    /// Returns the open index of these corpora.
    fn open_index<'a>(
        &self,
        turn: &'a mut IndexGuard<'_>,
        means: &UpdateContext<'_>,
        grounds: Vec<Corpus>,
    ) -> Result<&'a mut LiveIndex, SearchError> {
        let mut library = match turn.take() {
            Some(library) if library.preferred_database == means.database => library,
            _ => LiveIndex::open(&means.database)?,
        };
        if self.must_rescan.swap(false, Ordering::Relaxed) {
            library.detector.require_rescan();
        }
        if !library.detector.has_corpora(&grounds) {
            library.set_corpora(grounds, self.is_long_lived());
        }
        Ok(turn.insert(library))
    }

    /// Passes the index to `ask` without comparing the disk again; returns none if it is not open.
    pub(crate) fn with_open_index<T>(
        &self,
        embedder: &Embedder,
        ask: impl FnOnce(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<T>, SearchError> {
        let mut open = self.lock();
        let Some(library) = open.as_mut() else { return Ok(None) };
        library.index.refresh()?;
        library.ask_in_transaction(embedder, ask).map(Some)
    }

    /// Clears the index, which is built anew by the next query. Other processes may be using it.
    pub(crate) fn clear(&self, database: &Database) -> Result<(), SearchError> {
        let mut known = self.lock();
        *known = None;
        let cleared = SearchIndex::open(database).and_then(|mut index| Ok(index.clear()?));
        match cleared {
            Err(SearchError::Database(error))
                if IndexRecovery::for_error(&error) == Some(IndexRecovery::Recreate) =>
            {
                Ok(database.remove()?)
            }
            cleared => cleared,
        }
    }

    pub(crate) fn lock(&self) -> IndexGuard<'_> {
        self.waiting_callers.fetch_add(1, Ordering::Relaxed);
        let turn = self.live_index.lock().unwrap_or_else(PoisonError::into_inner);
        self.waiting_callers.fetch_sub(1, Ordering::Relaxed);
        turn
    }

    fn try_lock(&self) -> Option<IndexGuard<'_>> {
        match self.live_index.try_lock() {
            Ok(turn) => Some(turn),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// Waits for the lock as long as the caller waits for the answer.
    fn wait_for_lock(&self, over: &dyn Fn() -> bool) -> Result<IndexGuard<'_>, SearchError> {
        self.waiting_callers.fetch_add(1, Ordering::Relaxed);
        let turn = loop {
            if let Some(turn) = self.try_lock() {
                break Ok(turn);
            }
            if over() {
                break Err(SearchError::Cancelled);
            }
            thread::sleep(CALLER_POLL_INTERVAL);
        };
        self.waiting_callers.fetch_sub(1, Ordering::Relaxed);
        turn
    }
}

impl LiveIndex {
    /// Brings the index up to date and queries it within one read transaction.
    fn update_and_ask<T>(
        &mut self,
        means: &UpdateContext<'_>,
        ask: &mut impl FnMut(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.is_outdated = match self.update(means) {
            Err(SearchError::Database(error)) if is_busy(&error) => {
                tracing::warn!(
                    "another process is changing the search index; it is queried as it is"
                );
                true
            }
            updated => updated.map(|()| false)?,
        };
        self.ask_in_transaction(means.embedder, ask)
    }

    /// Queries the index within one read transaction, so that everything is read as of one moment.
    fn ask_in_transaction<T>(
        &mut self,
        embedder: &Embedder,
        ask: impl FnOnce(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.index.begin_read()?;
        let answer = self.refresh_sketches(embedder).and_then(|()| ask(self));
        self.index.end_read()?;
        answer
    }

    fn refresh_sketches(&mut self, embedder: &Embedder) -> Result<(), SearchError> {
        if let Some(model) = embedder.model() {
            let model = self.index.with_known_dimensions(model)?;
            self.index.update_sketches(&model, &mut self.sketches)?;
        }
        Ok(())
    }

    /// Brings the index up to date with the disk.
    fn update(&mut self, means: &UpdateContext<'_>) -> Result<(), SearchError> {
        for _ in 0..MAX_UPDATE_ROUNDS {
            self.refresh()?;
            self.detector.assign_corpus_ids(&mut self.index)?;
            let mut changes = self.detect_changes(means)?;
            let _lock = if changes.to_read.len() >= EXCLUSIVE_READ_MIN {
                let (lock, waited) = self.wait_for_process_lock(means)?;
                if waited {
                    self.refresh()?;
                    self.detector.require_rescan();
                    changes = self.detect_changes(means)?;
                }
                Some(lock)
            } else {
                None
            };
            let is_whole = self.apply_changes(&changes, means)?;
            if !changes.to_read.is_empty() {
                while self.index.merge(FOREGROUND_MERGE_ITEMS, means.is_cancelled)? {}
            }
            if is_whole && self.index.epoch == self.checked_epoch {
                self.detector.mark_scanned();
                break;
            }
        }
        Ok(())
    }

    /// Loads what other processes have changed. If one of them cleared the index, everything must
    /// be scanned again.
    fn refresh(&mut self) -> Result<(), SearchError> {
        self.index.refresh()?;
        if self.index.epoch != self.checked_epoch {
            self.checked_epoch = self.index.epoch;
            self.detector.require_rescan();
        }
        Ok(())
    }

    fn detect_changes(&mut self, means: &UpdateContext<'_>) -> Result<IndexChanges, SearchError> {
        let against = DetectionContext { index: &self.index, is_visible: means.is_visible };
        self.detector.detect(&against)
    }

    /// Waits until no other process reads many files into this index. Returns the lock and whether
    /// it had to wait.
    fn wait_for_process_lock(
        &self,
        means: &UpdateContext<'_>,
    ) -> Result<(DatabaseLock, bool), SearchError> {
        let mut waited = false;
        loop {
            if let Some(lock) = self.database.try_lock()? {
                return Ok((lock, waited));
            }
            if (means.is_cancelled)() {
                return Err(SearchError::Cancelled);
            }
            waited = true;
            thread::sleep(PROCESS_POLL_INTERVAL);
        }
    }

    /// Applies the changes to the index. Returns false if another process was faster for some item,
    /// so that the disk must be compared again.
    fn apply_changes(
        &mut self,
        changes: &IndexChanges,
        means: &UpdateContext<'_>,
    ) -> Result<bool, SearchError> {
        let Self { index, detector: feed, .. } = self;
        index.remove(&changes.removed)?;
        let mut is_whole = true;
        if changes.to_read.is_empty() {
            return Ok(is_whole);
        }
        let model = means.embedder.immediate_model();
        let reader = BatchReader {
            detector: feed,
            gate: means.gate,
            embedder: means.embedder,
            is_cancelled: means.is_cancelled,
            progress: means.progress,
        };
        read_batches(&reader, &changes.to_read, |batch| {
            is_whole &= index.add(batch, model.as_ref())?;
            Ok(())
        })?;
        Ok(is_whole)
    }
}

impl LiveIndex {
    /// Returns where an item lies; none if its corpus does not belong to this session.
    pub(crate) fn locate(&self, item: u32) -> Result<Option<ScopedPath>, SearchError> {
        let at = self.index.item_path(item)?;
        Ok(at.and_then(|(ground, path)| self.item_at(ground, &path)))
    }

    /// Returns the item at a path of a corpus.
    pub(crate) fn item_at(&self, ground: CorpusId, path: &str) -> Option<ScopedPath> {
        let ground = self.detector.corpus_ids.iter().position(|number| *number == ground)?;
        self.detector.corpora[ground].item_at(path).map(|(_, place)| place)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}

impl From<io::Error> for SearchError {
    fn from(error: io::Error) -> Self {
        match error.downcast::<rusqlite::Error>() {
            Ok(error) => Self::Database(error),
            Err(error) => Self::Io(error),
        }
    }
}
