//! Layer normalisation: the mean taken away, the deviation made one, then stretched and moved.

use super::ReadError;
use super::source::Source;

/// So that what is all alike is not divided by zero.
const LEAST: f32 = 1e-12;

/// By what each number is stretched, and how far it is moved.
#[derive(Clone, Debug)]
pub(super) struct Norm {
    stretch: Vec<f32>,
    shift: Vec<f32>,
}

impl Norm {
    /// Takes both, one behind the other.
    pub(super) fn read(source: &mut Source<'_>, width: usize) -> Result<Self, ReadError> {
        Ok(Self { stretch: source.floats(width)?, shift: source.floats(width)? })
    }

    /// Normalises each of the vectors that lie one behind the other.
    pub(super) fn apply(&self, vectors: &mut [f32]) {
        for vector in vectors.chunks_exact_mut(self.stretch.len()) {
            let mean = mean(vector.iter().copied());
            let spread = mean_square(vector, mean);
            let inverse = (spread + LEAST).sqrt().recip();
            for (number, (stretch, shift)) in
                vector.iter_mut().zip(self.stretch.iter().zip(&self.shift))
            {
                *number = (*number - mean) * inverse * stretch + shift;
            }
        }
    }
}

fn mean_square(vector: &[f32], from: f32) -> f32 {
    mean(vector.iter().map(|number| (number - from) * (number - from)))
}

fn mean(numbers: impl ExactSizeIterator<Item = f32>) -> f32 {
    let count = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
    numbers.sum::<f32>() / f32::from(count)
}
