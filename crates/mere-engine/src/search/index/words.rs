//! The words of a segment, so that those which look alike are found in no time.

use std::ops::RangeInclusive;

/// The longest word that is remembered, in bytes: nobody misspells longer ones.
const LONGEST: usize = 255;

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
}

impl Words {
    /// Those of a text that has one a line.
    pub(super) fn of(text: String) -> Self {
        let mut words = Vec::new();
        let mut start = 0;
        for line in text.split_terminator('\n') {
            if line.len() <= LONGEST
                && let (Ok(start), Ok(length)) = (u32::try_from(start), u8::try_from(line.len()))
            {
                words.push(Word { letters: letters(line), start, length });
            }
            start += line.len() + 1;
        }
        words.sort_by_key(|word| word.length);
        Self { text, words }
    }

    /// The words of these lengths, in bytes, each with its letters.
    pub(crate) fn long(&self, lengths: RangeInclusive<usize>) -> impl Iterator<Item = (u32, &str)> {
        let (least, most) = lengths.into_inner();
        let start = self.words.partition_point(|word| usize::from(word.length) < least);
        let end = self.words.partition_point(|word| usize::from(word.length) <= most);
        self.words.get(start..end).unwrap_or_default().iter().map(|word| {
            let start = usize::try_from(word.start).unwrap_or(usize::MAX);
            let end = start.saturating_add(word.length.into());
            (word.letters, self.text.get(start..end).unwrap_or_default())
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

    #[test]
    fn words_are_found_by_their_length() {
        let words = Words::of(format!("ab\nabc\nb\n{}\nüb\n", "x".repeat(300)));
        let found = |lengths| words.long(lengths).map(|(_, word)| word).collect::<Vec<_>>();
        assert_eq!(found(2..=3), ["ab", "abc", "üb"]);
        assert_eq!(found(0..=1), ["b"]);
        assert!(found(4..=1000).is_empty() && Words::of(String::new()).long(0..=9).count() == 0);
        assert_eq!(words.long(1..=1).next(), Some((letters("b"), "b")));
    }
}
