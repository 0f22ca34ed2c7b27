//! A query with the lists of its words at hand, and which of them decide.

use mere_core::item::ItemType;
use mere_core::search::{Bm25, Clause, Highlight, Mark, Query, Sign, What};

use super::typo;
use crate::search::index::{Index, Occurrence, Posting, Segment};

/// The most words that one beginning stands for.
const MAX_BEGINNINGS: usize = 64;
/// What a word counts that merely begins as asked.
const BEGUN: f32 = 0.8;
/// From so many items on a word can be too common to decide anything.
const MANY: u32 = 200;

/// Who has one word, by segment.
pub(super) struct List {
    word: String,
    /// What it counts: less if it is not quite the word.
    weight: f32,
    /// As the index has them: with places.
    data: Vec<Option<Vec<u8>>>,
    pub(super) score: Bm25,
    count: u32,
}

/// One clause, with all lists that can make it true.
pub(super) struct Group {
    pub(super) sign: Sign,
    pub(super) lists: Vec<List>,
    /// Whether all of them must stand one after the other.
    pub(super) is_phrase: bool,
    /// Whether it brings items in, or only counts for those that others brought.
    pub(super) admits: bool,
    /// How much it says: the more the fewer items have it.
    pub(super) value: f32,
}

/// A query that can be answered.
pub(super) struct Plan {
    pub(super) groups: Vec<Group>,
    /// Who is called exactly so.
    pub(super) named: Vec<Vec<bool>>,
    /// Whether words are asked for at all; else everything that is allowed matches.
    pub(super) has_words: bool,
}

/// The types that a query asks for, among these.
pub(super) fn kinds(query: &Query, kinds: &[ItemType]) -> Vec<ItemType> {
    let said = |sign| {
        let clauses = query.clauses.iter().filter(move |clause| clause.sign == sign);
        clauses.filter_map(|clause| match &clause.what {
            What::Type(name) => Some(name.as_str()),
            _ => None,
        })
    };
    let is = |kind: ItemType, name: &str| name.parse() == Ok(kind);
    let asks = said(Sign::Must).next().is_some();
    let kinds = kinds.iter().copied().filter(|kind| {
        (!asks || said(Sign::Must).any(|name| is(*kind, name)))
            && !said(Sign::MustNot).any(|name| is(*kind, name))
    });
    kinds.collect()
}

/// Which slots of a segment have a word.
pub(super) fn who_has(index: &Index, segment: &Segment, word: &str) -> rusqlite::Result<Vec<bool>> {
    let data = segment.posting(&index.connection, word)?;
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

impl Plan {
    pub(super) fn make(
        index: &Index,
        query: &Query,
        allowed: &[Vec<bool>],
    ) -> rusqlite::Result<Self> {
        let library = Library::of(index, allowed);
        let mut groups = Vec::new();
        for clause in &query.clauses {
            groups.extend(library.group(clause)?);
        }
        judge(&mut groups, library.all);
        let mut named = Vec::new();
        for segment in &index.segments {
            let name = Mark::Name(query.whole.clone()).term();
            named.push(who_has(index, segment, &name)?);
        }
        let word = |what: &What| matches!(what, What::Word(_) | What::Prefix(_) | What::Phrase(_));
        let has_words =
            query.clauses.iter().any(|clause| clause.sign != Sign::MustNot && word(&clause.what));
        Ok(Self { groups, named, has_words })
    }

    /// How much all clauses say that count for an item.
    pub(super) fn value(&self) -> f32 {
        let wanted = self.groups.iter().filter(|group| group.sign != Sign::MustNot);
        wanted.map(|group| group.value).sum()
    }

    /// The words that decide, as they are in the index.
    pub(super) fn highlight(&self) -> Highlight {
        let wanted = self.groups.iter().filter(|group| group.sign != Sign::MustNot && group.admits);
        let words = wanted.flat_map(|group| &group.lists).map(|list| list.word.clone());
        let stems = words.filter(|word| !word.starts_with('\u{1}')).collect();
        Highlight { stems, prefixes: Vec::new() }
    }
}

/// Words that more than a tenth of the items have bring none in, where rarer ones do.
fn judge(groups: &mut [Group], all: u32) {
    let is_common = |group: &Group| {
        let most = group.lists.iter().map(|list| list.count).max().unwrap_or_default();
        all >= MANY && most > all / 10
    };
    let wanted = groups.iter().filter(|group| group.sign != Sign::MustNot);
    let has_rare = wanted.filter(|group| !group.lists.is_empty()).any(|group| !is_common(group));
    for group in groups.iter_mut().filter(|group| group.sign == Sign::Should) {
        group.admits = !(has_rare && is_common(group));
    }
}

/// The index as one query sees it.
struct Library<'a> {
    index: &'a Index,
    allowed: &'a [Vec<bool>],
    /// How many items there are for it.
    all: u32,
    average: f32,
}

