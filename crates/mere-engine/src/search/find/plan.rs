//! A query with the lists of its words at hand, and which of them decide.

use mere_core::item::ItemType;
use mere_core::search::{Clause, Highlight, Mark, Part, Query, Sign, What};

use super::lists::{Key, List, Lists, who_has};
use crate::search::SearchError;
use crate::search::index::Index;

/// From so many items on a word can be too common to decide anything.
const MANY: u32 = 200;

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
        let word = |what: &What| matches!(what, What::Word(_) | What::Prefix(_) | What::Phrase(_));
        let has_words =
            query.clauses.iter().any(|clause| clause.sign != Sign::MustNot && word(&clause.what));
        Ok(Self { groups, named: named(index, query)?, has_words })
    }

    /// How much all clauses say that count for an item.
    pub(super) fn value(&self) -> f32 {
        let wanted = self.groups.iter().filter(|group| group.sign != Sign::MustNot);
        wanted.map(|group| group.value).sum()
    }

    /// The words that decide, as they are in the index.
    pub(super) fn highlight(&self) -> Highlight {
        let wanted = self.groups.iter().filter(|group| group.sign != Sign::MustNot && group.admits);
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
    let marks = query.names.iter().cloned().map(Mark::Name).collect::<Vec<_>>();
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
    let own = match &clause.what {
        // What is excluded is meant as it is written.
        What::Word(word) if clause.sign == Sign::MustNot => one(Key::Stem(word.stem.clone()))?,
        What::Word(word) => lists.meant(word)?,
        What::Prefix(prefix) => one(Key::Prefix(prefix.clone()))?,
        What::Phrase(parts) => {
            let keys = parts.iter().map(|part| match part {
                Part::Word(word) => Key::Stem(word.stem.clone()),
                Part::Prefix(prefix) => Key::Prefix(prefix.clone()),
            });
            keys.map(|key| lists.list(key)).collect::<Result<Vec<_>, _>>()?
        }
        What::Tag(tag) => one(Key::Mark(Mark::Tag(tag.clone())))?,
        What::Category(category) => one(Key::Mark(Mark::Category(category.clone())))?,
        What::Type(_) => return Ok(None),
    };
    let value = match &clause.what {
        What::Word(_) | What::Prefix(_) | What::Phrase(_) => lists.value(&own),
        What::Tag(_) | What::Category(_) | What::Type(_) => 0.0,
    };
    let is_phrase = matches!(clause.what, What::Phrase(_));
    Ok(Some(Group { sign: clause.sign, lists: own, is_phrase, admits: true, value }))
}

/// Words that more than a tenth of the items have bring none in, where rarer ones do.
fn judge(groups: &mut [Group], all: u32) {
    let is_common = |group: &Group| {
        let most = group.lists.iter().map(List::count).max().unwrap_or_default();
        all >= MANY && most > all / 10
    };
    let wanted = groups.iter().filter(|group| group.sign != Sign::MustNot);
    // What nobody has brings nobody in.
    let is_there = |group: &&Group| group.lists.iter().any(|list| list.count() > 0);
    let has_rare = wanted.filter(is_there).any(|group| !is_common(group));
    for group in groups.iter_mut().filter(|group| group.sign == Sign::Should) {
        group.admits = !(has_rare && is_common(group));
    }
}
