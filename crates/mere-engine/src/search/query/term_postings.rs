//! The posting lists that one query reads, and their scores.
//!
//! Items that are not allowed are left out of every count, so they do not affect the rarity of a
//! word.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mere_core::search::{Bm25, ExactTerm, QueryWord, term_weight};

use super::typo;
use crate::search::error::SearchError;
use crate::search::index::{
    EncodedPostings, Occurrence, PostingList, SearchIndex, Segment, WeightedSlot, corruption_error,
};

/// The weight of a word that only begins with the prefix.
const PREFIX_WEIGHT: f32 = 0.8;
/// The most words that a misspelt one is corrected to.
const MAX_CORRECTIONS: usize = 4;

/// The key of a posting list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum PostingKey {
    Stem(String),
    /// Any word that begins with this text.
    Prefix(String),
    Exact(ExactTerm),
}

/// The items that have a term of a clause.
pub(super) struct TermPostings {
    pub(super) key: PostingKey,
    /// The weight of the term, which is lower for a prefix or a correction.
    weight: f32,
    postings: Rc<CachedPostings>,
    /// The list of each segment with its positions, for a word of a phrase.
    with_positions: Vec<Option<EncodedPostings>>,
    bm25: Bm25,
}

/// The posting lists of a key.
struct CachedPostings {
    /// The allowed slots of each segment.
    segments: Vec<Vec<WeightedSlot>>,
    /// The number of all of them.
    item_count: u32,
}

/// The index as one query sees it. Every posting list is read once.
pub(super) struct PostingCache<'a> {
    index: &'a SearchIndex,
    allowed: &'a [Vec<bool>],
    is_cancelled: &'a dyn Fn() -> bool,
    /// The number of allowed items.
    pub(super) item_count: u32,
    average_length: f32,
    cache: RefCell<BTreeMap<PostingKey, Rc<CachedPostings>>>,
}

impl<'a> PostingCache<'a> {
    pub(super) fn new(
        index: &'a SearchIndex,
        allowed: &'a [Vec<bool>],
        is_cancelled: &'a dyn Fn() -> bool,
    ) -> Self {
        let (mut item_count, mut words) = (0_u32, 0_u64);
        for (segment, allowed) in index.segments.iter().zip(allowed) {
            for (slot, _) in segment.slots.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
                item_count += 1;
                words += u64::from(slot.word_count);
            }
        }
        let average = words.checked_div(u64::from(item_count)).unwrap_or_default();
        let average_length = f32::from(u16::try_from(average).unwrap_or(u16::MAX));
        Self { index, allowed, is_cancelled, item_count, average_length, cache: RefCell::default() }
    }

    /// Returns the posting list of a word or, if no item has it, those of its likely corrections.
    pub(super) fn word_postings(&self, word: &QueryWord) -> Result<Vec<TermPostings>, SearchError> {
        let own = self.postings(PostingKey::Stem(word.stem.clone()))?;
        if own.item_count() > 0 {
            return Ok(vec![own]);
        }
        let mut lists = Vec::new();
        let mut fewest = None;
        // A correction that no allowed item has is skipped.
        for (edits, near) in typo::find_corrections(self.index, word, self.is_cancelled)? {
            if lists.len() == MAX_CORRECTIONS || fewest.is_some_and(|fewest| edits > fewest) {
                break;
            }
            let list =
                self.weighted_postings(PostingKey::Stem(near), if edits == 1 { 0.7 } else { 0.5 })?;
            if list.item_count() > 0 {
                fewest = Some(edits);
                lists.push(list);
            }
        }
        Ok(lists)
    }

    pub(super) fn postings(&self, key: PostingKey) -> Result<TermPostings, SearchError> {
        let weight = match key {
            PostingKey::Stem(_) => 1.0,
            PostingKey::Prefix(_) => PREFIX_WEIGHT,
            PostingKey::Exact(_) => 0.0,
        };
        self.weighted_postings(key, weight)
    }

    fn weighted_postings(&self, key: PostingKey, weight: f32) -> Result<TermPostings, SearchError> {
        let found = self.read_postings(&key)?;
        let score = Bm25::new(self.item_count, found.item_count, self.average_length);
        Ok(TermPostings { key, weight, postings: found, with_positions: Vec::new(), bm25: score })
    }

    /// Returns the posting list of a word of a phrase.
    pub(super) fn phrase_postings(&self, key: PostingKey) -> Result<TermPostings, SearchError> {
        let connection = &self.index.connection;
        let read = |segment: &Segment| match &key {
            PostingKey::Stem(word) => Ok(segment.read_with_positions(connection, word)?),
            PostingKey::Exact(term) => {
                Ok(segment.read_with_positions(connection, &term.to_index_term())?)
            }
            PostingKey::Prefix(prefix) => {
                segment.read_prefix_postings(connection, prefix, self.is_cancelled)
            }
        };
        let with_positions = self.index.segments.iter().map(read);
        let with_positions = with_positions.collect::<Result<_, SearchError>>()?;
        Ok(TermPostings { with_positions, ..self.postings(key)? })
    }

    /// Returns the rarity of a clause: that of its rarest term or, if there is no list, that of a
    /// word that no item has.
    pub(super) fn clause_rarity(&self, lists: &[TermPostings]) -> f32 {
        let values = lists.iter().map(|list| list.bm25.idf() * list.weight.max(f32::MIN_POSITIVE));
        let value = values.fold(0.0, f32::max);
        if lists.is_empty() {
            Bm25::new(self.item_count, 0, self.average_length).idf()
        } else {
            value
        }
    }

    fn read_postings(&self, key: &PostingKey) -> Result<Rc<CachedPostings>, SearchError> {
        if let Some(known) = self.cache.borrow().get(key) {
            return Ok(Rc::clone(known));
        }
        let mut found = CachedPostings { segments: Vec::new(), item_count: 0 };
        for (segment, allowed) in self.index.segments.iter().zip(self.allowed) {
            if (self.is_cancelled)() {
                return Err(SearchError::Cancelled);
            }
            let connection = &self.index.connection;
            let collect = |list: PostingList<'_>| list.collect_allowed(allowed);
            let slots = match key {
                PostingKey::Stem(word) => segment.read_postings(connection, word, collect)?,
                PostingKey::Prefix(prefix) => segment
                    .read_prefix_postings(connection, prefix, self.is_cancelled)?
                    .map(|merged| PostingList::parse(&merged.items).and_then(collect))
                    .map(|slots| slots.ok_or_else(corruption_error))
                    .transpose()?,
                PostingKey::Exact(term) => {
                    segment.read_postings(connection, &term.to_index_term(), collect)?
                }
            };
            let slots = slots.unwrap_or_default();
            found.item_count += u32::try_from(slots.len()).unwrap_or(u32::MAX);
            found.segments.push(slots);
        }
        let found = Rc::new(found);
        self.cache.borrow_mut().insert(key.clone(), Rc::clone(&found));
        Ok(found)
    }
}

