//! Matches in order: by words, by meaning, or by both.

use std::cmp::Ordering;
use std::collections::HashSet;

use mere_core::embed::Vector;
use mere_core::item::ItemType;
use mere_core::request::{RankMode, SearchMode};
use mere_core::search::{HybridWeights, MatchSignals};

use super::SearchError;
use super::find::{Found, Likeness, Match, near};
use super::index::kind_of;
use super::library::Library;

/// Tuned on the tuning half of `retrieval/`.
const MIX: HybridWeights =
    HybridWeights { text_weight: 0.6, half_saturation: 40.0, coverage_weight: 0.6 };
/// What is less alike than this is not alike, where words are to be had as well.
const LEAST: f32 = 0.35;
/// The same where meaning alone counts.
const LEAST_ALONE: f32 = 0.1;
/// What a hit gains that is called exactly what was asked for.
const NAMED: f32 = 2.0;
/// How many of the best by words are compared by meaning as well.
const CLOSE: usize = 256;

/// How hits are put in order.
pub(crate) struct Ranking<'a> {
    pub(crate) mode: SearchMode,
    pub(crate) rank: RankMode,
    pub(crate) priority: &'a [ItemType],
}

/// One hit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hit {
    pub(crate) item: u32,
    pub(crate) kind: ItemType,
    pub(crate) score: f32,
    tie: u32,
}

/// All hits, those of one list after those of another.
pub(crate) struct Ranked {
    lists: Vec<Vec<Hit>>,
    pub(crate) total: u64,
    order: fn(&Hit, &Hit, &[ItemType]) -> Ordering,
    priority: Vec<ItemType>,
}

impl Ranking<'_> {
    pub(crate) fn rank(
        &self,
        library: &Library,
        mut found: Found,
        wanted: Option<&Vector>,
    ) -> Result<Ranked, SearchError> {
        let likeness = match wanted {
            None => Likeness::new(),
            Some(wanted) => {
                let best = best(&mut found.matches);
                let sketches = (&library.sketches, wanted);
                near(&library.index, sketches, &found, best.into_iter())?
            }
        };
        let least = match self.mode {
            SearchMode::Vector => LEAST_ALONE,
            SearchMode::Hybrid | SearchMode::Text => LEAST,
        };
        // Where nothing has to mean anything, all that may be found is.
        if self.mode == SearchMode::Vector && found.has_words {
            found.matches.clear();
        }
        let mut hits = self.hits(&found, &likeness);
        let known = found.matches.iter().map(|one| one.item).collect::<HashSet<_>>();
        let alike = likeness.iter().filter(|(item, near)| **near >= least && !known.contains(item));
        for (item, cosine) in alike {
            hits.extend(alike_hit(library, *item, *cosine));
        }
        Ok(self.sorted(hits))
    }

    fn hits(&self, found: &Found, likeness: &Likeness) -> Vec<Hit> {
        let best = found.matches.iter().map(|one| one.share).fold(0.0, f32::max);
        let hits = found.matches.iter().filter_map(|one| {
            let cosine = likeness.get(&one.item).copied().unwrap_or_default();
            let (bm25, share) = (one.text, one.share);
            let score = match self.mode {
                SearchMode::Text => MIX.text_score(bm25),
                _ => MIX.score(MatchSignals { cosine, bm25, coverage: share }, best),
            };
            let score = score + if one.is_named { NAMED } else { 0.0 };
            Some(Hit { item: one.item, kind: kind_of(one.kind)?, score, tie: one.tie })
        });
        hits.collect()
    }

    fn sorted(&self, hits: Vec<Hit>) -> Ranked {
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
        Ranked { lists, total, order, priority: self.priority.to_vec() }
    }
}

impl Ranked {
    /// The hits from `offset` on of each list, and whether more follow.
    pub(crate) fn page(self, offset: usize, limit: usize) -> (Vec<Hit>, bool) {
        let (mut page, mut has_more) = (Vec::new(), false);
        for mut list in self.lists {
            let end = offset.saturating_add(limit);
            let by = |one: &Hit, other: &Hit| (self.order)(one, other, &self.priority);
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

fn order(one: &Hit, other: &Hit, priority: &[ItemType]) -> Ordering {
    let first = |hit: &Hit| priority.iter().position(|kind| *kind == hit.kind);
    let score = other.score.total_cmp(&one.score);
    score.then_with(|| (first(one), one.tie).cmp(&(first(other), other.tie)))
}

/// What no word matches.
fn alike_hit(library: &Library, item: u32, score: f32) -> Option<Hit> {
    let slot = library.index.slot(item)?;
    Some(Hit { item, kind: kind_of(slot.kind)?, score, tie: slot.tie })
}

/// The best matches by words.
fn best(matches: &mut [Match]) -> Vec<u32> {
    if matches.len() > CLOSE {
        let by = |one: &Match, other: &Match| {
            other.text.total_cmp(&one.text).then(one.tie.cmp(&other.tie))
        };
        matches.select_nth_unstable_by(CLOSE, by);
    }
    matches.iter().take(CLOSE).map(|one| one.item).collect()
}
