//! What a search is lent by its session: the index, the places to search, and a look at items.
//!
//! Search decides nothing about visibility, signatures or policy. The functions of [`ItemAccess`]
//! do, and they come from the module that knows items.

use jiff::Timestamp;
use mere_core::address::Address;
use mere_core::digest::Sha256;
use mere_core::gate::Gate;
use mere_core::item::{ItemType, Scope, ScopedPath, Version};
use mere_core::reply::{Content, Fields};

use super::call_signals::CallSignals;
use super::embed::embedder::Embedder;
use super::error::SearchError;
use super::graph::EntryTrust;
use super::graph::GraphVisibility;
use super::index::corpus::Corpus;
use super::update::coverage::IndexAnswer;
use super::update::live_index::{LiveIndex, OtherProcesses, Patience, UpdateContext};
use super::update::session_index::{IndexTarget, QuickQuery, SessionIndex, StalePolicy};
use crate::config::EmbeddingsConfig;
use crate::memory::MemorySource;
use crate::space::Space;
use mere_host::Database;

/// Everything that a search needs.
pub(crate) struct SearchContext<'a> {
    pub(crate) session_index: &'a SessionIndex,
    pub(crate) sources: CorpusSources<'a>,
    pub(crate) items: ItemAccess<'a>,
    /// The gate that replies to agents pass through. Indexed texts pass it too, even if a person
    /// searches.
    pub(crate) agent_gate: &'a Gate,
    pub(crate) embedder: &'a Embedder,
    /// The `embeddings` section of the user's config.
    pub(crate) embedding_config: &'a EmbeddingsConfig,
    /// The order of item types among hits of equal score.
    pub(crate) type_priority: &'a [ItemType],
    /// A digest of the configuration, and of the rules that say which items are indexed.
    pub(crate) rules: Sha256,
    pub(crate) signals: CallSignals<'a>,
}

/// The places whose items are searched, and where their index is stored.
pub(crate) struct CorpusSources<'a> {
    pub(crate) spaces: &'a [Space],
    pub(crate) memory_sources: &'a [MemorySource<'a>],
    /// False if a store is configured and cannot be served.
    pub(crate) has_served_store: bool,
    /// Returns the database of the index. It looks at folders, so it is called only when the index
    /// is needed.
    pub(crate) locate_database: Box<dyn Fn() -> Database + 'a>,
    /// Returns about how many items the catalogs of the spaces have.
    pub(crate) estimate_count: Box<dyn Fn() -> u64 + 'a>,
}

/// A question about an item, answered by the module that knows items.
pub(crate) type ItemLookup<'a, T> = Box<dyn Fn(&ScopedPath) -> T + Sync + 'a>;

/// How a search looks at items on behalf of its caller. Several threads may use it.
pub(crate) struct ItemAccess<'a> {
    /// Returns whether the caller may know that an item exists.
    pub(crate) is_visible: ItemLookup<'a, bool>,
    /// Returns whether the index, which serves later calls too, may hold an item.
    pub(crate) is_indexable: ItemLookup<'a, bool>,
    /// Whether the index may hold items that the caller may not see.
    pub(crate) hides_indexed_items: bool,
    /// Returns what of an item the caller may rely on.
    pub(crate) trust_of: ItemLookup<'a, EntryTrust>,
    /// Returns the address of the visible item that takes precedence over an item of the same name.
    pub(crate) shadowed_by: ItemLookup<'a, Option<Address>>,
    /// Reads an item from its file and verifies it; none if it cannot be read.
    pub(crate) read: ItemLookup<'a, Option<HitContent>>,
}

/// What the file of a hit says, after it was verified.
pub(crate) struct HitContent {
    /// The name of its trust status.
    pub(crate) status: &'static str,
    /// The fields of `trust` in a reply.
    pub(crate) trust: Fields,
    /// The item's texts; none if the caller may not use the item.
    pub(crate) texts: Option<HitTexts>,
}

/// The texts of a hit as the caller may see them, with secrets masked.
pub(crate) struct HitTexts {
    pub(crate) title: Content,
    pub(crate) description: Option<Content>,
    /// The text that a snippet is cut from. Real folders are rewritten in it already: a cut or
    /// marked path would no longer be recognised, and would leak.
    pub(crate) body: String,
    pub(crate) version: Option<Version>,
    /// The time that the item itself states.
    pub(crate) updated_at: Option<Timestamp>,
}

impl SearchContext<'_> {
    /// Returns what this caller may see and trust.
    pub(crate) fn visibility(&self) -> GraphVisibility<'_> {
        GraphVisibility { is_visible: &*self.items.is_visible, trust_of: &*self.items.trust_of }
    }

    /// Brings the search index up to date with the disk and passes it to `ask`, which may be called
    /// again if the index turns out to be damaged.
    pub(crate) fn with_current_index<T>(
        &self,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<IndexAnswer<T>, SearchError> {
        self.update_and_ask(Patience::Limited, ask)
    }

    /// Does the same as [`Self::with_current_index`], for a caller that waits until every item is
    /// indexed or the call is cancelled.
    pub(crate) fn with_finished_index<T>(
        &self,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<IndexAnswer<T>, SearchError> {
        self.update_and_ask(Patience::Unlimited, ask)
    }

    fn update_and_ask<T>(
        &self,
        patience: Patience,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<IndexAnswer<T>, SearchError> {
        let target = self.sources.index_target()?;
        self.session_index.with_current_index(target, &self.update_context(patience), ask)
    }

    /// Does the same as [`Self::with_current_index`] where that is little work. Returns none where
    /// another call holds the index, or where very many files would have to be compared and the
    /// caller refuses a stale index.
    pub(crate) fn try_with_index<T>(
        &self,
        stale_policy: StalePolicy,
        ask: impl FnMut(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<IndexAnswer<T>>, SearchError> {
        let target = self.sources.index_target()?;
        let quick_query =
            QuickQuery { estimate_count: &*self.sources.estimate_count, stale_policy };
        let update = self.update_context(Patience::Limited);
        self.session_index.try_with_index(target, &update, &quick_query, ask)
    }

    /// Passes the index to `ask` without comparing the disk again; returns none if it is not open,
    /// or has lost items since it was compared.
    pub(crate) fn with_open_index<T>(
        &self,
        ask: impl FnOnce(&mut LiveIndex) -> Result<T, SearchError>,
    ) -> Result<Option<IndexAnswer<T>>, SearchError> {
        self.session_index.with_open_index(ask)
    }

    pub(super) fn update_context(&self, patience: Patience) -> UpdateContext<'_> {
        UpdateContext {
            gate: self.agent_gate,
            embedder: self.embedder,
            is_visible: &*self.items.is_indexable,
            signals: self.signals,
            patience,
            rules: self.rules,
            other_processes: OtherProcesses::Ask,
        }
    }
}

impl CorpusSources<'_> {
    pub(super) fn index_target(&self) -> Result<IndexTarget, SearchError> {
        let mut corpora = Vec::new();
        for space in self.spaces {
            corpora.extend(Corpus::from_space(space)?);
        }
        for scope in [Scope::Project, Scope::User] {
            if let Some(store) = self.memory_sources.iter().find(|store| store.scope() == scope) {
                corpora.extend(Corpus::from_store(store)?);
            }
        }
        Ok(IndexTarget { database: (self.locate_database)(), corpora })
    }
}
