//! A query with the lists of its words at hand, and which of them decide.

use mere_core::item::ItemType;
use mere_core::search::{Clause, ExactTerm, Highlight, Occur, PhraseWord, Query, QueryTerm};

use super::lists::{Key, List, Lists, who_has};
use crate::search::SearchError;
use crate::search::index::Index;

/// From so many items on a word can be too common to decide anything.
const MANY: u32 = 200;

/// One clause, with all lists that can make it true.
pub(super) struct Group {
    pub(super) sign: Occur,
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
        let clauses = query.clauses.iter().filter(move |clause| clause.occur == sign);
        clauses.filter_map(|clause| match &clause.term {
            QueryTerm::Type(name) => Some(name.as_str()),
            _ => None,
        })
    };
    let is = |kind: ItemType, name: &str| name.parse() == Ok(kind);
    let asks = said(Occur::Must).next().is_some();
    let kinds = kinds.iter().copied().filter(|kind| {
        (!asks || said(Occur::Must).any(|name| is(*kind, name)))
            && !said(Occur::MustNot).any(|name| is(*kind, name))
    });
    kinds.collect()
}

impl Plan {
    pub(super) fn make(
        index: &Index,
        query: &Query,
        lists: &Lists<'_>,
    ) -> Result<Self, SearchError> {
        let mut groups = Vec::new();
        for clause in &query.clauses {
            groups.extend(group(lists, clause)?);
        }
        judge(&mut groups, lists.all);
        let word = |what: &QueryTerm| {
            matches!(what, QueryTerm::Word(_) | QueryTerm::Prefix(_) | QueryTerm::Phrase(_))
        };
        let has_words =
            query.clauses.iter().any(|clause| clause.occur != Occur::MustNot && word(&clause.term));
        Ok(Self { groups, named: named(index, query)?, has_words })
    }

    /// How much all clauses say that count for an item.
    pub(super) fn value(&self) -> f32 {
        let wanted = self.groups.iter().filter(|group| group.sign != Occur::MustNot);
        wanted.map(|group| group.value).sum()
    }

    /// The words that decide, as they are in the index.
    pub(super) fn highlight(&self) -> Highlight {
        let wanted =
            self.groups.iter().filter(|group| group.sign != Occur::MustNot && group.admits);
        let mut highlight = Highlight::default();
        for list in wanted.flat_map(|group| &group.lists) {
            match &list.key {
                Key::Stem(stem) => highlight.stems.push(stem.clone()),
                Key::Prefix(prefix) => highlight.prefixes.push(prefix.clone()),
                Key::Mark(_) => {}
            }
        }
        highlight
    }
}

/// Who is called exactly what was asked for, by segment.
fn named(index: &Index, query: &Query) -> rusqlite::Result<Vec<Vec<bool>>> {
    let marks = query.names.iter().cloned().map(ExactTerm::Name).collect::<Vec<_>>();
    let mut named = Vec::new();
    for segment in &index.segments {
        let mut any = vec![false; segment.slots.len()];
        for mark in &marks {
            let has = who_has(index, segment, mark)?;
            any.iter_mut().zip(has).for_each(|(any, has)| *any |= has);
        }
        named.push(any);
    }
    Ok(named)
}

fn group(lists: &Lists<'_>, clause: &Clause) -> Result<Option<Group>, SearchError> {
    let one = |key| Ok::<_, SearchError>(vec![lists.list(key)?]);
    let own = match &clause.term {
        // What is excluded is meant as it is written.
        QueryTerm::Word(word) if clause.occur == Occur::MustNot => {
            one(Key::Stem(word.stem.clone()))?
        }
        QueryTerm::Word(word) => lists.meant(word)?,
        QueryTerm::Prefix(prefix) => one(Key::Prefix(prefix.clone()))?,
        QueryTerm::Phrase(parts) => {
            let keys = parts.iter().map(|part| match part {
                PhraseWord::Word(word) => Key::Stem(word.stem.clone()),
                PhraseWord::Prefix(prefix) => Key::Prefix(prefix.clone()),
            });
            keys.map(|key| lists.list(key)).collect::<Result<Vec<_>, _>>()?
        }
        QueryTerm::Tag(tag) => one(Key::Mark(ExactTerm::Tag(tag.clone())))?,
        QueryTerm::Category(category) => one(Key::Mark(ExactTerm::Category(category.clone())))?,
        QueryTerm::Type(_) => return Ok(None),
    };
    let value = match &clause.term {
        QueryTerm::Word(_) | QueryTerm::Prefix(_) | QueryTerm::Phrase(_) => lists.value(&own),
        QueryTerm::Tag(_) | QueryTerm::Category(_) | QueryTerm::Type(_) => 0.0,
    };
    let is_phrase = matches!(clause.term, QueryTerm::Phrase(_));
    Ok(Some(Group { sign: clause.occur, lists: own, is_phrase, admits: true, value }))
}

/// Words that more than a tenth of the items have bring none in, where rarer ones do.
fn judge(groups: &mut [Group], all: u32) {
    let is_common = |group: &Group| {
        let most = group.lists.iter().map(List::count).max().unwrap_or_default();
        all >= MANY && most > all / 10
    };
    let wanted = groups.iter().filter(|group| group.sign != Occur::MustNot);
    // What nobody has brings nobody in.
    let is_there = |group: &&Group| group.lists.iter().any(|list| list.count() > 0);
    let has_rare = wanted.filter(is_there).any(|group| !is_common(group));
    for group in groups.iter_mut().filter(|group| group.sign == Occur::Should) {
        group.admits = !(has_rare && is_common(group));
    }
}
