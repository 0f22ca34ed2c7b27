//! The ranked items with what the index knows of them: where they lie, and what superseded them.
//!
//! This is the last step that needs the index. The files of the hits are not read here.

use jiff::Timestamp;
use mere_core::address::Address;
use mere_core::item::{ItemType, ScopedPath};
use mere_core::request::{RelatedHits, SearchMode};
use mere_core::search::Highlight;

use super::question::SearchQuestion;
use super::ranking::{RankedItem, Ranking};
use super::related_entries::{RelatedEntry, find_related};
use crate::search::context::SearchContext;
use crate::search::error::SearchError;
use crate::search::update::live_index::LiveIndex;

/// The hits of one page, not yet read from their files.
pub(crate) struct LocatedHits {
    pub(super) hits: Vec<LocatedHit>,
    /// The entries that are linked with the hits, if the request asks for them.
    pub(super) related: Vec<RelatedEntry>,
    /// The number of matches, on all pages and weak ones.
    pub(super) total: u64,
    /// The number of weak matches, which are on no page.
    pub(super) weaker: u64,
    pub(super) has_more: bool,
    /// The words that decided.
    pub(super) highlight: Highlight,
    pub(crate) index_state: IndexState,
}

/// What the index knows of a hit without its file.
pub(super) struct LocatedHit {
    pub(super) place: ScopedPath,
    pub(super) address: Address,
    pub(super) score: f32,
    /// The time when its file was modified.
    pub(super) modified: Option<Timestamp>,
    /// The visible entry that superseded it.
    pub(super) superseded_by: Option<ScopedPath>,
}

/// The state of the index that a reply remarks on.
#[derive(Default)]
pub(crate) struct IndexState {
    /// The number of items that have no vector yet and should have one.
    pub(crate) missing_vectors: u64,
    /// Whether there is no item at all.
    pub(super) is_empty: bool,
    /// Whether the index is for this session alone.
    pub(super) is_temporary: bool,
}

impl LocatedHits {
    /// Looks up the hits of a page, without those that the caller may not see.
    pub(crate) fn locate(
        live_index: &mut LiveIndex,
        ranking: Ranking,
        question: &SearchQuestion<'_>,
        context: &SearchContext<'_>,
    ) -> Result<Self, SearchError> {
        let Ranking { page, total, weaker, has_more, highlight } = ranking;
        let mut hits = Vec::with_capacity(page.len());
        for ranked in page {
            if (context.signals.is_cancelled)() {
                return Err(SearchError::Cancelled);
            }
            hits.extend(LocatedHit::look_up(live_index, ranked, context)?);
        }
        let related = match question.request.related {
            RelatedHits::LeftOut => Vec::new(),
            RelatedHits::Included => find_related(live_index, &hits, context)?,
        };
        let missing_vectors = match question.mode {
            SearchMode::Text => 0,
            SearchMode::Hybrid | SearchMode::Vector => {
                live_index.count_missing_vectors(context.embedder)?
            }
        };
        let index_state = IndexState {
            missing_vectors,
            is_empty: total == 0 && live_index.index.count_items()? == 0,
            is_temporary: !live_index.is_persistent(),
        };
        Ok(Self { hits, related, total, weaker, has_more, highlight, index_state })
    }
}

impl LocatedHit {
    fn look_up(
        live_index: &LiveIndex,
        ranked: RankedItem,
        context: &SearchContext<'_>,
    ) -> Result<Option<Self>, SearchError> {
        let Some(place) = live_index.locate(ranked.item)? else { return Ok(None) };
        let address = place.address().filter(|_| (context.items.is_visible)(&place));
        let Some(address) = address else { return Ok(None) };
        let modified = live_index.index.modified_at(ranked.item)?;
        let superseded_by = match place.kind {
            ItemType::Knowledge => live_index.successor(&place, context.visibility())?,
            _ => None,
        };
        Ok(Some(Self { place, address, score: ranked.score, modified, superseded_by }))
    }
}
