//! How well an item matches: BM25 over several fields, and its combination with vector similarity.

use super::document::DocumentField;

/// Controls how quickly repetitions of a word count less.
const K1: f32 = 1.2;
/// Controls how much the length of an item matters.
const B: f32 = 0.5;

/// The weight of a word in each field, relative to the body, in the order of
/// [`DocumentField::ALL`].
pub const FIELD_WEIGHTS: [f32; 6] = [5.0, 4.0, 3.0, 2.5, 1.5, 1.0];

/// How much a word counts that is in some of the fields before the body, by their bits.
const HEAD_WEIGHTS: [f32; 32] = {
    let mut weights = [0.0; 32];
    let mut fields = 0;
    while fields < weights.len() {
        let mut number = 0;
        while number < 5 {
            if fields >> number & 1 != 0 {
                weights[fields] += FIELD_WEIGHTS[number];
            }
            number += 1;
        }
        fields += 1;
    }
    weights
};

/// Returns how much a word counts in an item. `fields` has a bit for each field that contains the
/// word, and `times` is the number of its occurrences in the body.
#[inline]
pub fn term_weight(fields: u8, times: u32) -> f32 {
    let in_body = if fields & DocumentField::Body.bit() == 0 { 0.0 } else { count_to_float(times) };
    HEAD_WEIGHTS[usize::from(fields & 31)] + in_body
}

/// The BM25 scores of one word in a collection.
#[derive(Clone, Copy, Debug)]
pub struct Bm25 {
    idf: f32,
    /// What the divisor of any item has for its length.
    base_length: f32,
    /// What each word of an item adds to that.
    length_per_word: f32,
}

impl Bm25 {
    /// Prepares the scores of a word that `with` of `all` items have, with an average item length.
    pub fn new(all: u32, with: u32, average: f32) -> Self {
        let (all, with) = (f64::from(all), f64::from(with.min(all)));
        let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        Self {
            idf: to_f32(idf),
            base_length: K1 * (1.0 - B),
            length_per_word: K1 * B / average.max(1.0),
        }
    }

    /// Returns the inverse document frequency: the rarer the word, the higher.
    pub fn idf(self) -> f32 {
        self.idf
    }

    /// Scores an item of `length` words in which the word counts as [`term_weight`] says.
    #[inline]
    pub fn score(self, weight: f32, length: u16) -> f32 {
        let length = self.base_length + self.length_per_word * f32::from(length);
        self.idf * weight * (K1 + 1.0) / (weight + length)
    }
}

/// The signals that an item matches a query.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchSignals {
    /// The similarity according to the embedding model.
    pub cosine: f32,
    /// The BM25 score of its words.
    pub bm25: f32,
    /// The share of the query's words that it has, from 0 to 1.
    pub coverage: f32,
}

/// The weights that combine words and meaning: cosine and saturated BM25, added up. If some item
/// has all words of the query, its author knew the words, so they decide, and meaning orders what
/// they leave undecided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HybridWeights {
    /// The weight of a perfect text match relative to a perfect cosine.
    pub text_weight: f32,
    /// What is added to that weight for the order if some item has every word of the query.
    pub covered_weight: f32,
    /// The BM25 score at which the saturated score is one half.
    pub half_saturation: f32,
    /// The weight of having every word of the query.
    pub coverage_weight: f32,
}

impl HybridWeights {
    /// Returns how well an item matches by words and meaning. `best` is the largest coverage that
    /// any item has.
    pub fn strength(self, evidence: MatchSignals, best: f32) -> f32 {
        let words = (self.text_weight + coverage_switch(best)) * self.text_score(evidence.bm25);
        evidence.cosine.max(0.0) + words + self.coverage_weight * evidence.coverage.powi(2)
    }

    /// Returns the score by which an item with this strength is ordered.
    pub fn order_score(self, strength: f32, evidence: MatchSignals, best: f32) -> f32 {
        strength + self.covered_weight * coverage_switch(best) * self.text_score(evidence.bm25)
    }

    /// Scores by words alone, from 0 to 1.
    pub fn text_score(self, bm25: f32) -> f32 {
        bm25 / (bm25 + self.half_saturation)
    }
}

/// Returns nearly 1 for nearly all words of the query, and nearly 0 for fewer.
fn coverage_switch(best: f32) -> f32 {
    best.powi(16)
}

fn count_to_float(times: u32) -> f32 {
    f32::from(u16::try_from(times).unwrap_or(u16::MAX))
}

#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts fits")]
fn to_f32(value: f64) -> f32 {
    value as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rarer_words_and_titles_and_short_texts_count_more() {
        let (rare, common) = (Bm25::new(1000, 2, 100.0), Bm25::new(1000, 600, 100.0));
        let in_body = |times| term_weight(DocumentField::Body.bit(), times);
        let in_title = term_weight(DocumentField::Title.bit(), 0);
        assert!(rare.score(in_body(1), 100) > 4.0 * common.score(in_body(1), 100));
        assert!(rare.score(in_title, 100) > rare.score(in_body(2), 100));
        assert!(rare.score(in_body(1), 50) > rare.score(in_body(1), 500));
        assert!(rare.score(in_body(9), 100) > rare.score(in_body(1), 100));
        assert!(Bm25::new(3, 9, 0.0).score(in_body(u32::MAX), u16::MAX).is_finite());
    }

    #[test]
    fn where_all_words_are_found_they_decide_the_order() {
        let weights = HybridWeights {
            text_weight: 0.05,
            covered_weight: 9.0,
            half_saturation: 40.0,
            coverage_weight: 0.5,
        };
        let order = |(bm25, cosine, coverage), best| {
            let evidence = MatchSignals { cosine, bm25, coverage };
            weights.order_score(weights.strength(evidence, best), evidence, best)
        };
        assert!(order((12.0, 0.40, 1.0), 1.0) > order((11.0, 0.44, 1.0), 1.0));
        assert!(order((12.0, 0.40, 0.6), 0.6) < order((11.0, 0.44, 0.6), 0.6));
        assert!(order((0.0, 0.9, 0.0), 1.0) < order((9.0, 0.1, 1.0), 1.0));
    }

    #[test]
    fn every_field_has_its_weight() {
        for (number, field) in DocumentField::ALL.into_iter().enumerate() {
            assert_eq!(term_weight(field.bit(), 1).to_bits(), FIELD_WEIGHTS[number].to_bits());
        }
        assert_eq!(term_weight(u8::MAX, 3).to_bits(), 19.0_f32.to_bits());
    }
}
