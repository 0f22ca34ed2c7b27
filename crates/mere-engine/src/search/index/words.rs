//! The words of a segment, so that those which look alike are found in no time.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

/// The longest word that is remembered, in bytes: nobody misspells longer ones.
const LONGEST: usize = 255;
/// What stands between a word as it is written and its stem.
const BETWEEN: char = '\t';

/// Words by their length.
pub(crate) struct Words {
    text: String,
    /// In order of their lengths.
    words: Vec<Word>,
}

struct Word {
    letters: u32,
    start: u32,
    length: u8,
    /// Where its line ends.
    end: u32,
}

/// A word that items have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Form<'a> {
    pub(crate) letters: u32,
    pub(crate) spelt: &'a str,
    pub(crate) stem: &'a str,
}

impl Form<'_> {
    /// Whether it is written like its stem.
    pub(crate) fn is_stem(self) -> bool {
        self.spelt.len() == self.stem.len() && self.spelt == self.stem
    }
}

impl Words {
    /// Those of a text that [`Writer`] wrote.
    pub(super) fn of(text: String) -> Self {
        let mut words = Vec::new();
        let mut start = 0;
        for line in text.split_terminator('\n') {
            let spelt = line.split(BETWEEN).next().unwrap_or_default();
            let (place, end) = (u32::try_from(start), u32::try_from(start + line.len()));
            if let (Ok(start), Ok(end), Ok(length)) = (place, end, u8::try_from(spelt.len())) {
                words.push(Word { letters: letters(spelt), start, length, end });
            }
            start += line.len() + 1;
        }
        words.sort_by_key(|word| word.length);
        Self { text, words }
    }

    /// The words of these lengths, in bytes, that have such letters.
    pub(crate) fn long(
        &self,
        lengths: RangeInclusive<usize>,
        has: impl Fn(u32) -> bool,
    ) -> impl Iterator<Item = Form<'_>> {
        let (least, most) = lengths.into_inner();
        let start = self.words.partition_point(|word| usize::from(word.length) < least);
        let end = self.words.partition_point(|word| usize::from(word.length) <= most);
        let all = self.words.get(start..end).unwrap_or_default().iter();
        // There are very many: what they are is read only of few.
        all.filter(move |word| has(word.letters)).map(|word| {
            let place = |at: u32| usize::try_from(at).unwrap_or(usize::MAX);
            let line = self.text.get(place(word.start)..place(word.end)).unwrap_or_default();
            let (spelt, stem) = line.split_at_checked(word.length.into()).unwrap_or((line, ""));
            let stem = stem.strip_prefix(BETWEEN).unwrap_or(spelt);
            Form { letters: word.letters, spelt, stem }
        })
    }
}

/// The words of a segment that is written: stems in order, then what else is written so.
#[derive(Default)]
pub(super) struct Writer {
    stems: String,
    forms: BTreeSet<String>,
}

impl Writer {
    /// A stem that people can misspell; marks are none.
    pub(super) fn add(&mut self, stem: &str) {
        if !stem.starts_with('\u{1}') && stem.len() <= LONGEST {
            self.stems.push_str(stem);
            self.stems.push('\n');
        }
    }

    /// How a word of a stem is written.
    pub(super) fn add_form(&mut self, spelt: &str, stem: &str) {
        if spelt != stem && spelt.len() <= LONGEST && stem.len() <= LONGEST {
            self.forms.insert(format!("{spelt}{BETWEEN}{stem}"));
        }
    }

    /// The forms that another segment has, of stems that are here.
    pub(super) fn add_forms_of(&mut self, other: &str) {
        let stems = std::mem::take(&mut self.stems);
        let own = stems.split_terminator('\n').collect::<Vec<_>>();
        for line in other.split_terminator('\n') {
            if let Some((spelt, stem)) = line.split_once(BETWEEN)
                && own.binary_search(&stem).is_ok()
            {
                self.add_form(spelt, stem);
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

/// A bit for each letter that a word has: most words are told apart by that alone.
pub(crate) fn letters(word: &str) -> u32 {
    word.bytes().fold(0, |bits, byte| bits | 1 << (byte % 32))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(stems: &[&str], forms: &[(&str, &str)]) -> String {
        let mut writer = Writer::default();
        for stem in stems {
            writer.add(stem);
        }
        for (spelt, stem) in forms {
            writer.add_form(spelt, stem);
        }
        writer.finish()
    }

    #[test]
    fn words_are_found_by_their_length() {
        let long = "x".repeat(300);
        let words = Words::of(written(
            &["\u{1}tag:a", "ab", "abc", "b", &long, "page", "üb"],
            &[("paging", "page"), ("pages", "page"), ("b", "b")],
        ));
        let all = |_| true;
        let found = |lengths| words.long(lengths, all).map(|word| word.spelt).collect::<Vec<_>>();
        assert_eq!(found(2..=3), ["ab", "abc", "üb"]);
        assert_eq!(found(0..=1), ["b"]);
        assert!(
            found(7..=1000).is_empty() && Words::of(String::new()).long(0..=9, all).count() == 0
        );
        let has_s = |letters: u32| letters & 1 << (b's' % 32) != 0;
        assert_eq!(words.long(5..=6, has_s).map(|word| word.spelt).collect::<Vec<_>>(), ["pages"]);
        let forms = words.long(5..=6, all).map(|word| (word.spelt, word.stem, word.is_stem()));
        assert_eq!(
            forms.collect::<Vec<_>>(),
            [("pages", "page", false), ("paging", "page", false)]
        );
    }

    #[test]
    fn forms_are_kept_with_their_stems() {
        let old = written(&["gone", "page"], &[("paging", "page"), ("goner", "gone")]);
        let mut writer = Writer::default();
        writer.add("page");
        writer.add_forms_of(&old);
        assert_eq!(writer.finish(), "page\npaging\tpage\n");
    }
}
