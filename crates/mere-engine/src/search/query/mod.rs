//! Matching a query against the index by words, with BM25 scores.
//!
//! Every posting list is read once. Items that are deleted, in another corpus or filtered out are
//! treated as absent, both for matches and for the rarity of words, so an index that grew gives the
//! same scores as a new one.

pub(crate) mod hit_renderer;
mod nearest;
mod plan;
pub(crate) mod rank;
mod segment_scores;
mod term_postings;
mod typo;

use mere_core::item::ItemType;
use mere_core::search::{ExactTerm, Highlight, Query};

use super::SearchError;
use super::index::{CorpusId, SearchIndex, Segment, SegmentSlot, kind_number};
use plan::QueryPlan;
use segment_scores::SegmentScores;
use term_postings::PostingCache;

pub(crate) use nearest::{Similarities, find_similar};

/// A query together with what limits its matches.
pub(crate) struct IndexQuery<'a> {
    pub(crate) query: &'a Query,
    pub(crate) kinds: &'a [ItemType],
    /// The corpora to search.
    pub(crate) corpora: &'a [CorpusId],
    pub(crate) filters: &'a [Filter],
    /// The current time in nanoseconds since 1970.
    pub(crate) now: i64,
    /// Returns whether nobody waits for the answer any more.
    pub(crate) is_cancelled: &'a dyn Fn() -> bool,
}

/// A condition for items of some types.
pub(crate) struct Filter {
    /// The types that must meet the condition; others pass.
    pub(crate) kinds: Vec<ItemType>,
    pub(crate) condition: FilterCondition,
}

/// What an item must meet.
pub(crate) enum FilterCondition {
    /// It has a mark.
    Mark(ExactTerm),
    /// It is one of these items.
    OneOf(Vec<u32>),
}

/// An item that matches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Match {
    pub(crate) item: u32,
    pub(crate) kind: u8,
    /// The BM25 score.
    pub(crate) bm25: f32,
    /// The share of the query that it covers, from 0 to 1; rare words weigh more.
    pub(crate) share: f32,
    /// Whether its name is exactly the query.
    pub(crate) has_exact_name: bool,
    pub(crate) tie_break: u32,
}

/// All matches of a query.
pub(crate) struct TextMatches {
    pub(crate) matches: Vec<Match>,
    /// The items that may be found, by segment and slot. An item that is found only by similarity
    /// must also have every required clause and none that is excluded.
    pub(crate) eligible: Vec<Vec<bool>>,
    /// The words that decided.
    pub(crate) highlight: Highlight,
    /// Whether the query has any words.
    pub(crate) has_words: bool,
}

/// Returns everything that matches.
pub(crate) fn find_matches(
    index: &SearchIndex,
    question: &IndexQuery<'_>,
) -> Result<TextMatches, SearchError> {
    let allowed = allowed_slots(index, question)?;
    let lists = PostingCache::new(index, &allowed, question.is_cancelled);
    let plan = QueryPlan::build(index, question.query, &lists)?;
    let (mut matches, mut eligible) = (Vec::new(), Vec::new());
    for (number, allowed) in allowed.iter().enumerate() {
        let segment = &index.segments[number];
        let gathering =
            SegmentScores::compute(&plan, number, segment, allowed, question.is_cancelled)?;
        eligible.push(gathering.eligible_slots());
        matches.extend(gathering.into_matches(segment));
    }
    let (highlight, has_words) = (plan.highlight(), plan.has_words);
    Ok(TextMatches { matches, eligible, highlight, has_words })
}

/// Returns which items may be found, by segment and slot.
fn allowed_slots(
    index: &SearchIndex,
    question: &IndexQuery<'_>,
) -> rusqlite::Result<Vec<Vec<bool>>> {
    let kinds = KindSet::new(&plan::requested_kinds(question.query, question.kinds));
    let most = question.corpora.iter().max().copied().unwrap_or_default();
    let mut grounds = vec![false; usize::from(most) + 1];
    question.corpora.iter().for_each(|ground| grounds[usize::from(*ground)] = true);
    let is_asked = |ground: CorpusId| grounds.get(usize::from(ground)) == Some(&true);
    let can_be = !question.query.is_unreadable;
    let mut allowed = Vec::new();
    for segment in &index.segments {
        let slots = segment.slots.iter().zip(&segment.live);
        let may = |(slot, live): (&SegmentSlot, &bool)| {
            can_be && *live && is_asked(slot.corpus) && kinds.contains(slot.kind)
        };
        allowed.push(slots.map(may).collect::<Vec<_>>());
    }
    for item in index.expired_items(question.now)? {
        for (segment, allowed) in index.segments.iter().zip(&mut allowed) {
            if let Some(at) = segment.slot_index(item) {
                allowed[at] = false;
            }
        }
    }
    for filter in question.filters {
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
            Self::Mark(mark) => term_postings::slots_with_mark(index, segment, mark),
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
