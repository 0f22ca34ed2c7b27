//! What a word may have been meant to be that nobody has: those a slip or two away.

use std::collections::BTreeSet;

use mere_core::search::QueryWord;

use crate::search::SearchError;
use crate::search::index::{SearchIndex, WordForm, letter_bits};

/// Shorter words are near too many others.
const MIN_LETTERS: usize = 4;
/// From this length on two slips are one word's.
const TWO_EDIT_LETTERS: usize = 8;
/// How many letters of an ending may be more than the stem: of a word with a slip in its ending that
/// is still there.
const MAX_ENDING: usize = 4;
/// The shortest stem that is taken without its ending.
const MIN_STEM_LETTERS: usize = 5;
/// Longer words are not compared.
const MAX_LETTERS: usize = 40;

/// The stems of words of the index that are near, in order of how many slips lie between. What was
/// typed is compared with words as they are written, and its stem with stems.
pub(super) fn find_corrections(
    index: &SearchIndex,
    word: &QueryWord,
    over: &dyn Fn() -> bool,
) -> Result<BTreeSet<(usize, String)>, SearchError> {
    let mut near = BTreeSet::new();
    let (Some(typed), Some(stem)) =
        (MistypedWord::new(&word.spelling), MistypedWord::new(&word.stem))
    else {
        return Ok(near);
    };
    let shortest = stem.text.len().saturating_sub(stem.max_edit_bytes + MAX_ENDING);
    let lengths = shortest.min(typed.min_bytes())..=stem.max_bytes().max(typed.max_bytes());
    let mut slips = EditDistance::default();
    for segment in &index.segments {
        if over() {
            return Err(SearchError::Cancelled);
        }
        let may = |letters| stem.may_match(letters, MAX_ENDING) || typed.may_match(letters, 0);
        for known in segment.vocabulary(&index.connection)?.words_of_length(lengths.clone(), may) {
            let found = if known.is_stem() {
                stem.edits_to(known, MAX_ENDING, &mut slips)
            } else {
                typed.edits_to(known, 0, &mut slips)
            };
            near.extend(found.map(|slips| (slips, known.stem.to_owned())));
        }
    }
    Ok(near)
}

/// A word that may have slips.
struct MistypedWord<'a> {
    text: &'a str,
    characters: Vec<char>,
    letter_bits: u32,
    /// The most slips that are one word's.
    max_edits: usize,
    /// The most bytes that they are: a character of another script is several.
    max_edit_bytes: usize,
}

impl<'a> MistypedWord<'a> {
    fn new(text: &'a str) -> Option<Self> {
        let spelt = text.chars().collect::<Vec<_>>();
        // A number that is another number is no slip.
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit || !(MIN_LETTERS..=MAX_LETTERS).contains(&spelt.len()) {
            return None;
        }
        let most = if spelt.len() >= TWO_EDIT_LETTERS { 2 } else { 1 };
        let bytes = if text.is_ascii() { most } else { most * 4 };
        Some(Self {
            text,
            characters: spelt,
            letter_bits: letter_bits(text),
            max_edits: most,
            max_edit_bytes: bytes,
        })
    }

    fn min_bytes(&self) -> usize {
        self.text.len().saturating_sub(self.max_edit_bytes)
    }

    fn max_bytes(&self) -> usize {
        self.text.len() + self.max_edit_bytes
    }

    /// Whether so few slips can lie between it and a word with these letters: each brings in one at
    /// most.
    fn may_match(&self, letters: u32, ending: usize) -> bool {
        let new = |bits: u32| usize::try_from(bits.count_ones()).unwrap_or(usize::MAX);
        new(letters & !self.letter_bits) <= self.max_edit_bytes
            && new(self.letter_bits & !letters) <= self.max_edit_bytes + ending
    }

    /// How many slips lie between, if few do; `ending` letters of it may be more.
    fn edits_to(
        &self,
        known: WordForm<'_>,
        ending: usize,
        slips: &mut EditDistance,
    ) -> Option<usize> {
        let length = known.spelling.len();
        let fits = length + ending >= self.min_bytes() && length <= self.max_bytes();
        if !fits || !self.may_match(known.letter_bits, ending) {
            return None;
        }
        slips.distance(&self.characters, known.spelling, (self.max_edits, ending))
    }
}

/// How many slips lie between two words: a letter too many, too few, another one, or two that have
/// changed places.
#[derive(Default)]
struct EditDistance {
    candidate: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl EditDistance {
    fn distance(
        &mut self,
        word: &[char],
        known: &str,
        (most, ending): (usize, usize),
    ) -> Option<usize> {
        self.candidate.clear();
        self.candidate.extend(known.chars().take(word.len() + most + 1));
        let known = &self.candidate;
        let enough = if known.len() >= MIN_STEM_LETTERS {
            word.len().saturating_sub(ending)
        } else {
            word.len()
        };
        let mut best = None;
        let [before, above, row] = &mut self.rows;
        for row in [&mut *before, &mut *above, &mut *row] {
            row.clear();
            row.resize(known.len() + 1, 0);
        }
        for (at, cell) in above.iter_mut().enumerate() {
            *cell = at;
        }
        for (i, letter) in word.iter().enumerate() {
            row[0] = i + 1;
            for (j, other) in known.iter().enumerate() {
                let changed = above[j] + usize::from(letter != other);
                let mut fewest = changed.min(above[j + 1] + 1).min(row[j] + 1);
                if i > 0 && j > 0 && word[i - 1] == *other && *letter == known[j - 1] {
                    fewest = fewest.min(before[j - 1] + 1);
                }
                row[j + 1] = fewest;
            }
            if row.iter().min().is_some_and(|fewest| *fewest > most) {
                return best;
            }
            std::mem::swap(before, above);
            std::mem::swap(above, row);
            // What is left of the word is an ending: one slip more.
            let left = word.len() - i - 1;
            let slips = above.last().map(|slips| slips + usize::from(left > 0));
            if i + 1 >= enough
                && slips.is_some_and(|slips| slips <= most && best.is_none_or(|best| slips < best))
            {
                best = slips;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_counted() {
        let mut slips = EditDistance::default();
        for (word, known, expected) in [
            ("retry", "retry", Some(0)),
            ("rerty", "retry", Some(1)),
            ("retr", "retry", Some(1)),
            ("rettry", "retry", Some(1)),
            ("kubernetse", "kubernetes", Some(1)),
            ("kubrenetse", "kubernetes", Some(2)),
            ("idempotnet", "idempot", Some(1)),
            ("abcd", "wxyz", None),
            ("short", "a-very-long-one", None),
        ] {
            let letters = word.chars().collect::<Vec<_>>();
            assert_eq!(
                slips.distance(&letters, known, (2, MAX_ENDING)),
                expected,
                "{word} {known}"
            );
        }
    }
}
