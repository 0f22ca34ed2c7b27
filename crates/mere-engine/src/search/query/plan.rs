//! A query with its posting lists, and which of its clauses admit items.
//!
//! It reads the posting lists that the query needs, and scores no item itself.

use mere_core::item::ItemType;
use mere_core::search::{Clause, ExactTerm, Highlight, Occur, PhraseWord, Query, QueryTerm};

use super::term_postings::{PostingCache, PostingKey, TermPostings, slots_with_term};
use crate::search::error::SearchError;
use crate::search::index::SearchIndex;

/// From this number of items on, a word can be too common to admit any.
const MIN_ITEMS_FOR_COMMON: u32 = 200;

/// A clause with all posting lists that can satisfy it.
pub(super) struct ClausePlan {
    pub(super) occur: Occur,
    pub(super) postings: Vec<TermPostings>,
    /// Whether the terms must stand one after the other.
    pub(super) is_phrase: bool,
    /// Whether it admits items, or only adds to the score of those that others admit.
    pub(super) admits: bool,
    /// Its rarity, which is higher the fewer items have it.
    pub(super) rarity: f32,
}

/// A query that is ready to be matched.
pub(super) struct QueryPlan {
    pub(super) clauses: Vec<ClausePlan>,
    /// The slots whose item has exactly the name that was asked for, by segment.
    pub(super) exact_names: Vec<Vec<bool>>,
    /// Whether the query has any words; otherwise everything that is allowed matches.
    pub(super) has_words: bool,
}

/// Returns which of these types the query asks for.
pub(super) fn requested_kinds(query: &Query, kinds: &[ItemType]) -> Vec<ItemType> {
    let type_names = |occur| {
        let clauses = query.clauses.iter().filter(move |clause| clause.occur == occur);
        clauses.filter_map(|clause| match &clause.term {
            QueryTerm::Type(name) => Some(name.as_str()),
            _ => None,
        })
    };
    let is = |kind: ItemType, name: &str| name.parse() == Ok(kind);
    let asks = type_names(Occur::Must).next().is_some();
    let kinds = kinds.iter().copied().filter(|kind| {
        (!asks || type_names(Occur::Must).any(|name| is(*kind, name)))
            && !type_names(Occur::MustNot).any(|name| is(*kind, name))
    });
    kinds.collect()
}

impl QueryPlan {
    pub(super) fn build(
        index: &SearchIndex,
        query: &Query,
        cache: &PostingCache<'_>,
    ) -> Result<Self, SearchError> {
        let mut clauses = Vec::new();
        for clause in &query.clauses {
            clauses.extend(plan_clause(cache, clause)?);
        }
        decide_admission(&mut clauses, cache.item_count);
        let word = |term: &QueryTerm| {
            matches!(term, QueryTerm::Word(_) | QueryTerm::Prefix(_) | QueryTerm::Phrase(_))
        };
        let has_words =
            query.clauses.iter().any(|clause| clause.occur != Occur::MustNot && word(&clause.term));
        Ok(Self { clauses, exact_names: slots_with_exact_name(index, query)?, has_words })
    }

    /// Returns the summed rarity of all clauses that count for an item.
    pub(super) fn total_rarity(&self) -> f32 {
        let wanted = self.clauses.iter().filter(|clause| clause.occur != Occur::MustNot);
        wanted.map(|clause| clause.rarity).sum()
    }

    /// Returns the words that decide, as the index has them.
    pub(super) fn highlight(&self) -> Highlight {
        let wanted =
            self.clauses.iter().filter(|clause| clause.occur != Occur::MustNot && clause.admits);
        let mut highlight = Highlight::default();
        for list in wanted.flat_map(|clause| &clause.postings) {
            match &list.key {
                PostingKey::Stem(stem) => highlight.stems.push(stem.clone()),
                PostingKey::Prefix(prefix) => highlight.prefixes.push(prefix.clone()),
                PostingKey::Exact(_) => {}
            }
        }
        highlight
    }
}

/// Returns which items have exactly the name that was asked for, by segment.
fn slots_with_exact_name(index: &SearchIndex, query: &Query) -> rusqlite::Result<Vec<Vec<bool>>> {
    let terms = query.names.iter().cloned().map(ExactTerm::Name).collect::<Vec<_>>();
    let mut named = Vec::new();
    for segment in &index.segments {
        let mut any = vec![false; segment.slots.len()];
        for term in &terms {
            let has = slots_with_term(index, segment, term)?;
            any.iter_mut().zip(has).for_each(|(any, has)| *any |= has);
        }
        named.push(any);
    }
    Ok(named)
}

fn plan_clause(
    cache: &PostingCache<'_>,
    clause: &Clause,
) -> Result<Option<ClausePlan>, SearchError> {
    let one = |key| Ok::<_, SearchError>(vec![cache.postings(key)?]);
    let own = match &clause.term {
        // An excluded word is never corrected.
        QueryTerm::Word(word) if clause.occur == Occur::MustNot => {
            one(PostingKey::Stem(word.stem.clone()))?
        }
        QueryTerm::Word(word) => cache.word_postings(word)?,
        QueryTerm::Prefix(prefix) => one(PostingKey::Prefix(prefix.clone()))?,
        QueryTerm::Phrase(parts) => {
            let keys = parts.iter().map(|part| match part {
                PhraseWord::Word(word) => PostingKey::Stem(word.stem.clone()),
                PhraseWord::Prefix(prefix) => PostingKey::Prefix(prefix.clone()),
            });
            keys.map(|key| cache.phrase_postings(key)).collect::<Result<Vec<_>, _>>()?
        }
        QueryTerm::Tag(tag) => one(PostingKey::Exact(ExactTerm::Tag(tag.clone())))?,
        QueryTerm::Category(category) => {
            one(PostingKey::Exact(ExactTerm::Category(category.clone())))?
        }
        QueryTerm::Type(_) => return Ok(None),
    };
    let value = match &clause.term {
        QueryTerm::Word(_) | QueryTerm::Prefix(_) | QueryTerm::Phrase(_) => {
            cache.clause_rarity(&own)
        }
        QueryTerm::Tag(_) | QueryTerm::Category(_) | QueryTerm::Type(_) => 0.0,
    };
    let is_phrase = matches!(clause.term, QueryTerm::Phrase(_));
    Ok(Some(ClausePlan {
        occur: clause.occur,
        postings: own,
        is_phrase,
        admits: true,
        rarity: value,
    }))
}

/// Keeps words that more than a tenth of the items have from admitting any, if there are rarer
/// words.
fn decide_admission(clauses: &mut [ClausePlan], all: u32) {
    let is_common = |clause: &ClausePlan| {
        let most = clause.postings.iter().map(TermPostings::item_count).max().unwrap_or_default();
        all >= MIN_ITEMS_FOR_COMMON && most > all / 10
    };
    let wanted = clauses.iter().filter(|clause| clause.occur != Occur::MustNot);
    // A word that no item has admits none.
    let is_there = |clause: &&ClausePlan| clause.postings.iter().any(|list| list.item_count() > 0);
    let has_rare = wanted.filter(is_there).any(|clause| !is_common(clause));
    for clause in clauses.iter_mut().filter(|clause| clause.occur == Occur::Should) {
        clause.admits = !(has_rare && is_common(clause));
    }
}
