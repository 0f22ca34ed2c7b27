//! A batch of items that go into the index together, with their words inverted in memory.
//!
//! Nothing is written to the database here. A batch is complete in itself, so several threads can
//! prepare one each.

use std::collections::HashMap;

use mere_core::embed::Vector;
use mere_core::graph::Link;
use mere_core::item::ItemType;
use mere_core::search::{Document, DocumentField, for_each_token, stem};

use super::CorpusId;
use super::postings::{EncodedPostings, PostingWriter};
use mere_host::FileStamp;

/// The distance between the positions of two fields, so that no phrase spans both.
const FIELD_GAP: u32 = 8;
/// The most words of an item that are indexed; the rest of a longer one adds nothing new.
const MAX_WORDS: u32 = 100_000;

/// An item to be written to the index.
pub(crate) struct IndexEntry {
    /// The corpus in which it lies.
    pub(crate) corpus: CorpusId,
    /// Its path in the corpus.
    pub(crate) path: String,
    /// The order among equal matches; the lower number comes first.
    pub(crate) tie_break: u32,
    /// The item that the index had at this path when the disk was compared. If the index has
    /// another one by now, another process was faster, and this entry is dropped.
    pub(crate) replaces: Option<u32>,
    /// The stamp of its file; none if the file may have changed since without a different stamp.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) kind: ItemType,
    pub(crate) id: String,
    pub(crate) category: String,
    /// The time from which on it is hidden, in nanoseconds since 1970.
    pub(crate) expires: Option<i64>,
    /// The time when its file was modified, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// The title as agents see it; empty for an item that cannot have links.
    pub(crate) title: String,
    /// The type of a knowledge entry.
    pub(crate) entry_type: Option<String>,
    /// Its links, each with a relation and a target.
    pub(crate) links: Vec<Link>,
    /// The fingerprint of the text that is embedded, if its vector is made later. As long as it is
    /// unchanged, the vector of the replaced item is kept.
    pub(crate) text_fingerprint: Option<i64>,
    /// Its vector, if the model makes one while the item is indexed.
    pub(crate) vector: Option<Vector>,
}

/// An entry with its number of words.
pub(super) struct CountedEntry {
    pub(super) entry: IndexEntry,
    /// None for an item that could not be parsed: it is recorded, and never a match.
    pub(super) word_count: Option<u16>,
}

/// Items and their words.
#[derive(Default)]
pub(crate) struct IndexBatch {
    pub(super) entries: Vec<CountedEntry>,
    /// Every occurrence of a word, packed into few bytes because there are very many.
    mentions: Vec<Mention>,
    /// The number of each term.
    term_numbers: HashMap<Box<str>, u32>,
    /// The term number of each word as it is spelt, so that each is stemmed once.
    word_terms: HashMap<Box<str>, u32>,
}

impl IndexBatch {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Adds an item. Without a document it is recorded, and never a match.
    pub(crate) fn add(&mut self, entry: IndexEntry, document: Option<&Document>) {
        let words = document.map(|document| self.add_words(document));
        let length = words.map(|words| u16::try_from(words).unwrap_or(u16::MAX));
        self.entries.push(CountedEntry { entry, word_count: length });
    }

    fn add_words(&mut self, document: &Document) -> u32 {
        let item = u32::try_from(self.entries.len()).unwrap_or(u32::MAX);
        let (mut base, mut count) = (0, 0_u32);
        for (field, text) in DocumentField::ALL.into_iter().zip(&document.texts) {
            let mut last = 0;
            for_each_token(text, |token| {
                if count >= MAX_WORDS {
                    return;
                }
                let term = self.stem_number(token.text);
                self.mentions.push(Mention::new(term, item, base + token.position, field));
                last = token.position;
                count += u32::from(!token.is_subword);
            });
            base += last + FIELD_GAP;
        }
        for mark in &document.exact_terms {
            let term = self.term_number(mark.to_index_term());
            self.mentions.push(Mention::new(term, item, 0, DocumentField::Category));
        }
        count
    }

