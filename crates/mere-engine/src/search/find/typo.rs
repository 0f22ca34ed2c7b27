//! What a word may have been meant to be that nobody has: those a slip or two away.

use std::collections::BTreeSet;

use mere_core::search::QueryWord;

use crate::search::SearchError;
use crate::search::index::{Form, Index, letters};

/// Shorter words are near too many others.
const SHORTEST: usize = 4;
/// From this length on two slips are one word's.
const LONG: usize = 8;
/// How many letters of an ending may be more than the stem: of a word with a slip in its ending that
/// is still there.
const ENDING: usize = 4;
/// The shortest stem that is taken without its ending.
const SHORTEST_STEM: usize = 5;
/// Longer words are not compared.
const LONGEST: usize = 40;

/// The stems of words of the index that are near, in order of how many slips lie between. What was
/// typed is compared with words as they are written, and its stem with stems.
pub(super) fn near(
    index: &Index,
    word: &QueryWord,
    over: &dyn Fn() -> bool,
) -> Result<BTreeSet<(usize, String)>, SearchError> {
    let mut near = BTreeSet::new();
    let (Some(typed), Some(stem)) = (Typed::of(&word.spelling), Typed::of(&word.stem)) else {
        return Ok(near);
    };
    let shortest = stem.text.len().saturating_sub(stem.bytes + ENDING);
    let lengths = shortest.min(typed.shortest())..=stem.longest().max(typed.longest());
    let mut slips = Slips::default();
    for segment in &index.segments {
        if over() {
            return Err(SearchError::Over);
        }
        let may = |letters| stem.may_be(letters, ENDING) || typed.may_be(letters, 0);
        for known in segment.words(&index.connection)?.long(lengths.clone(), may) {
            let found = if known.is_stem() {
                stem.slips_to(known, ENDING, &mut slips)
            } else {
                typed.slips_to(known, 0, &mut slips)
            };
            near.extend(found.map(|slips| (slips, known.stem.to_owned())));
        }
    }
    Ok(near)
}

/// A word that may have slips.
struct Typed<'a> {
    text: &'a str,
    spelt: Vec<char>,
    letters: u32,
    /// The most slips that are one word's.
    most: usize,
    /// The most bytes that they are: a character of another script is several.
    bytes: usize,
}

impl<'a> Typed<'a> {
    fn of(text: &'a str) -> Option<Self> {
        let spelt = text.chars().collect::<Vec<_>>();
        // A number that is another number is no slip.
        let has_digit = text.bytes().any(|byte| byte.is_ascii_digit());
        if has_digit || !(SHORTEST..=LONGEST).contains(&spelt.len()) {
            return None;
        }
        let most = if spelt.len() >= LONG { 2 } else { 1 };
        let bytes = if text.is_ascii() { most } else { most * 4 };
        Some(Self { text, spelt, letters: letters(text), most, bytes })
    }

    fn shortest(&self) -> usize {
        self.text.len().saturating_sub(self.bytes)
    }

    fn longest(&self) -> usize {
        self.text.len() + self.bytes
    }

    /// Whether so few slips can lie between it and a word with these letters: each brings in one at
    /// most.
    fn may_be(&self, letters: u32, ending: usize) -> bool {
        let new = |bits: u32| usize::try_from(bits.count_ones()).unwrap_or(usize::MAX);
        new(letters & !self.letters) <= self.bytes
            && new(self.letters & !letters) <= self.bytes + ending
    }

    /// How many slips lie between, if few do; `ending` letters of it may be more.
    fn slips_to(&self, known: Form<'_>, ending: usize, slips: &mut Slips) -> Option<usize> {
        let length = known.spelt.len();
        let fits = length + ending >= self.shortest() && length <= self.longest();
        if !fits || !self.may_be(known.letters, ending) {
            return None;
        }
        slips.between(&self.spelt, known.spelt, (self.most, ending))
    }
}

/// How many slips lie between two words: a letter too many, too few, another one, or two that have
/// changed places.
#[derive(Default)]
struct Slips {
    known: Vec<char>,
    rows: [Vec<usize>; 3],
}

impl Slips {
    fn between(
        &mut self,
        word: &[char],
        known: &str,
        (most, ending): (usize, usize),
    ) -> Option<usize> {
        self.known.clear();
        self.known.extend(known.chars().take(word.len() + most + 1));
        let known = &self.known;
        let enough = if known.len() >= SHORTEST_STEM {
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
        let mut slips = Slips::default();
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
            assert_eq!(slips.between(&letters, known, (2, ENDING)), expected, "{word} {known}");
        }
    }
}
