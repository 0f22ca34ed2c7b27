//! The candidates of a question: the items that its words match, and those near to its meaning.
//!
//! Every posting list is read once. Nothing is ranked here, and no file is read.

use std::collections::HashSet;

use mere_core::item::ItemType;
use mere_core::request::SearchMode;
use mere_core::search::Highlight;

use super::filter::{Filter, allowed_slots, exclude_hidden};
use super::nearest::{Similarities, find_similar};
use super::plan::QueryPlan;
use super::question::SearchQuestion;
use super::segment_scores::{AllowedSegment, SegmentScores};
use super::term_postings::PostingCache;
use crate::search::context::SearchContext;
use crate::search::error::SearchError;
use crate::search::index::{SearchIndex, kind_from_number};
use crate::search::update::live_index::LiveIndex;

/// The least cosine similarity that makes a candidate beside one that has all words of the query.
const MIN_COSINE: f32 = 0.4;
/// The least cosine similarity that makes a candidate where meaning alone counts.
const MIN_COSINE_ALONE: f32 = 0.1;
/// The number of best word matches that are also compared by meaning.
const MAX_COMPARED: usize = 256;

/// The items that may become hits, with what is known about how well they match.
pub(crate) struct Candidates {
    /// The items that the words of the query match.
    pub(super) by_words: Vec<WordMatch>,
    /// The items that only their meaning brings.
    pub(super) by_meaning: Vec<MeaningMatch>,
    /// The cosine similarity of each item that was compared.
    pub(super) similarities: Similarities,
    /// The words that decided.
    pub(super) highlight: Highlight,
}

/// An item that the words match.
#[derive(Clone, Copy, Debug)]
pub(super) struct WordMatch {
    pub(super) item: u32,
    pub(super) kind: u8,
    /// The BM25 score.
    pub(super) bm25: f32,
    /// The share of the query that it covers, from 0 to 1; rare words weigh more.
    pub(super) share: f32,
    /// Whether its name is exactly the query.
    pub(super) has_exact_name: bool,
    pub(super) tie_break: u32,
}

/// An item that no word matches but that is near enough to the meaning of the query.
pub(super) struct MeaningMatch {
    pub(super) item: u32,
    pub(super) kind: ItemType,
    pub(super) cosine: f32,
    pub(super) tie_break: u32,
}

/// The items that the words match, and those that may be found by meaning.
struct WordMatches {
    matches: Vec<WordMatch>,
    /// The items that have every required clause and none that is excluded, by segment and slot.
    eligible: Vec<Vec<bool>>,
}

impl Candidates {
    /// Finds the candidates in an index that is up to date, after loading the sketches of its vectors
    /// where the question has one.
    pub(crate) fn find(
        live_index: &mut LiveIndex,
        question: &SearchQuestion<'_>,
        context: &SearchContext<'_>,
    ) -> Result<Self, SearchError> {
        if question.vector.is_some() {
            live_index.refresh_sketches(context.embedder)?;
        }
        let (index, is_cancelled) = (&live_index.index, context.signals.is_cancelled);
        let filters = Filter::resolve_all(question.request, live_index, context.visibility())?;
        let mut allowed = allowed_slots(live_index, question, &filters)?;
        if context.items.hides_indexed_items {
            exclude_hidden(live_index, &*context.items.is_visible, &mut allowed)?;
        }
        let postings = PostingCache::new(index, &allowed, is_cancelled);
        let plan = QueryPlan::build(index, &question.query, &postings)?;
        let mut words = WordMatches::find(index, &plan, &allowed, is_cancelled)?;
        let similarities = match &question.vector {
            None => Similarities::new(),
            Some(vector) => {
                let best = best_matches(&mut words.matches);
                find_similar(live_index, vector, &words.eligible, best)?
            }
        };
        // Without words in the query, everything that is allowed is a match and stays one.
        if question.mode == SearchMode::Vector && plan.has_words {
            words.matches.clear();
        }
        Ok(Self {
            by_meaning: meaning_matches(index, question.mode, &words.matches, &similarities),
            by_words: words.matches,
            similarities,
            highlight: plan.highlight(),
        })
    }
}

impl WordMatches {
    fn find(
        index: &SearchIndex,
        plan: &QueryPlan,
        allowed: &[Vec<bool>],
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, SearchError> {
        let (mut matches, mut eligible) = (Vec::new(), Vec::new());
        for (number, (segment, allowed)) in index.segments.iter().zip(allowed).enumerate() {
            let segment = AllowedSegment { number, segment, allowed };
            let scores = SegmentScores::compute(plan, segment, is_cancelled)?;
            eligible.push(scores.eligible_slots());
            matches.extend(scores.into_matches());
        }
        Ok(Self { matches, eligible })
    }
}

/// Returns the best matches by words.
fn best_matches(matches: &mut [WordMatch]) -> Vec<u32> {
    if matches.len() > MAX_COMPARED {
        let by = |one: &WordMatch, other: &WordMatch| {
            other.bm25.total_cmp(&one.bm25).then(one.tie_break.cmp(&other.tie_break))
        };
        matches.select_nth_unstable_by(MAX_COMPARED, by);
    }
    matches.iter().take(MAX_COMPARED).map(|one| one.item).collect()
}

/// Returns the items that are near enough to the query and that no word matches.
fn meaning_matches(
    index: &SearchIndex,
    mode: SearchMode,
    by_words: &[WordMatch],
    similarities: &Similarities,
) -> Vec<MeaningMatch> {
    if similarities.is_empty() {
        return Vec::new();
    }
    // The less the words find, the more the meaning may.
    let covered = by_words.iter().map(|one| one.share).fold(0.0, f32::max);
    let least = match mode {
        SearchMode::Vector => MIN_COSINE_ALONE,
        SearchMode::Hybrid | SearchMode::Text => {
            MIN_COSINE_ALONE + (MIN_COSINE - MIN_COSINE_ALONE) * covered
        }
    };
    let known = by_words.iter().map(|one| one.item).collect::<HashSet<_>>();
    let near = similarities.iter().map(|(item, cosine)| (*item, *cosine));
    let near = near.filter(|(item, cosine)| *cosine >= least && !known.contains(item));
    near.filter_map(|(item, cosine)| {
        let slot = index.slot_of_item(item)?;
        let kind = kind_from_number(slot.kind)?;
        Some(MeaningMatch { item, kind, cosine, tie_break: slot.tie_break })
    })
    .collect()
}
