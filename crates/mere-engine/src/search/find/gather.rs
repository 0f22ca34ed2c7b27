//! The scores of the items of one segment, clause by clause.

use std::collections::HashMap;

use mere_core::search::Occur;

use super::Match;
use super::lists::slot;
use super::plan::{Group, Plan};
use crate::search::SearchError;
use crate::search::index::{Segment, places};

/// What the clauses say of each item of a segment.
pub(super) struct Gathering<'a> {
    plan: &'a Plan,
    number: usize,
    allowed: &'a [bool],
    points: Vec<f32>,
    /// How much of what was asked it has.
    value: Vec<f32>,
    /// How many of the clauses that must be there are.
    kept: Vec<u8>,
    /// Whether a clause brought it in.
    admitted: Vec<bool>,
    excluded: Vec<bool>,
}

impl<'a> Gathering<'a> {
    pub(super) fn of(
        plan: &'a Plan,
        number: usize,
        segment: &Segment,
        allowed: &'a [bool],
        over: &dyn Fn() -> bool,
    ) -> Result<Self, SearchError> {
        let count = segment.slots.len();
        let mut gathering = Self {
            plan,
            number,
            allowed,
            points: vec![0.0; count],
            value: vec![0.0; count],
            kept: vec![0; count],
            admitted: vec![false; count],
            excluded: vec![false; count],
        };
        for group in &plan.groups {
            if over() {
                return Err(SearchError::Over);
            }
            gathering.add(group, segment);
        }
        Ok(gathering)
    }

    fn add(&mut self, group: &Group, segment: &Segment) {
        if group.is_phrase {
            let found = self.phrase(group, segment);
            for (at, points) in found {
                self.count(group, at, points);
            }
            return;
        }
        if let [list] = group.lists.as_slice() {
            for occurrence in list.posting(self.number).into_iter().flatten() {
                if let Some((at, slot)) = self.slot(occurrence, segment) {
                    let points = list.points(occurrence, slot);
                    self.count(group, at, points);
                }
            }
            return;
        }
        // Of several words that could be meant, the best one counts.
        let mut best = HashMap::<usize, f32>::new();
        for list in &group.lists {
            for occurrence in list.posting(self.number).into_iter().flatten() {
                if let Some((at, slot)) = self.slot(occurrence, segment) {
                    let points = list.points(occurrence, slot);
                    let best = best.entry(at).or_default();
                    *best = best.max(points);
                }
            }
        }
        for (at, points) in best {
            self.count(group, at, points);
        }
    }

    fn slot(
        &self,
        occurrence: crate::search::index::Occurrence,
        segment: &Segment,
    ) -> Option<(usize, u16)> {
        let at = slot(occurrence)?;
        let is_allowed = *self.allowed.get(at)?;
        is_allowed.then(|| (at, segment.slots[at].length))
    }

    fn count(&mut self, group: &Group, at: usize, points: f32) {
        match group.sign {
            Occur::MustNot => self.excluded[at] = true,
            Occur::Must => {
                self.kept[at] = self.kept[at].saturating_add(1);
                self.points[at] += points;
                self.value[at] += group.value;
            }
            Occur::Should => {
                self.admitted[at] |= group.admits;
                self.points[at] += points;
                self.value[at] += group.value;
            }
        }
    }

    /// Where words stand one after the other, with what that counts.
    fn phrase(&self, group: &Group, segment: &Segment) -> Vec<(usize, f32)> {
        let mut standing = HashMap::<usize, (Vec<u32>, f32)>::new();
        for (number, list) in group.lists.iter().enumerate() {
            let mut next = HashMap::new();
            let Some(mut posting) = list.posting(self.number) else { return Vec::new() };
            let offset = u32::try_from(number).unwrap_or(u32::MAX);
            while let Some((occurrence, bytes)) = posting.next_with_places() {
                let Some((at, length)) = self.slot(occurrence, segment) else { continue };
                let (before, points) = match standing.remove(&at) {
                    Some((before, points)) => (Some(before), points),
                    None if number > 0 => continue,
                    None => (None, 0.0),
                };
                // Where the phrase would have begun.
                let starts = places(bytes).filter_map(|place| place.checked_sub(offset));
                let starts = starts
                    .filter(|start| before.as_ref().is_none_or(|b| b.binary_search(start).is_ok()))
                    .collect::<Vec<_>>();
                if !starts.is_empty() {
                    next.insert(at, (starts, points + list.points(occurrence, length)));
                }
            }
            standing = next;
        }
        standing.into_iter().map(|(at, (_, points))| (at, points)).collect()
    }

    /// What has everything that must be there, and nothing that must not.
    pub(super) fn eligible(&self) -> Vec<bool> {
        let must = self.plan.groups.iter().filter(|group| group.sign == Occur::Must).count();
        let must = u8::try_from(must).unwrap_or(u8::MAX);
        let all = self.allowed.iter().zip(&self.kept).zip(&self.excluded);
        all.map(|((allowed, kept), excluded)| *allowed && *kept == must && !excluded).collect()
    }

    /// What matches.
    pub(super) fn matches(self, segment: &Segment) -> Vec<Match> {
        let eligible = self.eligible();
        let must = self.plan.groups.iter().any(|group| group.sign == Occur::Must);
        let should = self.plan.groups.iter().any(|group| group.sign == Occur::Should);
        let has_must_words = self.plan.has_words && !should;
        let named = &self.plan.named[self.number];
        let all = self.plan.value().max(f32::MIN_POSITIVE);
        let mut matches = Vec::new();
        for (at, slot) in segment.slots.iter().enumerate() {
            let is_named = named[at];
            let is_in = self.admitted[at]
                || is_named
                || has_must_words
                || (must && should && self.points[at] > 0.0)
                || !self.plan.has_words;
            if eligible[at] && is_in {
                let (item, kind, tie) = (slot.item, slot.kind, slot.tie);
                let (text, share) = (self.points[at], self.value[at] / all);
                matches.push(Match { item, kind, text, share, is_named, tie });
            }
        }
        matches
    }
}