impl<'a> Library<'a> {
    fn of(index: &'a Index, allowed: &'a [Vec<bool>]) -> Self {
        let (mut all, mut words) = (0_u32, 0_u64);
        for (segment, allowed) in index.segments.iter().zip(allowed) {
            for (slot, _) in segment.slots.iter().zip(allowed).filter(|(_, allowed)| **allowed) {
                all += 1;
                words += u64::from(slot.length);
            }
        }
        let average = words.checked_div(u64::from(all)).unwrap_or_default();
        let average = f32::from(u16::try_from(average).unwrap_or(u16::MAX));
        Self { index, allowed, all, average }
    }

    fn group(&self, clause: &Clause) -> rusqlite::Result<Option<Group>> {
        let (lists, is_phrase) = match &clause.what {
            What::Word(word) => (self.word(word, clause.sign)?, false),
            What::Prefix(prefix) => (self.prefix(prefix)?, false),
            What::Phrase(words) => {
                let lists = words.iter().map(|word| self.list(word, 1.0));
                (lists.collect::<rusqlite::Result<Vec<_>>>()?, true)
            }
            What::Tag(tag) => (vec![self.list(&Mark::Tag(tag.clone()).term(), 0.0)?], false),
            What::Category(category) => {
                (vec![self.list(&Mark::Category(category.clone()).term(), 0.0)?], false)
            }
            What::Type(_) => return Ok(None),
        };
        let value = match &clause.what {
            What::Word(_) | What::Prefix(_) | What::Phrase(_) => self.value(&lists),
            What::Tag(_) | What::Category(_) | What::Type(_) => 0.0,
        };
        Ok(Some(Group { sign: clause.sign, lists, is_phrase, admits: true, value }))
    }

    /// How much a clause says: as much as the rarest of its words, and as a word that nobody has if
    /// nobody has any.
    fn value(&self, lists: &[List]) -> f32 {
        let values = lists.iter().map(|list| list.score.idf() * list.weight.max(f32::MIN_POSITIVE));
        let value = values.fold(0.0, f32::max);
        if lists.is_empty() { Bm25::new(self.all, 0, self.average).idf() } else { value }
    }

    /// The lists of a word, and of what it may have been meant to be if nobody has it.
    fn word(&self, word: &str, sign: Sign) -> rusqlite::Result<Vec<List>> {
        let own = self.list(word, 1.0)?;
        if own.count > 0 || sign == Sign::MustNot {
            return Ok(vec![own]);
        }
        let meant = typo::meant(self.index, word)?;
        let lists = meant.into_iter().map(|(word, weight)| self.list(&word, weight));
        let mut lists = lists.collect::<rusqlite::Result<Vec<_>>>()?;
        lists.retain(|list| list.count > 0);
        Ok(lists)
    }

    fn prefix(&self, prefix: &str) -> rusqlite::Result<Vec<List>> {
        let mut words = std::collections::BTreeSet::new();
        for segment in &self.index.segments {
            let begun = segment.beginning(&self.index.connection, prefix, MAX_BEGINNINGS)?;
            words.extend(begun);
        }
        let mut stem = prefix.to_owned();
        mere_core::search::stem(&mut stem);
        let words = [stem].into_iter().chain(words).take(MAX_BEGINNINGS);
        let words = words.collect::<std::collections::BTreeSet<_>>();
        words.iter().map(|word| self.list(word, BEGUN)).collect()
    }

    fn list(&self, word: &str, weight: f32) -> rusqlite::Result<List> {
        let mut data = Vec::with_capacity(self.index.segments.len());
        let mut count = 0;
        for (segment, allowed) in self.index.segments.iter().zip(self.allowed) {
            let own = segment.posting(&self.index.connection, word)?;
            let posting = own.as_deref().and_then(Posting::read).into_iter().flatten();
            let seen =
                posting.filter(|one| slot(*one).and_then(|at| allowed.get(at)) == Some(&true));
            count += u32::try_from(seen.count()).unwrap_or(u32::MAX);
            data.push(own);
        }
        let score = Bm25::new(self.all, count, self.average);
        Ok(List { word: word.to_owned(), weight, data, score, count })
    }
}

impl List {
    /// Who has the word in a segment.
    pub(super) fn posting(&self, segment: usize) -> Option<Posting<'_>> {
        self.data.get(segment)?.as_deref().and_then(Posting::read)
    }

    /// What an occurrence counts.
    pub(super) fn points(&self, at: Occurrence, length: u16) -> f32 {
        self.weight * self.score.score(at.fields, at.times, length)
    }
}
