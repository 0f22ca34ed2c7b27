//! The ranking of candidates: by words, by meaning, or by both.
//!
//! It reads no index and no file. Equal scores are ordered by type and then by a fixed tie break,
//! so that the order is the same on every page.

use std::cmp::Ordering;

use mere_core::item::ItemType;
use mere_core::request::{HitLimit, RankMode, Search, SearchMode};
use mere_core::search::{Highlight, HybridWeights, MatchSignals, Query};

use super::candidates::Candidates;
use super::question::SearchQuestion;
use crate::search::index::kind_from_number;

/// The weights of words and meaning, tuned on the tuning half of `retrieval/`.
const MIX: HybridWeights = HybridWeights {
    text_weight: 0.0,
    covered_weight: 9.0,
    half_saturation: 40.0,
    coverage_weight: 0.25,
};
/// The weights for a query of few words: whoever types so little has chosen each of them.
const MIX_FOR_FEW_WORDS: HybridWeights =
    HybridWeights { text_weight: 0.2, coverage_weight: 0.6, ..MIX };
/// The largest number of words that are few.
const FEW_WORDS: usize = 3;
/// The bonus of an item whose name is exactly the query.
const EXACT_NAME_BONUS: f32 = 10.0;
/// An item that matches less well than this share of the best match is a weak one.
const WEAK_SHARE: f32 = 0.55;

/// One page of the ranked candidates.
pub(crate) struct Ranking {
    /// The page, best first: in one list, or in one list per type after the other.
    pub(super) page: Vec<RankedItem>,
    /// The number of candidates, on all pages and weak ones.
    pub(super) total: u64,
    /// The number of weak candidates, which are on no page.
    pub(super) weaker: u64,
    pub(super) has_more: bool,
    /// The words that decided.
    pub(super) highlight: Highlight,
}

/// An item with its final score.
#[derive(Clone, Copy, Debug)]
pub(super) struct RankedItem {
    pub(super) item: u32,
    kind: ItemType,
    pub(super) score: f32,
    /// How well its content matches.
    strength: f32,
    has_exact_name: bool,
    tie_break: u32,
}

impl Ranking {
    /// Scores the candidates and orders the page that was asked for.
    pub(crate) fn rank(
        candidates: Candidates,
        question: &SearchQuestion<'_>,
        type_priority: &[ItemType],
    ) -> Self {
        let weights = weights_for(&question.query);
        let items = score_candidates(&candidates, question.mode, weights);
        let total = items.len() as u64;
        let lists = split_into_lists(items, question.request);
        let weaker = total - lists.iter().map(|list| list.len() as u64).sum::<u64>();
        let (mut page, mut has_more) = (Vec::new(), false);
        let end = question.offset.saturating_add(question.request.limit.page_size());
        let order = |one: &RankedItem, other: &RankedItem| compare(one, other, type_priority);
        for mut list in lists {
            if list.len() > end {
                list.select_nth_unstable_by(end, order);
                list.truncate(end);
                has_more = true;
            }
            list.sort_unstable_by(order);
            page.extend(list.into_iter().skip(question.offset));
        }
        Self { page, total, weaker, has_more, highlight: candidates.highlight }
    }
}

fn weights_for(query: &Query) -> HybridWeights {
    match query.plain_text.split_whitespace().count() {
        ..=FEW_WORDS => MIX_FOR_FEW_WORDS,
        _ => MIX,
    }
}

fn score_candidates(
    candidates: &Candidates,
    mode: SearchMode,
    weights: HybridWeights,
) -> Vec<RankedItem> {
    let Candidates { by_words, by_meaning, similarities, .. } = candidates;
    let best_share = by_words.iter().map(|one| one.share).fold(0.0, f32::max);
    let by_words = by_words.iter().filter_map(|one| {
        let cosine = similarities.get(&one.item).copied().unwrap_or_default();
        let evidence = MatchSignals { cosine, bm25: one.bm25, coverage: one.share };
        let (strength, order) = match mode {
            SearchMode::Text => {
                let score = weights.text_score(one.bm25);
                (score, score)
            }
            SearchMode::Hybrid | SearchMode::Vector => {
                let strength = weights.strength(evidence, best_share);
                (strength, weights.order_score(strength, evidence, best_share))
            }
        };
        Some(RankedItem {
            item: one.item,
            kind: kind_from_number(one.kind)?,
            score: order + if one.has_exact_name { EXACT_NAME_BONUS } else { 0.0 },
            strength,
            has_exact_name: one.has_exact_name,
            tie_break: one.tie_break,
        })
    });
    let by_meaning = by_meaning.iter().map(|one| RankedItem {
        item: one.item,
        kind: one.kind,
        score: one.cosine,
        strength: one.cosine,
        has_exact_name: false,
        tie_break: one.tie_break,
    });
    by_words.chain(by_meaning).collect()
}

/// Splits the candidates into the lists that are paged one by one. Unless a limit is given, they are
/// one list without the weak ones.
fn split_into_lists(items: Vec<RankedItem>, request: &Search) -> Vec<Vec<RankedItem>> {
    match (request.limit, request.rank) {
        (HitLimit::Best, _) => vec![leave_out_weak(items)],
        (HitLimit::Given(_), RankMode::Unified) => vec![items],
        (HitLimit::Given(_), RankMode::ByType) => {
            let kinds = ItemType::ALL.into_iter();
            let lists = kinds.map(|kind| items.iter().filter(move |one| one.kind == kind).copied());
            lists.map(Iterator::collect).collect()
        }
    }
}

fn leave_out_weak(items: Vec<RankedItem>) -> Vec<RankedItem> {
    let best = items.iter().map(|one| one.strength).fold(0.0, f32::max);
    let is_strong = |one: &RankedItem| one.strength >= WEAK_SHARE * best || one.has_exact_name;
    items.into_iter().filter(is_strong).collect()
}

fn compare(one: &RankedItem, other: &RankedItem, type_priority: &[ItemType]) -> Ordering {
    let priority = |one: &RankedItem| type_priority.iter().position(|kind| *kind == one.kind);
    let score = other.score.total_cmp(&one.score);
    score.then_with(|| (priority(one), one.tie_break).cmp(&(priority(other), other.tie_break)))
}
