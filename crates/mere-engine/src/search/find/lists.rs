//! Who has which words, as one query may see it.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use mere_core::search::{Bm25, ExactTerm, QueryWord};

use super::typo;
use crate::search::SearchError;
use crate::search::index::{Index, Occurrence, Posting, Segment, damage};

/// What a word counts that merely begins as asked.
const BEGUN: f32 = 0.8;
/// The most words that one is taken for.
const MAX_MEANT: usize = 4;

/// What a list is of.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Key {
    Stem(String),
    /// Any word that begins so.
    Prefix(String),
    Mark(ExactTerm),
}

/// Who has what a clause asks for.
pub(super) struct List {
    pub(super) key: Key,
    /// What it counts: less if it is not quite the word.
    weight: f32,
    found: Rc<Occurrences>,
    score: Bm25,
}

/// The items that have it.
struct Occurrences {
    /// By segment, as the index has them: with places.
    data: Vec<Option<Vec<u8>>>,
    /// How many may be found.
    count: u32,
}

/// The index as one query sees it. Every list is read once.
pub(super) struct Lists<'a> {
    index: &'a Index,
    allowed: &'a [Vec<bool>],
    over: &'a dyn Fn() -> bool,
    /// How many items there are for it.
    pub(super) all: u32,
    average: f32,
    known: RefCell<BTreeMap<Key, Rc<Occurrences>>>,
}

impl<'a> Lists<'a> {
    pub(super) fn of(
        index: &'a Index,
        allowed: &'a [Vec<bool>],
        over: &'a dyn Fn() -> bool,
    ) -> Self {
        let (mut all, mut words) = (0_u32, 0_u64);
        for (segment, allowed) in index.segments.iter().zip(allowed) {
            for (slot, _) in segment.slots.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
                all += 1;
                words += u64::from(slot.length);
            }
        }
        let average = words.checked_div(u64::from(all)).unwrap_or_default();
        let average = f32::from(u16::try_from(average).unwrap_or(u16::MAX));
        Self { index, allowed, over, all, average, known: RefCell::default() }
    }

    /// The lists of a word, and of what it may have been meant to be if nobody has it.
    pub(super) fn meant(&self, word: &QueryWord) -> Result<Vec<List>, SearchError> {
        let own = self.list(Key::Stem(word.stem.clone()))?;
        if own.count() > 0 {
            return Ok(vec![own]);
        }
        let mut lists = Vec::new();
        let mut fewest = None;
        // What only items have that are not to be found is meant by nobody.
        for (slips, near) in typo::near(self.index, word, self.over)? {
            if lists.len() == MAX_MEANT || fewest.is_some_and(|fewest| slips > fewest) {
                break;
            }
            let list = self.weighed(Key::Stem(near), if slips == 1 { 0.7 } else { 0.5 })?;
            if list.count() > 0 {
                fewest = Some(slips);
                lists.push(list);
            }
        }
        Ok(lists)
    }

    pub(super) fn list(&self, key: Key) -> Result<List, SearchError> {
        let weight = match key {
            Key::Stem(_) => 1.0,
            Key::Prefix(_) => BEGUN,
            Key::Mark(_) => 0.0,
        };
        self.weighed(key, weight)
    }

    fn weighed(&self, key: Key, weight: f32) -> Result<List, SearchError> {
        let found = self.read(&key)?;
        let score = Bm25::new(self.all, found.count, self.average);
        Ok(List { key, weight, found, score })
    }

    /// How much a clause says: as much as the rarest of its words, and as a word that nobody has if
    /// nobody has any.
    pub(super) fn value(&self, lists: &[List]) -> f32 {
        let values = lists.iter().map(|list| list.score.idf() * list.weight.max(f32::MIN_POSITIVE));
        let value = values.fold(0.0, f32::max);
        if lists.is_empty() { Bm25::new(self.all, 0, self.average).idf() } else { value }
    }

    fn read(&self, key: &Key) -> Result<Rc<Occurrences>, SearchError> {
        if let Some(known) = self.known.borrow().get(key) {
            return Ok(Rc::clone(known));
        }
        let mut found = Occurrences { data: Vec::new(), count: 0 };
        for (segment, allowed) in self.index.segments.iter().zip(self.allowed) {
            if (self.over)() {
                return Err(SearchError::Over);
            }
            let connection = &self.index.connection;
            let data = match key {
                Key::Stem(word) => segment.posting(connection, word)?,
                Key::Prefix(prefix) => segment.beginning(connection, prefix, self.over)?,
                Key::Mark(mark) => segment.posting(connection, &mark.to_index_term())?,
            };
            let may = |one: Occurrence| slot(one).and_then(|at| allowed.get(at)) == Some(&true);
            found.count += count(data.as_deref(), may)?;
            found.data.push(data);
        }
        let found = Rc::new(found);
        self.known.borrow_mut().insert(key.clone(), Rc::clone(&found));
        Ok(found)
    }
}

impl List {
    /// How many items have it.
    pub(super) fn count(&self) -> u32 {
        self.found.count
    }

    /// Who has it in a segment.
    pub(super) fn posting(&self, segment: usize) -> Option<Posting<'_>> {
        self.found.data.get(segment)?.as_deref().and_then(Posting::read)
    }

    /// What an occurrence counts.
    pub(super) fn points(&self, at: Occurrence, length: u16) -> f32 {
        self.weight * self.score.score(at.fields, at.times, length)
    }
}

/// How many of a list are such. A list that does not make sense is damage.
fn count(data: Option<&[u8]>, is: impl Fn(Occurrence) -> bool) -> rusqlite::Result<u32> {
    let Some(data) = data else { return Ok(0) };
    let mut posting = Posting::read(data).ok_or_else(damage)?;
    let count = posting.by_ref().filter(|one| is(*one)).count();
    if posting.is_whole() { Ok(u32::try_from(count).unwrap_or(u32::MAX)) } else { Err(damage()) }
}

/// Which slots of a segment have a mark.
pub(super) fn who_has(
    index: &Index,
    segment: &Segment,
    mark: &ExactTerm,
) -> rusqlite::Result<Vec<bool>> {
    let data = segment.posting(&index.connection, &mark.to_index_term())?;
    let mut has = vec![false; segment.slots.len()];
    for occurrence in data.as_deref().and_then(Posting::read).into_iter().flatten() {
        if let Some(slot) = slot(occurrence).and_then(|at| has.get_mut(at)) {
            *slot = true;
        }
    }
    Ok(has)
}

pub(super) fn slot(occurrence: Occurrence) -> Option<usize> {
    usize::try_from(occurrence.item).ok()
}
