//! The filters of a search, and the slots of the index that pass them.
//!
//! Items that are deleted, expired, in another corpus or filtered out are treated as absent, both
//! for matches and for the rarity of words, so an index that grew gives the same scores as a new
//! one.

use mere_core::item::ItemType;
use mere_core::request::{Search, SearchCondition};
use mere_core::search::{ExactTerm, fold};

use super::plan::requested_kinds;
use super::question::SearchQuestion;
use super::term_postings::slots_with_term;
use crate::search::error::SearchError;
use crate::search::graph::{GraphVisibility, ItemPredicate};
use crate::search::index::{CorpusId, SearchIndex, Segment, SegmentSlot, kind_number};
use crate::search::update::batch_reader::to_nanoseconds;
use crate::search::update::live_index::LiveIndex;
use crate::trust::now;

/// A condition for items of some types.
pub(super) struct Filter {
    /// The types that must meet the condition; others pass.
    kinds: Vec<ItemType>,
    condition: FilterCondition,
}

/// What an item must meet.
enum FilterCondition {
    /// It has a term.
    Term(ExactTerm),
    /// It is one of these items.
    OneOf(Vec<u32>),
}

impl Filter {
    /// Turns the filters of a request into conditions that the index can check.
    pub(super) fn resolve_all(
        request: &Search,
        live_index: &LiveIndex,
        visibility: GraphVisibility<'_>,
    ) -> Result<Vec<Self>, SearchError> {
        let mut filters = Vec::new();
        for filter in &request.filters {
            let condition = match &filter.condition {
                // Every item lies in or below the empty category.
                SearchCondition::Category(category) if category.is_empty() => continue,
                SearchCondition::RelatedTo(entry) => {
                    FilterCondition::OneOf(live_index.related_items(entry, visibility)?)
                }
                SearchCondition::Category(category) => {
                    FilterCondition::Term(ExactTerm::Category(fold(category.as_str())))
                }
                SearchCondition::Tag(tag) => {
                    FilterCondition::Term(ExactTerm::Tag(fold(tag.trim())))
                }
                SearchCondition::EntryType(name) => {
                    FilterCondition::Term(ExactTerm::EntryType(fold(name)))
                }
                SearchCondition::ToolType(name) => {
                    FilterCondition::Term(ExactTerm::ToolType(fold(name)))
                }
                SearchCondition::Executor(name) => {
                    FilterCondition::Term(ExactTerm::Executor(fold(name)))
                }
                SearchCondition::ModelTier(name) => {
                    FilterCondition::Term(ExactTerm::ModelTier(fold(name)))
                }
            };
            filters.push(Self { kinds: filter.item_types.clone(), condition });
        }
        Ok(filters)
    }
}

/// Returns which items may be found, by segment and slot.
pub(super) fn allowed_slots(
    live_index: &LiveIndex,
    question: &SearchQuestion<'_>,
    filters: &[Filter],
) -> Result<Vec<Vec<bool>>, SearchError> {
    let index = &live_index.index;
    let mut allowed = requested_slots(live_index, question);
    for item in index.expired_items(to_nanoseconds(now()))? {
        for (segment, allowed) in index.segments.iter().zip(&mut allowed) {
            if let Some(at) = segment.slot_index(item) {
                allowed[at] = false;
            }
        }
    }
    for filter in filters {
        let kinds = KindSet::new(&filter.kinds);
        for (segment, allowed) in index.segments.iter().zip(&mut allowed) {
            let has = filter.condition.matching_slots(index, segment)?;
            for (at, slot) in segment.slots.iter().enumerate() {
                allowed[at] &= has[at] || !kinds.contains(slot.kind);
            }
        }
    }
    Ok(allowed)
}

/// Excludes the items that the caller may not see, so that not even their number is told.
pub(super) fn exclude_hidden(
    live_index: &LiveIndex,
    is_visible: ItemPredicate<'_>,
    allowed: &mut [Vec<bool>],
) -> Result<(), SearchError> {
    for (segment, allowed) in live_index.index.segments.iter().zip(allowed) {
        for (slot, allowed) in segment.slots.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
            let place = live_index.locate(slot.item)?;
            *allowed = place.is_some_and(|place| is_visible(&place));
        }
    }
    Ok(())
}

/// Returns which slots have an item of a corpus and a type that is searched.
fn requested_slots(live_index: &LiveIndex, question: &SearchQuestion<'_>) -> Vec<Vec<bool>> {
    let kinds = KindSet::new(&requested_kinds(&question.query, &question.request.item_types));
    let corpus_ids = &live_index.detector.corpus_ids;
    let most = corpus_ids.iter().max().copied().unwrap_or_default();
    let mut corpora = vec![false; usize::from(most) + 1];
    for corpus in corpus_ids {
        corpora[usize::from(*corpus)] = true;
    }
    let is_searched = |corpus: CorpusId| corpora.get(usize::from(corpus)) == Some(&true);
    let is_readable = !question.query.is_unreadable;
    let is_requested = |(slot, live): (&SegmentSlot, &bool)| {
        is_readable && *live && is_searched(slot.corpus) && kinds.contains(slot.kind)
    };
    let segments = live_index.index.segments.iter();
    segments
        .map(|segment| segment.slots.iter().zip(&segment.live).map(is_requested).collect())
        .collect()
}

/// A set of types, with one bit for the number of each.
struct KindSet(u8);

impl KindSet {
    fn new(kinds: &[ItemType]) -> Self {
        Self(kinds.iter().fold(0, |bits, kind| bits | 1 << kind_number(*kind)))
    }

    fn contains(&self, number: u8) -> bool {
        self.0 & 1 << (number % 8) != 0
    }
}

impl FilterCondition {
    /// Returns which slots of a segment meet the condition.
    fn matching_slots(
        &self,
        index: &SearchIndex,
        segment: &Segment,
    ) -> rusqlite::Result<Vec<bool>> {
        match self {
            Self::Term(term) => slots_with_term(index, segment, term),
            Self::OneOf(items) => {
                let mut has = vec![false; segment.slots.len()];
                items
                    .iter()
                    .filter_map(|item| segment.slot_index(*item))
                    .for_each(|at| has[at] = true);
                Ok(has)
            }
        }
    }
}
