//! The vocabulary of a segment, in which similar words are found quickly.
//!
//! It is used only to correct misspelt words. Exact words are looked up in the posting lists.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The longest word that is stored, in bytes; nobody means a longer one by a misspelling.
const MAX_WORD_BYTES: usize = 255;
/// The separator between a spelling and its stem.
const FORM_SEPARATOR: char = '\t';

/// The words of a segment, sorted by length.
pub(crate) struct SegmentVocabulary {
    text: String,
    /// Sorted by length.
    words: Vec<WordSpan>,
}

struct WordSpan {
    letter_bits: u32,
    start: u32,
    byte_length: u8,
    /// The end of its line.
    line_end: u32,
}

/// A word as it occurs in items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordForm<'a> {
    pub(crate) letter_bits: u32,
    pub(crate) spelling: &'a str,
    pub(crate) stem: &'a str,
}

impl WordForm<'_> {
    /// Returns whether it is spelt like its stem.
    pub(crate) fn is_stem(self) -> bool {
        self.spelling.len() == self.stem.len() && self.spelling == self.stem
    }
}

impl SegmentVocabulary {
    /// Parses a text that [`VocabularyWriter`] wrote.
    pub(super) fn parse(text: String) -> Self {
        let mut words = Vec::new();
        let mut start = 0;
        for line in text.split_terminator('\n') {
            let spelling = line.split(FORM_SEPARATOR).next().unwrap_or_default();
            let (place, end) = (u32::try_from(start), u32::try_from(start + line.len()));
            if let (Ok(start), Ok(end), Ok(length)) = (place, end, u8::try_from(spelling.len())) {
                words.push(WordSpan {
                    letter_bits: letter_bits(spelling),
                    start,
                    byte_length: length,
                    line_end: end,
                });
            }
            start += line.len() + 1;
        }
        words.sort_by_key(|word| word.byte_length);
        Self { text, words }
    }

    /// Returns the words of these lengths, in bytes, whose letter bits satisfy `has`.
    pub(crate) fn words_of_length(
        &self,
        lengths: RangeInclusive<usize>,
        has: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = WordForm<'_>> {
        let (least, most) = lengths.into_inner();
        let start = self.words.partition_point(|word| usize::from(word.byte_length) < least);
        let end = self.words.partition_point(|word| usize::from(word.byte_length) <= most);
        let all = self.words.get(start..end).unwrap_or_default().iter();
        // There are very many words, so the text is read only for the few that remain.
        all.filter(move |word| has(word.letter_bits)).map(|word| {
            let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
            let line = self.text.get(place(word.start)..place(word.line_end)).unwrap_or_default();
            let (spelling, stem) =
                line.split_at_checked(word.byte_length.into()).unwrap_or((line, ""));
            let stem = stem.strip_prefix(FORM_SEPARATOR).unwrap_or(spelling);
            WordForm { letter_bits: word.letter_bits, spelling, stem }
        })
    }
}

/// The vocabulary of a segment while it is written: stems in order, then other spellings.
#[derive(Default)]
pub(super) struct VocabularyWriter {
    stems: String,
    forms: BTreeSet<String>,
}

impl VocabularyWriter {
    /// Adds a stem, unless it is a mark, which nobody can misspell.
    pub(super) fn add_stem(&mut self, stem: &str) {
        if !stem.starts_with('\u{1}') && stem.len() <= MAX_WORD_BYTES {
            self.stems.push_str(stem);
            self.stems.push('\n');
        }
    }

    /// Adds a spelling of a stem.
    pub(super) fn add_form(&mut self, spelling: &str, stem: &str) {
        if spelling != stem && spelling.len() <= MAX_WORD_BYTES && stem.len() <= MAX_WORD_BYTES {
            self.forms.insert(format!("{spelling}{FORM_SEPARATOR}{stem}"));
        }
    }

    /// Copies the spellings of another segment whose stems are in this one.
    pub(super) fn copy_forms(&mut self, other: &str) {
        let stems = std::mem::take(&mut self.stems);
        let own = stems.split_terminator('\n').collect::<Vec<_>>();
        for line in other.split_terminator('\n') {
            if let Some((spelling, stem)) = line.split_once(FORM_SEPARATOR)
                && own.binary_search(&stem).is_ok()
            {
                self.add_form(spelling, stem);
            }
        }
        self.stems = stems;
    }

    pub(super) fn finish(self) -> String {
        self.forms.iter().fold(self.stems, |mut text, form| {
            text.push_str(form);
            text.push('\n');
            text
        })
    }
}

/// Returns a bit set of the letters in a word, by which most words are told apart quickly.
pub(crate) fn letter_bits(word: &str) -> u32 {
    word.bytes().fold(0, |bits, byte| bits | 1 << (byte % 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vocabulary_of(stems: &[&str], forms: &[(&str, &str)]) -> String {
        let mut writer = VocabularyWriter::default();
        for stem in stems {
            writer.add_stem(stem);
        }
        for (spelling, stem) in forms {
            writer.add_form(spelling, stem);
        }
        writer.finish()
    }

    #[test]
    fn words_are_found_by_their_length() {
        let long = "x".repeat(300);
        let words = SegmentVocabulary::parse(vocabulary_of(
            &["\u{1}tag:a", "ab", "abc", "b", &long, "page", "üb"],
            &[("paging", "page"), ("pages", "page"), ("b", "b")],
        ));
        let all = |_| true;
        let found = |lengths| {
            words.words_of_length(lengths, all).map(|word| word.spelling).collect::<Vec<_>>()
        };
        assert_eq!(found(2..=3), ["ab", "abc", "üb"]);
        assert_eq!(found(0..=1), ["b"]);
        assert!(
            found(7..=1000).is_empty()
                && SegmentVocabulary::parse(String::new()).words_of_length(0..=9, all).count() == 0
        );
        let has_s = |letters: u32| letters & 1 << (b's' % 32) != 0;
        assert_eq!(
            words.words_of_length(5..=6, has_s).map(|word| word.spelling).collect::<Vec<_>>(),
            ["pages"]
        );
        let forms = words
            .words_of_length(5..=6, all)
            .map(|word| (word.spelling, word.stem, word.is_stem()));
        assert_eq!(
            forms.collect::<Vec<_>>(),
            [("pages", "page", false), ("paging", "page", false)]
        );
    }

    #[test]
    fn forms_are_kept_with_their_stems() {
        let old = vocabulary_of(&["gone", "page"], &[("paging", "page"), ("goner", "gone")]);
        let mut writer = VocabularyWriter::default();
        writer.add_stem("page");
        writer.copy_forms(&old);
        assert_eq!(writer.finish(), "page\npaging\tpage\n");
    }
}
