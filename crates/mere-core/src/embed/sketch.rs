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
        Self(sketch_words(vector.as_bytes()).collect())
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

/// Returns the words of the sketch of a vector that is stored as bytes, such as one row of many.
pub fn sketch_words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks(64).map(|bytes| {
        let (eights, rest) = bytes.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let signs = eights.iter().chain([&last]).copied().map(sign_bits);
        signs.enumerate().take(8).fold(0, |word, (at, signs)| word | signs << (8 * at))
    })
}

/// Returns the signs of eight bytes, the first in the lowest bit.
fn sign_bits(bytes: [u8; 8]) -> u64 {
    let signs = (u64::from_le_bytes(bytes) >> 7) & 0x0101_0101_0101_0101;
    // The product moves each of them to its place in the highest byte.
    signs.wrapping_mul(0x0102_0408_1020_4080) >> 56
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
    fn every_sign_has_its_bit() {
        for length in 1..=200 {
            let random =
                (0..length).map(|at: u32| (at.wrapping_mul(2_654_435_761) >> 24) as u8 | 1);
            let bytes = random.collect::<Vec<_>>();
            let words = sketch_words(&bytes).collect::<Vec<_>>();
            assert_eq!(words.len(), bytes.len().div_ceil(64));
            for at in 0..words.len() * 64 {
                let sign = bytes.get(at).is_some_and(|byte| byte >> 7 == 1);
                assert_eq!(words[at / 64] >> (at % 64) & 1 == 1, sign, "{length}: {at}");
            }
        }
    }

    #[test]
    fn the_distance_counts_signs() {
        let (one, other) = (sketch(&[1, 2, 0xff, 4]), sketch(&[0x80, 2, 1, 0]));
        assert_eq!(one.hamming_distance(&one), 0);
        assert_eq!(one.hamming_distance(&other), 2);
        assert_eq!(one.hamming_distance_to_words(other.words()), 2);
    }
}
