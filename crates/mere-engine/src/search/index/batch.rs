//! Items that go into the index together: their words, turned around in memory.

use std::collections::HashMap;

use mere_core::embed::Vector;
use mere_core::graph::Link;
use mere_core::item::ItemType;
use mere_core::search::{Document, DocumentField, for_each_token, stem};

use super::CorpusId;
use super::posting::PostingWriter;
use mere_host::FileStamp;

/// How far fields are apart, so that no phrase goes from one to the next.
const FIELD_GAP: u32 = 8;
/// The most words of an item that are indexed: what is longer says nothing new.
const MAX_WORDS: u32 = 100_000;

/// An item that is to be found.
pub(crate) struct IndexEntry {
    /// In which ground it lies.
    pub(crate) corpus: CorpusId,
    /// Where in it.
    pub(crate) path: String,
    /// Which of two equal matches comes first.
    pub(crate) tie_break: u32,
    /// What lay there when the disk was looked at. If it is something else by now, another process
    /// was quicker, and this is dropped.
    pub(crate) replaces: Option<u32>,
    /// What its file looked like; none if it may have changed since and look the same.
    pub(crate) stamp: Option<FileStamp>,
    pub(crate) kind: ItemType,
    pub(crate) id: String,
    pub(crate) category: String,
    /// From when on it is hidden, in nanoseconds since 1970.
    pub(crate) expires: Option<i64>,
    /// When its file was changed, in nanoseconds since 1970.
    pub(crate) modified: i64,
    /// What it is called, as agents see it; empty for what has no links.
    pub(crate) title: String,
    /// What kind of knowledge it is.
    pub(crate) entry_type: Option<String>,
    /// What it links to: relation and target.
    pub(crate) links: Vec<Link>,
    /// The print of what it means, where its vector comes later: as long as that is the same, the one
    /// it had is kept.
    pub(crate) text_fingerprint: Option<i64>,
    /// What the model makes of it.
    pub(crate) vector: Option<Vector>,
}

/// The same with how many words it has.
pub(super) struct CountedEntry {
    pub(super) entry: IndexEntry,
    /// None for what could not be understood: it is known, and never found.
    pub(super) word_count: Option<u16>,
}

/// Items and their words.
#[derive(Default)]
pub(crate) struct IndexBatch {
    pub(super) entries: Vec<CountedEntry>,
    /// Every word of every item, in few bytes: there are very many.
    mentions: Vec<Mention>,
    /// The number of each term.
    term_numbers: HashMap<Box<str>, u32>,
    /// The same for words as they stand in texts, so that each is reduced to its stem once.
    word_terms: HashMap<Box<str>, u32>,
}

impl IndexBatch {
    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }

    /// One more item; without a document it is known and never found.
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

    /// The number of the stem of a word.
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

    /// The items, and their words.
    pub(super) fn finish(mut self) -> (Vec<CountedEntry>, BatchTerms) {
        self.mentions.sort_unstable();
        let mut names = self.term_numbers.into_iter().collect::<Vec<_>>();
        names.sort_unstable();
        let mut stems = vec![""; names.len()];
        for (name, term) in &names {
            stems[*term as usize] = name;
        }
        let forms = self.word_terms.into_iter().filter_map(|(spelt, term)| {
            let stem = stems[term as usize];
            (*spelt != *stem).then(|| (spelt, stem.into()))
        });
        let forms = forms.collect();
        (self.entries, BatchTerms { names: names.into_iter(), mentions: self.mentions, forms })
    }
}

/// The words of a batch in order, each with who has it.
pub(super) struct BatchTerms {
    names: std::vec::IntoIter<(Box<str>, u32)>,
    /// In order.
    mentions: Vec<Mention>,
    /// Words that are not written like their stems, each with its stem.
    pub(super) forms: Vec<(Box<str>, Box<str>)>,
}

impl Iterator for BatchTerms {
    type Item = (Box<str>, Vec<u8>);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (name, term) = self.names.next()?;
            let start = self.mentions.partition_point(|mention| mention.term() < term);
            let own = self.mentions[start..].iter().take_while(|mention| mention.term() == term);
            let mut writer = PostingWriter::default();
            for mention in own {
                writer.add(mention.item(), mention.field(), mention.position());
            }
            if let Some(data) = writer.finish() {
                return Some((name, data));
            }
        }
    }
}

/// That an item has a term at a place of a field, in one number: in order of terms, items, places.
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

    /// So many bits of it, from one on.
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
