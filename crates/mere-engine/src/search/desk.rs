//! How a call asks the search index.

use mere_core::item::{Scope, ScopedPath};

use super::embedder::Hands;
use super::ground::Ground;
use super::library::{Library, Means, Outdated};
use super::waiting::Embedding;
use super::web::Audience;
use super::{SearchError, Trouble};
use crate::items::{ItemCall, is_usable_by_caller, is_visible};
use crate::space::Catalog;
use crate::tool_error::ToolError;
use mere_host::Database;

/// What became of the search index.
pub(crate) struct Indexed {
    pub(crate) items: u64,
    /// How many items have no vector.
    pub(crate) waiting: u64,
    /// Why.
    pub(crate) trouble: Option<Trouble>,
    /// Whether the index will be there after this session.
    pub(crate) is_kept: bool,
}

impl ItemCall<'_> {
    /// Asks the search index, which is as the disk is now.
    pub(crate) fn searched<T>(
        &self,
        ask: impl FnMut(&mut Library) -> Result<T, SearchError>,
    ) -> Result<T, ToolError> {
        let grounds = self.grounds()?;
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        Ok(self.search.searches.with(&self.means(&shows), grounds, ask)?)
    }

    /// The same where that is little work. Nothing where another call has the index, or where very many
    /// files were to be looked at, unless one is useful that is outdated.
    pub(crate) fn glanced<T>(
        &self,
        outdated: Outdated,
        ask: impl FnMut(&mut Library) -> Result<T, SearchError>,
    ) -> Result<Option<T>, ToolError> {
        let grounds = self.grounds()?;
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        let count = |scope| self.sources.with_catalog_of(scope, Catalog::count).ok().flatten();
        let items = || [Scope::Project, Scope::User].into_iter().filter_map(count).sum();
        Ok(self.search.searches.glance(&self.means(&shows), grounds, (items, outdated), ask)?)
    }

    /// Asks for whoever asks: they know what they may know, and believe what may be used.
    pub(crate) fn audience<T>(&self, ask: impl FnOnce(Audience<'_>) -> T) -> T {
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        let believes = |place: &ScopedPath| is_usable_by_caller(self, place);
        ask(Audience { shows: &shows, believes: &believes })
    }

    /// Gives items their vectors, as far as the index knows them, until it is `enough`.
    pub(crate) fn embed(&self, hands: Hands, enough: &dyn Fn(u64) -> bool) -> Result<(), Trouble> {
        let shows = |place: &ScopedPath| is_visible(self.view, place);
        let (embedder, gate) = (self.search.embedder, self.agent_gate);
        let embedding = Embedding { embedder, gate, shows: &shows, hands };
        self.search.searches.embed(&embedding, enough)
    }

    /// Lets the search index be as the disk is, with every vector. What keeps the model from it is no
    /// failure.
    pub(crate) fn index_search(&self) -> Result<Indexed, ToolError> {
        let embedder = self.search.embedder;
        let count = |library: &mut Library| {
            let items = library.index.count_items()?;
            Ok((items, library.count_waiting(embedder)?, library.is_kept()))
        };
        let (items, total, is_kept) = self.searched(count)?;
        let enough = |done: u64| {
            (self.progress)(done.min(total), total);
            (self.is_cancelled)()
        };
        let trouble = if total > 0 { self.embed(Hands::All, &enough).err() } else { None };
        let again = self.search.searches.again(embedder, count)?;
        let (_, waiting, _) = again.unwrap_or_default();
        Ok(Indexed { items, waiting, trouble, is_kept })
    }

    /// Throws the search index away: it is made anew when it is asked.
    pub(crate) fn forget_search(&self) -> Result<(), ToolError> {
        Ok(self.search.searches.forget(&self.search_database())?)
    }

    fn search_database(&self) -> Database {
        self.context.search_database(self.search.landmarks)
    }

    fn grounds(&self) -> Result<Vec<Ground>, SearchError> {
        let mut grounds = Vec::new();
        for space in self.sources.spaces() {
            grounds.extend(Ground::of_space(space)?);
        }
        for scope in [Scope::Project, Scope::User] {
            if let Some(store) = self.sources.memory_source(scope) {
                grounds.extend(Ground::of_store(store)?);
            }
        }
        Ok(grounds)
    }

    fn means<'a>(&'a self, shows: &'a dyn Fn(&ScopedPath) -> bool) -> Means<'a> {
        Means {
            database: self.search_database(),
            gate: self.agent_gate,
            embedder: self.search.embedder,
            shows,
            over: self.is_cancelled,
            progress: self.progress,
        }
    }
}
