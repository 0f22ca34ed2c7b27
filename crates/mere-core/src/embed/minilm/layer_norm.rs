//! Layer normalisation: each vector gets mean 0 and deviation 1, and is then scaled and shifted.

use super::MiniLmError;
use super::byte_reader::ByteReader;

/// Prevents a division by zero when all numbers of a vector are equal.
const EPSILON: f32 = 1e-12;

/// The scale and shift that are applied to each dimension after normalisation.
#[derive(Clone, Debug)]
pub(super) struct LayerNorm {
    gamma: Vec<f32>,
    beta: Vec<f32>,
}

impl LayerNorm {
    /// Reads gamma, then beta.
    pub(super) fn read(source: &mut ByteReader<'_>, width: usize) -> Result<Self, MiniLmError> {
        Ok(Self { gamma: source.read_floats(width)?, beta: source.read_floats(width)? })
    }

    /// Normalises each of the vectors that lie one after the other.
    pub(super) fn apply(&self, vectors: &mut [f32]) {
        for vector in vectors.chunks_exact_mut(self.gamma.len()) {
            let mean = mean(vector.iter().copied());
            let spread = variance(vector, mean);
            let inverse = (spread + EPSILON).sqrt().recip();
            for (number, (stretch, shift)) in
                vector.iter_mut().zip(self.gamma.iter().zip(&self.beta))
            {
                *number = (*number - mean) * inverse * stretch + shift;
            }
        }
    }
}

fn variance(vector: &[f32], from: f32) -> f32 {
    mean(vector.iter().map(|number| (number - from) * (number - from)))
}

fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
    numbers.sum::<f32>() / f32::from(count)
}
