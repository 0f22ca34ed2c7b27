//! A search index together with what keeps it up to date with the disk.
//!
//! Several processes may share the database; each sees the others' changes before it queries. A
//! query is read as of one moment, and its answer says whether the index covered all items then.

use std::thread;
use std::time::{Duration, Instant};

use mere_core::digest::Sha256;
use mere_core::gate::Gate;
use mere_core::item::ScopedPath;

use super::batch_reader::{BatchReader, UnreadFiles, read_batches};
use super::change_detector::{ChangeDetector, DetectionContext, IndexChanges};
use super::coverage::{Coverage, IndexAnswer, IndexGap};
use super::embedding_backlog::BacklogPass;
use crate::search::call_signals::CallSignals;
use crate::search::embed::embedder::Embedder;
use crate::search::error::SearchError;
use crate::search::index::{CorpusId, IndexSnapshot, SearchIndex, Sketches};
use mere_host::{Database, DatabaseLock};

/// From this number of files on, only one process at a time reads them.
const EXCLUSIVE_READ_MIN: usize = 256;
/// The pause before checking again whether another process has finished.
const PROCESS_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long a query waits for another process that reads many files.
const MAX_PROCESS_WAIT: Duration = Duration::from_secs(15);
/// How long files are read for one query. The others are left for the next one.
const MAX_READ_TIME: Duration = Duration::from_secs(40);
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
    /// The rules by which everything was compared last.
    pub(super) scanned_rules: Option<Sha256>,
    /// The epoch of the index that the last scan was compared with.
    pub(super) checked_epoch: i64,
    /// The state of the index when it was last seen to cover all items.
    pub(super) checked: IndexSnapshot,
    /// What the index covers, as far as the current query knows.
    pub(crate) coverage: Coverage,
    /// The database file that was opened, by device and inode.
    pub(super) file_identity: Option<(u64, u64)>,
    /// The only generation that the current query may use, because another process vouched for it
    /// alone.
    pub(super) vouched_generation: Option<i64>,
    /// Whether another process vouched since this one last compared everything itself.
    pub(super) relies_on_others: bool,
}

/// The inputs of an update of the index.
#[derive(Clone, Copy)]
pub(crate) struct UpdateContext<'a> {
    pub(crate) gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    /// Whether an item may be known to anybody.
    pub(crate) is_visible: &'a (dyn Fn(&ScopedPath) -> bool + Sync),
    pub(crate) signals: CallSignals<'a>,
    pub(crate) patience: Patience,
    /// A digest of the configuration, and of the rules that say which items are indexed.
    pub(crate) rules: Sha256,
    pub(crate) other_processes: OtherProcesses,
}

/// Whether other processes are asked to vouch for the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherProcesses {
    Ask,
    Ignore,
}

/// How long an update may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Patience {
    /// Until the caller would rather have an incomplete answer.
    Limited,
    /// Until everything is indexed.
    Unlimited,
}

impl Patience {
    /// Returns the end of a time that begins now.
    fn end_of(self, time: Duration) -> Option<Instant> {
        (self == Self::Limited).then(|| Instant::now() + time)
    }
}

impl LiveIndex {
    /// Brings the index up to date and queries it within one read transaction. If the index lost
    /// items in between, because another process cleared it, it is brought up to date again.
    pub(super) fn update_and_ask<T>(
        &mut self,
        context: &UpdateContext<'_>,
        ask: &mut impl FnMut(&mut Self) -> Result<T, SearchError>,
    ) -> Result<IndexAnswer<T>, SearchError> {
        let mut context = *context;
        for _ in 0..MAX_UPDATE_ROUNDS {
            self.coverage = match self.update(&context) {
                Err(SearchError::Database(error)) if is_busy(&error) => {
                    tracing::warn!(
                        "another process is changing the search index; it is queried as it is"
                    );
                    Coverage::Partial(IndexGap::Contended)
                }
                updated => updated?,
            };
            if let Some(answer) = self.ask_if_covered(&mut *ask)? {
                return Ok(answer);
            }
            // Whoever vouched may change the index again and again, so nobody is asked twice.
            context.other_processes = OtherProcesses::Ignore;
        }
        self.coverage = Coverage::Partial(IndexGap::Contended);
        let value = self.ask_in_transaction(ask)?;
        Ok(IndexAnswer { value, coverage: self.coverage })
    }

    /// Queries the index within one read transaction, unless it was said to be complete and has
    /// lost items since.
    pub(super) fn ask_if_covered<T>(
        &mut self,
        ask: impl FnOnce(&mut Self) -> Result<T, SearchError>,
    ) -> Result<Option<IndexAnswer<T>>, SearchError> {
        let vouched = self.vouched_generation.take();
        let answer = self.ask_in_transaction(|live_index| {
            if vouched.is_some_and(|generation| generation != live_index.index.generation()) {
                return Ok(None);
            }
            let was_complete = live_index.coverage == Coverage::Complete;
            if was_complete && !live_index.index.still_covers(&live_index.checked) {
                return Ok(None);
            }
            ask(live_index).map(Some)
        })?;
        Ok(answer.map(|value| IndexAnswer { value, coverage: self.coverage }))
    }