    /// Returns the term number of a word's stem.
    fn stem_number(&mut self, word: &str) -> u32 {
        if let Some(term) = self.word_terms.get(word) {
            return *term;
        }
        let mut stemmed = word.to_owned();
        stem(&mut stemmed);
        let term = self.term_number(stemmed);
        self.word_terms.insert(word.into(), term);
        term
    }

    fn term_number(&mut self, term: String) -> u32 {
        let next = u32::try_from(self.term_numbers.len()).unwrap_or(u32::MAX);
        *self.term_numbers.entry(term.into_boxed_str()).or_insert(next)
    }

    /// Returns the entries and their terms.
    pub(super) fn finish(mut self) -> (Vec<CountedEntry>, BatchTerms) {
        self.mentions.sort_unstable();
        let mut names = self.term_numbers.into_iter().collect::<Vec<_>>();
        names.sort_unstable();
        let mut stems = vec![""; names.len()];
        for (name, term) in &names {
            stems[*term as usize] = name;
        }
        let forms = self.word_terms.into_iter().filter_map(|(spelling, term)| {
            let stem = stems[term as usize];
            (*spelling != *stem).then(|| (spelling, stem.into()))
        });
        let forms = forms.collect();
        (self.entries, BatchTerms { names: names.into_iter(), mentions: self.mentions, forms })
    }
}

/// The terms of a batch in order, each with its posting list.
pub(super) struct BatchTerms {
    names: std::vec::IntoIter<(Box<str>, u32)>,
    /// Sorted by term, item and position.
    mentions: Vec<Mention>,
    /// The spellings that differ from their stems, each with its stem.
    pub(super) forms: Vec<(Box<str>, Box<str>)>,
}

impl Iterator for BatchTerms {
    type Item = (Box<str>, EncodedPostings);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (name, term) = self.names.next()?;
            let start = self.mentions.partition_point(|mention| mention.term() < term);
            let own = self.mentions[start..].iter().take_while(|mention| mention.term() == term);
            let mut writer = PostingWriter::default();
            for mention in own {
                writer.add(mention.item(), mention.field(), mention.position());
            }
            if let Some(postings) = writer.finish() {
                return Some((name, postings));
            }
        }
    }
}

/// An occurrence of a term in an item, packed into one number that sorts by term, item and
/// position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Mention(u64);

impl Mention {
    const FIELD_BITS: u32 = 3;
    const POSITION_BITS: u32 = 21;
    const ITEM_BITS: u32 = 13;

    fn new(term: u32, item: u32, place: u32, field: DocumentField) -> Self {
        let place = place.min((1 << Self::POSITION_BITS) - 1);
        let number = u64::from(term) << Self::ITEM_BITS | u64::from(item);
        let number = number << Self::POSITION_BITS | u64::from(place);
        Self(number << Self::FIELD_BITS | u64::from(field.bit().trailing_zeros()))
    }

    /// Returns `bits` bits, starting at bit `from`.
    fn extract_bits(self, from: u32, bits: u32) -> u32 {
        u32::try_from(self.0 >> from & ((1 << bits) - 1)).unwrap_or_default()
    }

    fn field(self) -> DocumentField {
        let number = self.extract_bits(0, Self::FIELD_BITS) as usize;
        DocumentField::ALL.get(number).copied().unwrap_or(DocumentField::Body)
    }

    fn position(self) -> u32 {
        self.extract_bits(Self::FIELD_BITS, Self::POSITION_BITS)
    }

    fn item(self) -> u32 {
        self.extract_bits(Self::FIELD_BITS + Self::POSITION_BITS, Self::ITEM_BITS)
    }

    fn term(self) -> u32 {
        self.extract_bits(Self::FIELD_BITS + Self::POSITION_BITS + Self::ITEM_BITS, 27)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mention_is_its_parts() {
        for field in DocumentField::ALL {
            let mention = Mention::new(99_999, 8_191, 1_999_999, field);
            let parts = (mention.term(), mention.item(), mention.position(), mention.field());
            assert_eq!(parts, (99_999, 8_191, 1_999_999, field));
        }
    }
}
