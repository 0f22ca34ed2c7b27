//! The ranking of matches: by words, by meaning, or by both.
//!
//! It reads no file and decides nothing about visibility: every item that it is given may be found.
//! Equal scores are ordered by type and then by a fixed tie break, so that the order is the same on
//! every page.

use std::cmp::Ordering;
use std::collections::HashSet;

use mere_core::embed::Vector;
use mere_core::item::ItemType;
use mere_core::request::{RankMode, SearchMode};
use mere_core::search::{HybridWeights, MatchSignals};

use super::{Match, Similarities, TextMatches, find_similar};
use crate::search::SearchError;
use crate::search::index::kind_from_number;
use crate::search::update::live_index::LiveIndex;

/// The weights of words and meaning, tuned on the tuning half of `retrieval/`.
const MIX: HybridWeights =
    HybridWeights { text_weight: 0.6, half_saturation: 40.0, coverage_weight: 0.6 };
/// The least cosine similarity that makes a hit in hybrid mode, where words are matched as well.
const MIN_COSINE: f32 = 0.35;
/// The least cosine similarity in vector mode, where meaning alone counts.
const MIN_COSINE_ALONE: f32 = 0.1;
/// The bonus of an item whose name is exactly the query.
const EXACT_NAME_BONUS: f32 = 2.0;
/// The number of best word matches that are also compared by meaning.
const MAX_COMPARED: usize = 256;

/// How hits are ordered.
pub(crate) struct Ranking<'a> {
    pub(crate) mode: SearchMode,
    pub(crate) rank: RankMode,
    pub(crate) type_priority: &'a [ItemType],
}

/// An item with its final score.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SearchHit {
    pub(crate) item: u32,
    pub(crate) kind: ItemType,
    pub(crate) score: f32,
    tie_break: u32,
}

/// All hits, in one list or in one list per type. A list is sorted only when a page is taken.
pub(crate) struct RankedHits {
    lists: Vec<Vec<SearchHit>>,
    pub(crate) total: u64,
    compare: fn(&SearchHit, &SearchHit, &[ItemType]) -> Ordering,
    type_priority: Vec<ItemType>,
}

impl Ranking<'_> {
    pub(crate) fn rank(
        &self,
        library: &LiveIndex,
        mut found: TextMatches,
        wanted: Option<&Vector>,
    ) -> Result<RankedHits, SearchError> {
        let likeness = match wanted {
            None => Similarities::new(),
            Some(wanted) => {
                let best = best_matches(&mut found.matches);
                let sketches = (&library.sketches, wanted);
                find_similar(&library.index, sketches, &found, best.into_iter())?
            }
        };
        let least = match self.mode {
            SearchMode::Vector => MIN_COSINE_ALONE,
            SearchMode::Hybrid | SearchMode::Text => MIN_COSINE,
        };
        // Without words in the query, everything that is allowed is a match and stays one.
        if self.mode == SearchMode::Vector && found.has_words {
            found.matches.clear();
        }
        let mut hits = self.score_matches(&found, &likeness);
        let known = found.matches.iter().map(|one| one.item).collect::<HashSet<_>>();
        let alike = likeness.iter().filter(|(item, near)| **near >= least && !known.contains(item));
        for (item, cosine) in alike {
            hits.extend(hit_by_meaning(library, *item, *cosine));
        }
        Ok(self.make_lists(hits))
    }

    fn score_matches(&self, found: &TextMatches, likeness: &Similarities) -> Vec<SearchHit> {
        let best = found.matches.iter().map(|one| one.share).fold(0.0, f32::max);
        let hits = found.matches.iter().filter_map(|one| {
            let cosine = likeness.get(&one.item).copied().unwrap_or_default();
            let (bm25, share) = (one.bm25, one.share);
            let score = match self.mode {
                SearchMode::Text => MIX.text_score(bm25),
                _ => MIX.score(MatchSignals { cosine, bm25, coverage: share }, best),
            };
            let score = score + if one.has_exact_name { EXACT_NAME_BONUS } else { 0.0 };
            Some(SearchHit {
                item: one.item,
                kind: kind_from_number(one.kind)?,
                score,
                tie_break: one.tie_break,
            })
        });
        hits.collect()
    }

    fn make_lists(&self, hits: Vec<SearchHit>) -> RankedHits {
        let total = hits.len() as u64;
        let lists = match self.rank {
            RankMode::Unified => vec![hits],
            RankMode::ByType => {
                let kinds = ItemType::ALL.into_iter();
                let lists =
                    kinds.map(|kind| hits.iter().filter(move |hit| hit.kind == kind).copied());
                lists.map(Iterator::collect).collect()
            }
        };
        RankedHits {
            lists,
            total,
            compare: compare_hits,
            type_priority: self.type_priority.to_vec(),
        }
    }
}

impl RankedHits {
    /// Returns the hits from `offset` on of each list, and whether more follow.
    pub(crate) fn page(self, offset: usize, limit: usize) -> (Vec<SearchHit>, bool) {
        let (mut page, mut has_more) = (Vec::new(), false);
        for mut list in self.lists {
            let end = offset.saturating_add(limit);
            let by = |one: &SearchHit, other: &SearchHit| {
                (self.compare)(one, other, &self.type_priority)
            };
            if list.len() > end {
                list.select_nth_unstable_by(end, by);
                list.truncate(end);
                has_more = true;
            }
            list.sort_unstable_by(by);
            page.extend(list.into_iter().skip(offset));
        }
        (page, has_more)
    }
}

fn compare_hits(one: &SearchHit, other: &SearchHit, priority: &[ItemType]) -> Ordering {
    let first = |hit: &SearchHit| priority.iter().position(|kind| *kind == hit.kind);
    let score = other.score.total_cmp(&one.score);
    score.then_with(|| (first(one), one.tie_break).cmp(&(first(other), other.tie_break)))
}

/// Makes a hit of an item that no word matches.
fn hit_by_meaning(library: &LiveIndex, item: u32, score: f32) -> Option<SearchHit> {
    let slot = library.index.slot_of_item(item)?;
    Some(SearchHit { item, kind: kind_from_number(slot.kind)?, score, tie_break: slot.tie_break })
}

/// Returns the best matches by words.
fn best_matches(matches: &mut [Match]) -> Vec<u32> {
    if matches.len() > MAX_COMPARED {
        let by = |one: &Match, other: &Match| {
            other.bm25.total_cmp(&one.bm25).then(one.tie_break.cmp(&other.tie_break))
        };
        matches.select_nth_unstable_by(MAX_COMPARED, by);
    }
    matches.iter().take(MAX_COMPARED).map(|one| one.item).collect()
}
