//! A matrix of signed bytes with a scale for each row, and its product with many vectors.
//!
//! The vectors are quantised too, to twelve bits, each with a scale of its own. Their products
//! with bytes fit into 32 bits for every shape that
//! [`ModelShape`](super::shape::ModelShape) accepts.

use super::MiniLmError;
use super::byte_reader::ByteReader;

/// The value that a vector's greatest number is quantised to.
const QUANTIZED_MAX: f32 = 2047.0;
/// The number of rows widened at a time, so that they stay cached while every vector is multiplied.
const BLOCK_ROWS: usize = 16;

/// A matrix of bytes with a scale for each row.
#[derive(Clone, Debug)]
pub(super) struct QuantizedMatrix {
    columns: usize,
    bytes: Box<[u8]>,
    scales: Vec<f32>,
}

/// A linear layer: a matrix, and the bias that is added to its product.
#[derive(Clone, Debug)]
pub(super) struct Linear {
    matrix: QuantizedMatrix,
    bias: Vec<f32>,
}

impl QuantizedMatrix {
    /// Reads the next matrix: a scale for each row, then the bytes of the rows.
    pub(super) fn read(
        source: &mut ByteReader<'_>,
        rows: usize,
        columns: usize,
    ) -> Result<Self, MiniLmError> {
        let scales = source.read_floats(rows)?;
        let bytes =
            source.read_bytes(rows.checked_mul(columns).ok_or(MiniLmError::Length)?)?.into();
        Ok(Self { columns, bytes, scales })
    }

    /// Adds a row to `numbers`.
    pub(super) fn add_row(&self, row: usize, numbers: &mut [f32]) {
        let bytes = self.bytes.chunks_exact(self.columns).nth(row);
        if let (Some(bytes), Some(scale)) = (bytes, self.scales.get(row)) {
            for (number, byte) in numbers.iter_mut().zip(bytes) {
                *number += scale * f32::from(byte.cast_signed());
            }
        }
    }
}

impl Linear {
    /// Reads the next matrix and its bias.
    pub(super) fn read(
        source: &mut ByteReader<'_>,
        rows: usize,
        columns: usize,
    ) -> Result<Self, MiniLmError> {
        let matrix = QuantizedMatrix::read(source, rows, columns)?;
        Ok(Self { matrix, bias: source.read_floats(rows)? })
    }

    /// Applies the layer to vectors that lie one after the other; the results have the same layout.
    pub(super) fn apply(&self, vectors: &[f32]) -> Vec<f32> {
        let (columns, rows) = (self.matrix.columns, self.matrix.scales.len());
        let whole = QuantizedVectors::new(vectors, columns);
        let mut products = vec![0.0; whole.scales.len() * rows];
        for (block, bytes) in self.matrix.bytes.chunks(columns * BLOCK_ROWS).enumerate() {
            let wide = bytes.iter().map(|byte| i16::from(byte.cast_signed())).collect::<Vec<_>>();
            let first = block * BLOCK_ROWS;
            let last = rows.min(first + BLOCK_ROWS);
            let places = products.chunks_exact_mut(rows).map(|place| &mut place[first..last]);
            let vectors = whole.numbers.chunks_exact(columns).zip(&whole.scales);
            for (place, (vector, own)) in places.zip(vectors) {
                for (product, row) in place.iter_mut().zip(wide.chunks_exact(columns)) {
                    *product = dot(row, vector) * own;
                }
            }
        }
        self.scale_and_add_bias(&mut products);
        products
    }

    fn scale_and_add_bias(&self, products: &mut [f32]) {
        for products in products.chunks_exact_mut(self.bias.len()) {
            let rows = self.matrix.scales.iter().zip(&self.bias);
            for (product, (scale, bias)) in products.iter_mut().zip(rows) {
                *product = *product * scale + bias;
            }
        }
    }
}

/// Vectors quantised to 16-bit integers, with a scale for each.
struct QuantizedVectors {
    numbers: Vec<i16>,
    scales: Vec<f32>,
}

impl QuantizedVectors {
    fn new(vectors: &[f32], columns: usize) -> Self {
        let mut whole = Self { numbers: Vec::with_capacity(vectors.len()), scales: Vec::new() };
        for vector in vectors.chunks_exact(columns) {
            let greatest = vector.iter().fold(0.0_f32, |so_far, number| so_far.max(number.abs()));
            let inverse = QUANTIZED_MAX / greatest.max(f32::MIN_POSITIVE * QUANTIZED_MAX);
            whole.numbers.extend(vector.iter().map(|number| round_to_i16(number * inverse)));
            whole.scales.push(inverse.recip());
        }
        whole
    }
}

/// Computes the dot product with sixteen independent sums, which compilers vectorise.
fn dot(left: &[i16], right: &[i16]) -> f32 {
    let ((left, left_rest), (right, right_rest)) =
        (left.as_chunks::<16>(), right.as_chunks::<16>());
    let mut sums = [0_i32; 16];
    for (left, right) in left.iter().zip(right) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum = sum.wrapping_add(i32::from(*left) * i32::from(*right));
        }
    }
    let rest = left_rest.iter().zip(right_rest);
    let rest = rest.map(|(left, right)| i32::from(*left) * i32::from(*right));
    to_float(rest.chain(sums).fold(0, i32::wrapping_add))
}

#[expect(clippy::cast_precision_loss, reason = "what was rounded before may be rounded again")]
fn to_float(sum: i32) -> f32 {
    sum as f32
}

#[expect(clippy::cast_possible_truncation, reason = "within -2047.5 and 2047.5 by its scale")]
fn round_to_i16(number: f32) -> i16 {
    // `as` rounds towards zero. A call of `round` would prevent vectorisation.
    (number + 0.5_f32.copysign(number)) as i16
}
