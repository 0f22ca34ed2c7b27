//! A vocabulary with a realistic distribution: a few words are in nearly every text, most in hardly
//! any, and only the commonest come from a dictionary. It is the same in every run.

use std::collections::HashSet;

use mere_core::search::stem;

use crate::random::Random;

/// How many words there are besides those that are only planted.
const SIZE: usize = 30_000;
/// From this rank on, a word says what a text is about.
pub(crate) const FIRST_CONTENT_RANK: usize = 100;

/// The commonest words, most frequent first. Questions are made with them as well.
const COMMON: &str = "the to of and in is a that it for we be on with not this are as by at when or \
    if from one has an do can but they which no then so what all was will only how before after \
    more time there than should does out their have other each new first you about its where i \
    use into every why two up must them some who make any never while may over these same once \
    until still most our like between those also too own just both many through without because \
    under was last long good work day part next few day place";

const STARTS: [&str; 24] = [
    "b", "br", "c", "ch", "d", "dr", "f", "fl", "g", "gr", "h", "l", "m", "n", "p", "pl", "r", "s",
    "sh", "st", "t", "tr", "v", "w",
];
const MIDDLES: [&str; 9] = ["a", "e", "i", "o", "u", "ea", "ou", "ai", "io"];
const ENDS: [&str; 12] = ["", "", "l", "n", "r", "s", "t", "nd", "rt", "m", "ck", "ll"];
/// Suffixes that make a word another form of itself. Search treats some of the forms as one word.
const SUFFIXES: [&str; 8] = ["", "", "", "s", "ing", "ed", "er", "ment"];

/// The letters of planted words, which end in a suffix that no other word has.
const CONSONANTS: [char; 14] =
    ['b', 'd', 'f', 'g', 'k', 'l', 'm', 'n', 'p', 'r', 's', 't', 'v', 'z'];
const VOWELS: [char; 5] = ['a', 'e', 'i', 'o', 'u'];
const PLANTED_END: &str = "ux";

/// All words, the commonest first, with how often each is used.
pub(crate) struct Vocabulary {
    words: Vec<String>,
    /// The cumulative weights: for each word, the sum of all weights up to it.
    sums: Vec<f64>,
}

impl Vocabulary {
    pub(crate) fn new() -> Self {
        let mut words = Vec::with_capacity(SIZE);
        let mut known = HashSet::new();
        let mut keep = |word: String| {
            if words.len() < SIZE && known.insert(word.clone()) {
                words.push(word);
            }
            words.len()
        };
        for word in COMMON.split_whitespace() {
            keep(word.to_owned());
        }
        let mut random = Random::new(11);
        while keep(invent_word(&mut random)) < SIZE {}
        let mut sum = 0.0;
        let sums = (0..SIZE).map(|rank| {
            sum += 1.0 / (rank as f64 + 2.7);
            sum
        });
        Self { sums: sums.collect(), words }
    }

    /// Returns a word by its rank.
    pub(crate) fn word(&self, rank: usize) -> &str {
        &self.words[rank % SIZE]
    }

    /// Draws the rank of a word. The n-th commonest word is about n times rarer than the commonest.
    pub(crate) fn draw(&self, random: &mut Random) -> usize {
        const SIDES: usize = 1 << 31;
        let share = random.below(SIDES) as f64 / SIDES as f64;
        let wanted = share * self.sums.last().copied().unwrap_or_default();
        self.sums.partition_point(|sum| *sum < wanted)
    }
}

fn invent_word(random: &mut Random) -> String {
    let mut word = String::new();
    for _ in 0..random.between(1, 3) {
        word += random.pick(&STARTS);
        word += random.pick(&MIDDLES);
    }
    word += random.pick(&ENDS);
    word += random.pick(&SUFFIXES);
    word
}

/// Returns a word that occurs only where it was planted: it has no other forms, and is part of no
/// other word.
pub(crate) fn planted_word(number: usize) -> String {
    let mut rest = number * 7919 % (14 * 5 * 14 * 5 * 14);
    let mut word = String::new();
    for place in 0..5 {
        let letters = if place % 2 == 0 { &CONSONANTS[..] } else { &VOWELS[..] };
        word.push(letters[rest % letters.len()]);
        rest /= letters.len();
    }
    word.push_str(PLANTED_END);
    let mut stemmed = word.clone();
    stem(&mut stemmed);
    assert!(stemmed == word, "{word} is {stemmed} to a search");
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planted_words_are_their_own() {
        let vocabulary = Vocabulary::new();
        let planted = (0..5_000).map(planted_word).collect::<HashSet<_>>();
        assert_eq!(planted.len(), 5_000);
        assert!(vocabulary.words.iter().all(|word| !word.contains(PLANTED_END)));
    }

    #[test]
    fn few_words_come_often() {
        let (vocabulary, mut random) = (Vocabulary::new(), Random::new(1));
        let drawn = (0..10_000).map(|_| vocabulary.draw(&mut random)).collect::<Vec<_>>();
        let among = |most: usize| drawn.iter().filter(|rank| **rank < most).count();
        assert!(
            (2_500..4_500).contains(&among(FIRST_CONTENT_RANK)),
            "{}",
            among(FIRST_CONTENT_RANK)
        );
        assert!((8_000..9_800).contains(&among(SIZE / 4)), "{}", among(SIZE / 4));
    }
}