impl TermPostings {
    /// Returns how many allowed items have the term.
    pub(super) fn item_count(&self) -> u32 {
        self.postings.item_count
    }

    /// Returns the allowed slots of a segment that have the term, each with its score.
    pub(super) fn scores(
        &self,
        number: usize,
        segment: &Segment,
    ) -> impl Iterator<Item = (usize, f32)> {
        let slots = self.postings.segments.get(number).map(Vec::as_slice).unwrap_or_default();
        slots.iter().filter_map(|one| {
            let at = usize::try_from(one.slot).ok()?;
            let length = segment.slots.get(at)?.word_count;
            Some((at, self.weight * self.bm25.score(one.weight, length)))
        })
    }

    /// Returns the posting list of a segment with its positions, if this is a word of a phrase.
    pub(super) fn phrase_list(&self, segment: usize) -> Option<PostingList<'_>> {
        let EncodedPostings { items, positions } = self.with_positions.get(segment)?.as_ref()?;
        Some(PostingList::parse(items)?.with_positions(positions))
    }

    /// Returns the score of an occurrence in an item of `length` words.
    pub(super) fn score(&self, at: Occurrence, length: u16) -> f32 {
        self.weight * self.bm25.score(term_weight(at.fields, at.body_count), length)
    }
}

/// Returns which slots of a segment have a term.
pub(super) fn slots_with_term(
    index: &SearchIndex,
    segment: &Segment,
    term: &ExactTerm,
) -> rusqlite::Result<Vec<bool>> {
    let mut has = vec![false; segment.slots.len()];
    segment.read_postings(&index.connection, &term.to_index_term(), |list| {
        for occurrence in list {
            if let Some(slot) = slot_index(occurrence).and_then(|at| has.get_mut(at)) {
                *slot = true;
            }
        }
        Some(())
    })?;
    Ok(has)
}

pub(super) fn slot_index(occurrence: Occurrence) -> Option<usize> {
    usize::try_from(occurrence.slot).ok()
}
