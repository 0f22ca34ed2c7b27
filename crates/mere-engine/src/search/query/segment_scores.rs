//! The scores of the items of one segment, added up clause by clause.
//!
//! Slots that are not allowed are skipped, so they get no score and never match.

use std::collections::HashMap;

use mere_core::search::Occur;

use super::candidates::WordMatch;
use super::plan::{ClausePlan, QueryPlan};
use super::term_postings::slot_index;
use crate::search::error::SearchError;
use crate::search::index::{Occurrence, Segment, decode_positions};

/// A segment of the index, and which of its slots may be found.
pub(super) struct AllowedSegment<'a> {
    pub(super) number: usize,
    pub(super) segment: &'a Segment,
    pub(super) allowed: &'a [bool],
}

/// What the clauses add up to for each slot of a segment.
pub(super) struct SegmentScores<'a> {
    plan: &'a QueryPlan,
    part: AllowedSegment<'a>,
    scores: Vec<f32>,
    /// The summed rarity of the clauses that the item has.
    matched_rarity: Vec<f32>,
    /// The number of required clauses that the item has.
    must_count: Vec<u8>,
    /// Whether a clause admitted the item as a match.
    admitted: Vec<bool>,
    excluded: Vec<bool>,
}

impl<'a> SegmentScores<'a> {
    pub(super) fn compute(
        plan: &'a QueryPlan,
        part: AllowedSegment<'a>,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<Self, SearchError> {
        let count = part.segment.slots.len();
        let mut scores = Self {
            plan,
            part,
            scores: vec![0.0; count],
            matched_rarity: vec![0.0; count],
            must_count: vec![0; count],
            admitted: vec![false; count],
            excluded: vec![false; count],
        };
        for group in &plan.clauses {
            if is_cancelled() {
                return Err(SearchError::Cancelled);
            }
            scores.score_clause(group);
        }
        Ok(scores)
    }

    fn score_clause(&mut self, group: &ClausePlan) {
        if group.is_phrase {
            let found = self.match_phrase(group);
            for (at, points) in found {
                self.add_score(group, at, points);
            }
            return;
        }
        if let [list] = group.postings.as_slice() {
            for (at, points) in list.scores(self.part.number, self.part.segment) {
                self.add_score(group, at, points);
            }
            return;
        }
        // Of several possible spellings, only the best counts.
        let mut best = HashMap::<usize, f32>::new();
        for list in &group.postings {
            for (at, points) in list.scores(self.part.number, self.part.segment) {
                let best = best.entry(at).or_default();
                *best = best.max(points);
            }
        }
        for (at, points) in best {
            self.add_score(group, at, points);
        }
    }

    fn allowed_slot(&self, occurrence: Occurrence) -> Option<(usize, u16)> {
        let at = slot_index(occurrence)?;
        let is_allowed = *self.part.allowed.get(at)?;
        is_allowed.then(|| (at, self.part.segment.slots[at].word_count))
    }

    fn add_score(&mut self, group: &ClausePlan, at: usize, points: f32) {
        match group.occur {
            Occur::MustNot => self.excluded[at] = true,
            Occur::Must => {
                self.must_count[at] = self.must_count[at].saturating_add(1);
                self.scores[at] += points;
                self.matched_rarity[at] += group.rarity;
            }
            Occur::Should => {
                self.admitted[at] |= group.admits;
                self.scores[at] += points;
                self.matched_rarity[at] += group.rarity;
            }
        }
    }

    /// Returns the slots in which the words stand one after the other, with their scores.
    fn match_phrase(&self, group: &ClausePlan) -> Vec<(usize, f32)> {
        let mut partial_matches = HashMap::<usize, (Vec<u32>, f32)>::new();
        for (number, list) in group.postings.iter().enumerate() {
            let mut next = HashMap::new();
            let Some(mut posting) = list.phrase_list(self.part.number) else {
                return Vec::new();
            };
            let offset = u32::try_from(number).unwrap_or(u32::MAX);
            while let Some((occurrence, bytes)) = posting.next_with_positions() {
                let Some((at, length)) = self.allowed_slot(occurrence) else { continue };
                let (before, points) = match partial_matches.remove(&at) {
                    Some((before, points)) => (Some(before), points),
                    None if number > 0 => continue,
                    None => (None, 0.0),
                };
                // The positions at which the phrase would have begun.
                let starts = decode_positions(bytes).filter_map(|place| place.checked_sub(offset));
                let starts = starts
                    .filter(|start| before.as_ref().is_none_or(|b| b.binary_search(start).is_ok()))
                    .collect::<Vec<_>>();
                if !starts.is_empty() {
                    next.insert(at, (starts, points + list.score(occurrence, length)));
                }
            }
            partial_matches = next;
        }
        partial_matches.into_iter().map(|(at, (_, points))| (at, points)).collect()
    }

    /// Returns which slots have every required clause and none that is excluded.
    pub(super) fn eligible_slots(&self) -> Vec<bool> {
        let must = self.plan.clauses.iter().filter(|group| group.occur == Occur::Must).count();
        let must = u8::try_from(must).unwrap_or(u8::MAX);
        let all = self.part.allowed.iter().zip(&self.must_count).zip(&self.excluded);
        all.map(|((allowed, kept), excluded)| *allowed && *kept == must && !excluded).collect()
    }

    /// Returns the matches of the segment.
    pub(super) fn into_matches(self) -> Vec<WordMatch> {
        let eligible = self.eligible_slots();
        let must = self.plan.clauses.iter().any(|group| group.occur == Occur::Must);
        let should = self.plan.clauses.iter().any(|group| group.occur == Occur::Should);
        let has_must_words = self.plan.has_words && !should;
        let named = &self.plan.exact_names[self.part.number];
        let all = self.plan.total_rarity().max(f32::MIN_POSITIVE);
        let mut matches = Vec::new();
        for (at, slot) in self.part.segment.slots.iter().enumerate() {
            let is_named = named[at];
            let is_in = self.admitted[at]
                || is_named
                || has_must_words
                || (must && should && self.scores[at] > 0.0)
                || !self.plan.has_words;
            if eligible[at] && is_in {
                let (item, kind, tie_break) = (slot.item, slot.kind, slot.tie_break);
                let (text, share) = (self.scores[at], self.matched_rarity[at] / all);
                matches.push(WordMatch {
                    item,
                    kind,
                    bm25: text,
                    share,
                    has_exact_name: is_named,
                    tie_break,
                });
            }
        }
        matches
    }
}
