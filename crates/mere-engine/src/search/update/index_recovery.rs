//! Opening an index, and recovering from one that cannot be used.
//!
//! Everything in an index can be built again from the files, so a damaged one is replaced by an
//! empty one, and one that cannot be stored is made for this session alone.

use super::change_detector::{ChangeDetector, WatchMode};
use super::coverage::{Coverage, IndexGap};
use super::embedding_backlog::BacklogPass;
use super::live_index::LiveIndex;
use crate::search::error::SearchError;
use crate::search::index::corpus::Corpus;
use crate::search::index::{IndexRecovery, SearchIndex};
use mere_host::Database;

impl LiveIndex {
    pub(super) fn open(requested: &Database) -> Result<Self, SearchError> {
        match SearchIndex::open(requested) {
            Ok(index) => Ok(Self::new((requested.clone(), requested.clone()), index)),
            Err(SearchError::Database(error)) => match IndexRecovery::for_error(&error) {
                Some(remedy) => Self::recover((requested, requested), remedy),
                None => Err(error.into()),
            },
            Err(SearchError::Io(error)) => {
                tracing::debug!(%error, "the search index cannot be opened");
                Self::recover((requested, requested), IndexRecovery::Relocate)
            }
            Err(error) => Err(error),
        }
    }

    fn new((preferred_database, database): (Database, Database), index: SearchIndex) -> Self {
        let (sketches, backlog_pass) = Default::default();
        let detector = ChangeDetector::new(Vec::new(), WatchMode::ScanOnly);
        let (checked_epoch, checked) = (index.epoch, index.snapshot());
        let file_identity = database.file_identity();
        Self {
            preferred_database,
            database,
            index,
            detector,
            sketches,
            backlog_pass,
            scanned_rules: None,
            checked_epoch,
            checked,
            coverage: Coverage::Partial(IndexGap::Unchecked),
            file_identity,
            vouched_generation: None,
            relies_on_others: false,
        }
    }

    /// Opens an empty index in place of one that cannot be used.
    fn recover(
        (requested, database): (&Database, &Database),
        remedy: IndexRecovery,
    ) -> Result<Self, SearchError> {
        let recreate = || {
            database.remove()?;
            SearchIndex::open(database)
        };
        if remedy == IndexRecovery::Recreate
            && let Ok(index) = recreate()
        {
            return Ok(Self::new((requested.clone(), database.clone()), index));
        }
        let database = database.fallback();
        let index = SearchIndex::open(&database)?;
        Ok(Self::new((requested.clone(), database), index))
    }

    /// Opens an empty index in place of this one, for the same corpora.
    pub(super) fn recreate(
        self,
        remedy: IndexRecovery,
        watch_mode: WatchMode,
    ) -> Result<Self, SearchError> {
        let Self { preferred_database, database, detector, index, .. } = self;
        drop(index);
        let mut live_index = Self::recover((&preferred_database, &database), remedy)?;
        live_index.set_corpora(detector.corpora, watch_mode);
        Ok(live_index)
    }

    pub(super) fn set_corpora(&mut self, corpora: Vec<Corpus>, watch_mode: WatchMode) {
        self.detector = ChangeDetector::new(corpora, watch_mode);
        self.backlog_pass = BacklogPass::default();
    }

    /// Returns whether the index outlives this session.
    pub(crate) fn is_persistent(&self) -> bool {
        self.preferred_database == self.database
    }
}
