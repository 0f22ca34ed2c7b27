//! Sketches: the sign bits of a vector, one bit per dimension, which can be compared quickly.
//!
//! Among very many vectors, those whose sketches differ in the fewest bits are worth an exact
//! comparison. The Hamming distance of two sketches approximates the angle between their vectors.

use super::Vector;

/// The sign bits of a vector, 64 to a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch(Box<[u64]>);

impl Sketch {
    /// Takes the sign bits of a vector.
    pub fn from_vector(vector: &Vector) -> Self {
        let words = vector.as_bytes().chunks(64).map(|bytes| {
            let signs = bytes.iter().rev();
            signs.fold(0, |word, byte| word << 1 | u64::from(byte >> 7))
        });
        Self(words.collect())
    }

    /// Returns the words: the sign of dimension `n` is bit `n % 64` of word `n / 64`.
    pub fn words(&self) -> &[u64] {
        &self.0
    }

    /// Returns the number of dimensions in which another sketch has the opposite sign.
    pub fn hamming_distance(&self, other: &Self) -> u32 {
        self.hamming_distance_to_words(&other.0)
    }

    /// Like [`Self::hamming_distance`], for the bare words of a sketch, such as one row of many.
    pub fn hamming_distance_to_words(&self, words: &[u64]) -> u32 {
        self.0.iter().zip(words).map(|(left, right)| (left ^ right).count_ones()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sketch(bytes: &[u8]) -> Sketch {
        Sketch::from_vector(&Vector::from_bytes(bytes).expect("a vector"))
    }

    #[test]
    fn a_bit_is_a_sign() {
        let mut bytes = [1_u8; 130];
        bytes[3] = 0xff;
        bytes[129] = 0x81;
        assert_eq!(sketch(&bytes).words(), [8, 0, 2]);
    }

    #[test]
    fn the_distance_counts_signs() {
        let (one, other) = (sketch(&[1, 2, 0xff, 4]), sketch(&[0x80, 2, 1, 0]));
        assert_eq!(one.hamming_distance(&one), 0);
        assert_eq!(one.hamming_distance(&other), 2);
        assert_eq!(one.hamming_distance_to_words(other.words()), 2);
    }
}