    /// Queries the index within one read transaction, so that everything is read as of one moment.
    pub(super) fn ask_in_transaction<T>(
        &mut self,
        ask: impl FnOnce(&mut Self) -> Result<T, SearchError>,
    ) -> Result<T, SearchError> {
        self.index.begin_read()?;
        let answer = ask(self);
        self.index.end_read()?;
        answer
    }

    /// Loads the sketches of the vectors that were stored since. Only a query by meaning needs them.
    pub(crate) fn refresh_sketches(&mut self, embedder: &Embedder) -> Result<(), SearchError> {
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
        self.coverage = Coverage::Partial(IndexGap::Unchecked);
        Ok(())
    }

    /// Brings the index up to date with the disk, and returns what it covers then.
    pub(super) fn update(&mut self, context: &UpdateContext<'_>) -> Result<Coverage, SearchError> {
        self.vouched_generation = None;
        // Other rules make other items visible, without a change of their files.
        if self.scanned_rules.is_some_and(|scanned| scanned != context.rules) {
            self.detector.require_rescan();
        }
        let mut may_ask = context.other_processes == OtherProcesses::Ask;
        for _ in 0..MAX_UPDATE_ROUNDS {
            self.refresh()?;
            self.detector.assign_corpus_ids(&mut self.index)?;
            if self.detector.must_rescan() {
                if std::mem::take(&mut may_ask) && self.is_vouched_for(context)? {
                    self.checked = self.index.snapshot();
                    return Ok(Coverage::Complete);
                }
                self.relies_on_others = false;
                self.index.accept_generation();
            }
            let mut changes = self.detect_changes(context)?;
            let _lock = if changes.to_read.len() >= EXCLUSIVE_READ_MIN {
                let Some((lock, waited)) = self.wait_for_process_lock(context)? else {
                    let pending = changes.to_read.len() as u64;
                    return Ok(Coverage::Partial(IndexGap::Unfinished(pending)));
                };
                if waited {
                    self.refresh()?;
                    self.detector.require_rescan();
                    self.index.accept_generation();
                    changes = self.detect_changes(context)?;
                }
                Some(lock)
            } else {
                None
            };
            let applied = self.apply_changes(&changes, context)?;
            if !changes.to_read.is_empty() {
                while self.index.merge(FOREGROUND_MERGE_ITEMS, context.signals.is_cancelled)? {}
            }
            if applied.unread.pending > 0 {
                return Ok(Coverage::Partial(IndexGap::Unfinished(applied.unread.pending)));
            }
            if applied.is_whole && self.index.epoch == self.checked_epoch {
                self.checked = self.index.snapshot();
                let unreadable = changes.unreadable + applied.unread.unreadable;
                if unreadable > 0 {
                    // A permission may change without a report, so everything is compared again.
                    return Ok(Coverage::Partial(IndexGap::Unreadable(unreadable)));
                }
                self.detector.mark_scanned();
                self.scanned_rules = Some(context.rules);
                return Ok(Coverage::Complete);
            }
        }
        Ok(Coverage::Partial(IndexGap::Contended))
    }

    /// Loads what other processes have changed. If one of them cleared the index, everything must
    /// be scanned again.
    pub(super) fn refresh(&mut self) -> Result<(), SearchError> {
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
    /// it had to wait, or none if that takes longer than the caller's patience.
    fn wait_for_process_lock(
        &self,
        context: &UpdateContext<'_>,
    ) -> Result<Option<(DatabaseLock, bool)>, SearchError> {
        let wait_until = context.patience.end_of(MAX_PROCESS_WAIT);
        let mut waited = false;
        loop {
            if let Some(lock) = self.database.try_lock()? {
                return Ok(Some((lock, waited)));
            }
            if (context.signals.is_cancelled)() {
                return Err(SearchError::Cancelled);
            }
            if wait_until.is_some_and(|end| Instant::now() >= end) {
                return Ok(None);
            }
            waited = true;
            thread::sleep(PROCESS_POLL_INTERVAL);
        }
    }

    /// Applies the changes to the index.
    fn apply_changes(
        &mut self,
        changes: &IndexChanges,
        context: &UpdateContext<'_>,
    ) -> Result<AppliedChanges, SearchError> {
        let Self { index, detector, .. } = self;
        index.remove(&changes.removed)?;
        let mut is_whole = true;
        if changes.to_read.is_empty() {
            return Ok(AppliedChanges { is_whole, unread: UnreadFiles::default() });
        }
        let model = context.embedder.immediate_model();
        let reader = BatchReader {
            detector,
            gate: context.gate,
            embedder: context.embedder,
            signals: context.signals,
            read_until: context.patience.end_of(MAX_READ_TIME),
        };
        let unread = read_batches(&reader, &changes.to_read, |batch| {
            is_whole &= index.add(batch, model.as_ref())?;
            Ok(())
        })?;
        Ok(AppliedChanges { is_whole, unread })
    }
}

/// How far changes were applied.
struct AppliedChanges {
    /// False if another process was faster for some item, so that the disk must be compared again.
    is_whole: bool,
    unread: UnreadFiles,
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
