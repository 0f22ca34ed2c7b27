//! How well an item matches: BM25 over fields, and its mix with a model's opinion.

use super::document::DocumentField;

/// How fast more of the same word counts less.
const K1: f32 = 1.2;
/// How much length counts.
const B: f32 = 0.5;

/// What a word in a field counts, in words of the body; in the order of [`Field::ALL`].
pub const FIELD_WEIGHTS: [f32; 6] = [5.0, 4.0, 3.0, 2.5, 1.5, 1.0];

/// The scores of one word in a collection.
#[derive(Clone, Copy, Debug)]
pub struct Bm25 {
    idf: f32,
    average_length: f32,
}

impl Bm25 {
    /// For a word that `with` of `all` items have, whose average length is `average`.
    pub fn new(all: u32, with: u32, average: f32) -> Self {
        let (all, with) = (f64::from(all), f64::from(with.min(all)));
        let idf = (1.0 + (all - with + 0.5) / (with + 0.5)).ln();
        Self { idf: to_f32(idf), average_length: average.max(1.0) }
    }

    /// How much the word says: more the fewer have it.
    pub fn idf(self) -> f32 {
        self.idf
    }

    /// The score of an item of `length` words. `fields` has a bit for each field that has the word,
    /// `times` is how often the body has it.
    pub fn score(self, fields: u8, times: u32, length: u16) -> f32 {
        let mut weight = 0.0;
        for (number, field) in DocumentField::ALL.into_iter().enumerate() {
            if fields & field.bit() != 0 {
                weight += match field {
                    DocumentField::Body => count_to_float(times),
                    _ => FIELD_WEIGHTS[number],
                };
            }
        }
        let length = 1.0 - B + B * f32::from(length) / self.average_length;
        self.idf * weight * (K1 + 1.0) / (weight + K1 * length)
    }
}

/// What speaks for an item.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MatchSignals {
    /// How alike a model finds it.
    pub cosine: f32,
    /// How well its words match.
    pub bm25: f32,
    /// How much of what was asked for it has, from 0 to 1.
    pub coverage: f32,
}

/// How words and meaning are put together: cosine and saturated BM25, added up. Where an item has
/// nearly everything that was asked for, whoever asked knew the words, and words count more.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HybridWeights {
    /// What a perfect match of words counts beside a perfect cosine.
    pub text_weight: f32,
    /// The BM25 score that counts half.
    pub half_saturation: f32,
    /// What it counts to have all that was asked for.
    pub coverage_weight: f32,
}

impl HybridWeights {
    /// By words and by meaning; tuned on the tuning half of `retrieval/`. `best` is the largest share
    /// that any item has.
    pub fn score(self, evidence: MatchSignals, best: f32) -> f32 {
        let words = (self.text_weight + best.powi(4)) * self.text_score(evidence.bm25);
        evidence.cosine.max(0.0) + words + self.coverage_weight * evidence.coverage.powi(2)
    }

    /// By words alone, from 0 to 1.
    pub fn text_score(self, bm25: f32) -> f32 {
        bm25 / (bm25 + self.half_saturation)
    }
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
        let body = DocumentField::Body.bit();
        assert!(rare.score(body, 1, 100) > 4.0 * common.score(body, 1, 100));
        assert!(rare.score(DocumentField::Title.bit(), 0, 100) > rare.score(body, 2, 100));
        assert!(rare.score(body, 1, 50) > rare.score(body, 1, 500));
        assert!(rare.score(body, 9, 100) > rare.score(body, 1, 100));
        assert!(Bm25::new(3, 9, 0.0).score(body, u32::MAX, u16::MAX).is_finite());
    }
}
