//! The methods by which an item call uses the search index.
//!
//! It decides which corpora belong to a call and what the caller may see. The locking and updating
//! of the index are not done here.

use mere_core::item::{Scope, ScopedPath};

use super::embed::embedder::ThreadBudget;
use super::graph::GraphVisibility;
use super::index::corpus::Corpus;
use super::update::embedding_backlog::EmbeddingJob;
use super::update::live_index::{LiveIndex, StalePolicy, UpdateContext};
use super::{EmbeddingError, SearchError};
use crate::error::tool_error::ToolError;
use crate::items::{ItemCall, is_usable_by_caller, is_visible};
use crate::space::Catalog;
use mere_host::Database;

/// The state of the search index after an update.
pub(crate) struct IndexReport {
    pub(crate) items: u64,
    /// The number of items that have no vector.
    pub(crate) missing_vectors: u64,
    /// The reason why vectors are missing.
    pub(crate) embedding_error: Option<EmbeddingError>,
    /// Whether the index outlives this session.
    pub(crate) is_persistent: bool,
}

impl ItemCall<'_> {
    /// Brings the search index up to date with the disk and passes it to `ask`.
    pub(crate) fn with_index<T>(
        &self,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<T, ToolError> {
        let grounds = self.corpora()?;
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        Ok(self.search.session_index.with_current_index(
            &self.update_context(&shows),
            grounds,
            ask,
        )?)
    }

    /// Does the same as [`Self::with_index`] where that is little work. Returns none where another
    /// call holds the index, or where very many files would have to be compared and the caller
    /// refuses a stale index.
    pub(crate) fn try_with_index<T>(
        &self,
        outdated: StalePolicy,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<T>, ToolError> {
        let grounds = self.corpora()?;
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        let count = |scope| self.sources.with_catalog_of(scope, Catalog::count).ok().flatten();
        let items = || [Scope::Project, Scope::User].into_iter().filter_map(count).sum();
        Ok(self.search.session_index.try_with_index(
            &self.update_context(&shows),
            grounds,
            (items, outdated),
            ask,
        )?)
    }

    /// Passes to `ask` what this caller may see: the items that are visible, and those that are
    /// trusted.
    pub(crate) fn with_visibility<T>(&self, ask: impl FnOnce(GraphVisibility<'_>) -> T) -> T {
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        let believes = |place: &ScopedPath| is_usable_by_caller(self, place);
        ask(GraphVisibility { is_visible: &shows, is_trusted: &believes })
    }

    /// Makes the missing vectors of items that the index knows, until `enough` returns true.
    pub(crate) fn embed_missing(
        &self,
        hands: ThreadBudget,
        enough: &dyn Fn(u64) -> bool,
    ) -> Result<(), EmbeddingError> {
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        let (embedder, gate) = (self.search.embedder, self.agent_gate);
        let embedding = EmbeddingJob { embedder, gate, is_visible: &shows, threads: hands };
        self.search.session_index.embed_missing(&embedding, enough)
    }

    /// Brings the search index up to date with the disk and makes every missing vector. An error of
    /// the model is reported in the result and is not a failure.
    pub(crate) fn update_search_index(&self) -> Result<IndexReport, ToolError> {
        let embedder = self.search.embedder;
        let count = |library: &mut LiveIndex| {
            let items = library.index.count_items()?;
            Ok((items, library.count_missing_vectors(embedder)?, library.is_persistent()))
        };
        let (items, total, is_kept) = self.with_index(count)?;
        let enough = |done: u64| {
            (self.progress)(done.min(total), total);
            (self.is_cancelled)()
        };
        let trouble =
            if total > 0 { self.embed_missing(ThreadBudget::All, &enough).err() } else { None };
        let again = self.search.session_index.with_open_index(embedder, count)?;
        let (_, waiting, _) = again.unwrap_or_default();
        Ok(IndexReport {
            items,
            missing_vectors: waiting,
            embedding_error: trouble,
            is_persistent: is_kept,
        })
    }

    /// Clears the search index. It is built anew by the next query.
    pub(crate) fn clear_search_index(&self) -> Result<(), ToolError> {
        Ok(self.search.session_index.clear(&self.search_database())?)
    }

    fn search_database(&self) -> Database {
        self.context.search_database(self.search.landmarks_digest)
    }

    fn corpora(&self) -> Result<Vec<Corpus>, SearchError> {
        let mut grounds = Vec::new();
        for space in self.sources.spaces() {
            grounds.extend(Corpus::from_space(space)?);
        }
        for scope in [Scope::Project, Scope::User] {
            if let Some(store) = self.sources.memory_source(scope) {
                grounds.extend(Corpus::from_store(store)?);
            }
        }
        Ok(grounds)
    }

    fn update_context<'a>(&'a self, shows: &'a dyn Fn(&ScopedPath) -> bool) -> UpdateContext<'a> {
        UpdateContext {
            database: self.search_database(),
            gate: self.agent_gate,
            embedder: self.search.embedder,
            is_visible: shows,
            is_cancelled: self.is_cancelled,
            progress: self.progress,
        }
    }
}
