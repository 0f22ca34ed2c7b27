//! Corrections for a word that no item has: the indexed words one or two edits away.
//!
//! Words with digits and very short or very long words are not corrected.

use std::collections::BTreeSet;

use mere_core::search::QueryWord;

use crate::search::error::SearchError;
use crate::search::index::{SearchIndex, WordForm, letter_bits};

/// The shortest word that is corrected; a shorter one is similar to too many others.
const MIN_LETTERS: usize = 4;
/// The length from which on two edits are allowed.
const TWO_EDIT_LETTERS: usize = 8;
/// The most letters of an ending that the typed word may have beyond the stem. A misspelt ending is
/// not removed by the stemmer.
const MAX_ENDING: usize = 4;
/// The shortest indexed stem that is compared without the ending.
const MIN_STEM_LETTERS: usize = 5;
/// The longest word that is corrected.
const MAX_LETTERS: usize = 40;

/// Returns the stems of similar words with their number of edits, fewest first. The typed word is
/// compared with spellings, and its stem with stems.
pub(super) fn find_corrections(
    index: &SearchIndex,
    word: &QueryWord,
    is_cancelled: &dyn Fn() -> bool,
) -> Result<BTreeSet<(usize, String)>, SearchError> {
    let mut near = BTreeSet::new();
    let (Some(typed), Some(stem)) =
        (MistypedWord::new(&word.spelling), MistypedWord::new(&word.stem))
    else {
        return Ok(near);
    };
    let shortest = stem.text.len().saturating_sub(stem.max_edit_bytes + MAX_ENDING);
    let lengths = shortest.min(typed.min_bytes())..=stem.max_bytes().max(typed.max_bytes());
    let mut edit_distance = EditDistance::default();
    for segment in &index.segments {
        if is_cancelled() {
            return Err(SearchError::Cancelled);
        }
        let may = |letters| stem.may_match(letters, MAX_ENDING) || typed.may_match(letters, 0);
        for known in segment.vocabulary(&index.connection)?.words_of_length(lengths.clone(), may) {
            let found = if known.is_stem() {
                stem.edits_to(known, MAX_ENDING, &mut edit_distance)
            } else {
                typed.edits_to(known, 0, &mut edit_distance)
            };
            near.extend(found.map(|edits| (edits, known.stem.to_owned())));
        }
    }
    Ok(near)
}

/// A word that may be misspelt.
struct MistypedWord<'a> {
    text: &'a str,
    characters: Vec<char>,
    letter_bits: u32,
    /// The most edits that are allowed.
    max_edits: usize,
    /// The most bytes that these edits can change; a non-ASCII character has several.
    max_edit_bytes: usize,
}

impl<'a> MistypedWord<'a> {
    fn new(text: &'a str) -> Option<Self> {
        let spelling = text.chars().collect::<Vec<_>>();
        // A different number is not a misspelling.
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit || !(MIN_LETTERS..=MAX_LETTERS).contains(&spelling.len()) {
            return None;
        }
        let most = if spelling.len() >= TWO_EDIT_LETTERS { 2 } else { 1 };
        let bytes = if text.is_ascii() { most } else { most * 4 };
        Some(Self {
            text,
            characters: spelling,
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

    /// Checks by letters alone whether a word can be within the allowed edits, each of which brings
    /// in at most one new letter.
    fn may_match(&self, letters: u32, ending: usize) -> bool {
        let new = |bits: u32| usize::try_from(bits.count_ones()).unwrap_or(usize::MAX);
        new(letters & !self.letter_bits) <= self.max_edit_bytes
            && new(self.letter_bits & !letters) <= self.max_edit_bytes + ending
    }

    /// Returns the number of edits to an indexed word, if it is allowed. The last `ending` letters
    /// of the typed word may be extra.
    fn edits_to(
        &self,
        known: WordForm<'_>,
        ending: usize,
        edit_distance: &mut EditDistance,
    ) -> Option<usize> {
        let length = known.spelling.len();
        let fits = length + ending >= self.min_bytes() && length <= self.max_bytes();
        if !fits || !self.may_match(known.letter_bits, ending) {
            return None;
        }
        edit_distance.distance(&self.characters, known.spelling, (self.max_edits, ending))
    }
}

/// The edit distance between two words: insertions, deletions, substitutions and swaps of
/// neighbouring letters. It reuses its buffers.
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
            // The rest of the typed word is an ending, which counts as one more edit.
            let left = word.len() - i - 1;
            let edits = above.last().map(|edits| edits + usize::from(left > 0));
            if i + 1 >= enough
                && edits.is_some_and(|edits| edits <= most && best.is_none_or(|best| edits < best))
            {
                best = edits;
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_are_counted() {
        let mut edit_distance = EditDistance::default();
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
                edit_distance.distance(&letters, known, (2, MAX_ENDING)),
                expected,
                "{word} {known}"
            );
        }
    }
}
