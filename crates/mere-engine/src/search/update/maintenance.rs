//! Work on the index beyond a single query: making missing vectors, and updating or clearing it
//! because a person asked for it.

use std::time::{Duration, Instant};

use super::coverage::{Coverage, IndexAnswer};
use super::embedding_backlog::EmbeddingJob;
use super::live_index::LiveIndex;
use crate::search::context::SearchContext;
use crate::search::embed::embedder::ThreadBudget;
use crate::search::embed::embedding_error::EmbeddingError;
use crate::search::error::SearchError;

/// The longest time that a search waits for items to be embedded, in a session that ends with the
/// reply.
const MAX_EMBEDDING_WAIT: Duration = Duration::from_secs(2);

/// The state of the search index after an update.
pub(crate) struct IndexReport {
    pub(crate) items: u64,
    /// The number of items that have no vector.
    pub(crate) missing_vectors: u64,
    /// The reason why vectors are missing.
    pub(crate) embedding_error: Option<EmbeddingError>,
    /// Whether the index outlives this session.
    pub(crate) is_persistent: bool,
    /// Whether all items are in it.
    pub(crate) coverage: Coverage,
}

impl SearchContext<'_> {
    /// Makes missing vectors while a caller waits, but not for long. An error is not reported: the
    /// next query that needs the model reports it.
    pub(crate) fn embed_briefly(&self) {
        let began = Instant::now();
        let is_enough = |_| began.elapsed() > MAX_EMBEDDING_WAIT || (self.signals.is_cancelled)();
        let _ = self.embed_missing(&is_enough);
    }

    /// Makes the missing vectors of items that the index knows, until `is_enough` returns true. It
    /// is told how many items were done.
    fn embed_missing(&self, is_enough: &dyn Fn(u64) -> bool) -> Result<(), EmbeddingError> {
        let job = EmbeddingJob {
            embedder: self.embedder,
            gate: self.agent_gate,
            is_visible: &*self.items.is_indexable,
            threads: ThreadBudget::All,
        };
        self.session_index.embed_missing(&job, is_enough)
    }

    /// Brings the search index up to date with the disk and makes every missing vector. An error of
    /// the model is reported in the result and is not a failure.
    pub(crate) fn update_index(&self) -> Result<IndexReport, SearchError> {
        let count = |live_index: &mut LiveIndex| {
            let items = live_index.index.count_items()?;
            let missing = live_index.count_missing_vectors(self.embedder)?;
            Ok((items, missing, live_index.is_persistent()))
        };
        let IndexAnswer { value, coverage } = self.with_finished_index(count)?;
        let (items, total, is_persistent) = value;
        let is_enough = |done: u64| {
            (self.signals.progress)(done.min(total), total);
            (self.signals.is_cancelled)()
        };
        let embedding_error = if total > 0 { self.embed_missing(&is_enough).err() } else { None };
        let counted = self.with_open_index(count)?.map(|answer| answer.value);
        let (_, missing_vectors, _) = counted.unwrap_or_default();
        Ok(IndexReport { items, missing_vectors, embedding_error, is_persistent, coverage })
    }

    /// Clears the search index. It is built anew by the next query.
    pub(crate) fn clear_index(&self) -> Result<(), SearchError> {
        self.session_index.clear(&(self.sources.locate_database)())
    }
}
