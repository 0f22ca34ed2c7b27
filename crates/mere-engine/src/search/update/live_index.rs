//! A search index together with what keeps it up to date with the disk.
//!
//! Several processes may share the database; each sees the others' changes before it queries. A
//! query is read as of one moment.

use std::thread;
use std::time::Duration;

use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::batch_reader::{BatchReader, read_batches};
use super::change_detector::{ChangeDetector, DetectionContext, IndexChanges};
use super::embedding_backlog::BacklogPass;
use crate::search::call_signals::CallSignals;
use crate::search::embed::embedder::Embedder;
use crate::search::error::SearchError;
use crate::search::index::{CorpusId, SearchIndex, Sketches};
use mere_host::{Database, DatabaseLock};

/// From this number of files on, only one process at a time reads them.
const EXCLUSIVE_READ_MIN: usize = 256;
/// The pause before checking again whether another process has finished.
const PROCESS_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How often the disk is compared for one query while other processes keep changing the index.
const MAX_UPDATE_ROUNDS: usize = 3;
/// The most items that are merged while a caller waits.
const FOREGROUND_MERGE_ITEMS: usize = 1024;

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
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    /// Whether an item may be known to anybody.
    pub(crate) is_visible: &'a dyn Fn(&ScopedPath) -> bool,
    pub(crate) signals: CallSignals<'a>,
}

impl LiveIndex {
    /// Brings the index up to date and queries it within one read transaction.
    pub(super) fn update_and_ask<T>(
        &mut self,
        context: &UpdateContext<'_>,
        ask: &mut impl FnMut(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.is_outdated = match self.update(context) {
            Err(SearchError::Database(error)) if is_busy(&error) => {
                tracing::warn!(
                    "another process is changing the search index; it is queried as it is"
                );
                true
            }
            updated => updated.map(|()| false)?,
        };
        self.ask_in_transaction(context.embedder, ask)
    }

    /// Queries the index within one read transaction, so that everything is read as of one moment.
    pub(super) fn ask_in_transaction<T>(
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

    /// Loads what other processes have changed without comparing the disk, so that the index may be
    /// outdated.
    pub(super) fn reload_unchecked(&mut self) -> Result<(), SearchError> {
        self.index.refresh()?;
        self.detector.assign_corpus_ids(&mut self.index)?;
        self.is_outdated = true;
        Ok(())
    }

    /// Brings the index up to date with the disk.
    fn update(&mut self, context: &UpdateContext<'_>) -> Result<(), SearchError> {
        for _ in 0..MAX_UPDATE_ROUNDS {
            self.refresh()?;
            self.detector.assign_corpus_ids(&mut self.index)?;
            let mut changes = self.detect_changes(context)?;
            let _lock = if changes.to_read.len() >= EXCLUSIVE_READ_MIN {
                let (lock, waited) = self.wait_for_process_lock(context)?;
                if waited {
                    self.refresh()?;
                    self.detector.require_rescan();
                    changes = self.detect_changes(context)?;
                }
                Some(lock)
            } else {
                None
            };
            let is_whole = self.apply_changes(&changes, context)?;
            if !changes.to_read.is_empty() {
                while self.index.merge(FOREGROUND_MERGE_ITEMS, context.signals.is_cancelled)? {}
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

    fn detect_changes(&mut self, context: &UpdateContext<'_>) -> Result<IndexChanges, SearchError> {
        let against = DetectionContext { index: &self.index, is_visible: context.is_visible };
        self.detector.detect(&against)
    }

    /// Waits until no other process reads many files into this index. Returns the lock and whether
    /// it had to wait.
    fn wait_for_process_lock(
        &self,
        context: &UpdateContext<'_>,
    ) -> Result<(DatabaseLock, bool), SearchError> {
        let mut waited = false;
        loop {
            if let Some(lock) = self.database.try_lock()? {
                return Ok((lock, waited));
            }
            if (context.signals.is_cancelled)() {
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
        context: &UpdateContext<'_>,
    ) -> Result<bool, SearchError> {
        let Self { index, detector, .. } = self;
        index.remove(&changes.removed)?;
        let mut is_whole = true;
        if changes.to_read.is_empty() {
            return Ok(is_whole);
        }
        let model = context.embedder.immediate_model();
        let reader = BatchReader {
            detector,
            gate: context.gate,
            embedder: context.embedder,
            signals: context.signals,
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
        Ok(at.and_then(|(corpus, path)| self.item_at(corpus, &path)))
    }

    /// Returns the item at a path of a corpus.
    pub(crate) fn item_at(&self, corpus: CorpusId, path: &str) -> Option<ScopedPath> {
        let corpus = self.detector.corpus_ids.iter().position(|number| *number == corpus)?;
        self.detector.corpora[corpus].item_at(path).map(|(_, place)| place)
    }
}

fn is_busy(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy)
}
