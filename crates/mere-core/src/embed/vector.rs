//! An embedding vector, one signed byte for each dimension.
//!
//! Only its direction matters. The numbers are scaled so that the greatest of them becomes 127;
//! the scale is not stored, because the cosine of two vectors equals that of their bytes.

/// The most dimensions a vector may have, so that a sum of products still fits into 32 bits.
pub const MAX_DIMENSIONS: usize = 16_384;

/// An embedding: the direction in which a text lies.
#[derive(Clone, Debug, PartialEq)]
pub struct Vector {
    bytes: Box<[u8]>,
    /// The inverse of the Euclidean norm of the bytes.
    inverse_norm: f32,
}

impl Vector {
    /// Quantises floats. Returns `None` if they are all zero, if one of them is not finite, or if
    /// there are more than [`MAX_DIMENSIONS`].
    pub fn from_floats(numbers: &[f32]) -> Option<Self> {
        if !numbers.iter().all(|number| number.is_finite()) {
            return None;
        }
        let greatest = numbers.iter().fold(0.0_f32, |so_far, number| so_far.max(number.abs()));
        // Divide first: the inverse of a very small number is not finite.
        let bytes = numbers.iter().map(|number| round_to_byte(number / greatest * 127.0));
        Self::new(bytes.collect())
    }

    /// Takes the bytes of a vector. Returns `None` if they are all zero or too many.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        Self::new(bytes.into())
    }

    fn new(bytes: Box<[u8]>) -> Option<Self> {
        let inverse = inverse_norm(&bytes)?;
        Some(Self { bytes, inverse_norm: inverse })
    }

    /// Returns the bytes in the form that [`Vector::from_bytes`] takes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the number of dimensions.
    pub fn dimensions(&self) -> usize {
        self.bytes.len()
    }

    /// Returns the cosine similarity to a vector of the same model: 1 for the same direction, 0 for
    /// unrelated.
    pub fn cosine(&self, other: &Self) -> f32 {
        similarity(dot(&self.bytes, &other.bytes), self.inverse_norm * other.inverse_norm)
    }

    /// Like [`Self::cosine`], for a vector that is stored as bytes, such as one row of many. The
    /// similarity to bytes that are not a vector is 0.
    pub fn cosine_with_bytes(&self, bytes: &[u8]) -> f32 {
        inverse_norm(bytes).map_or(0.0, |inverse| self.cosine_with_row(bytes, inverse))
    }

    /// Like [`Self::cosine_with_bytes`], with the [`inverse_norm`] of the bytes.
    pub fn cosine_with_row(&self, bytes: &[u8], inverse: f32) -> f32 {
        similarity(dot(&self.bytes, bytes), self.inverse_norm * inverse)
    }
}

/// Computes the dot product of signed bytes, up to the length of the shorter slice.
pub fn dot(left: &[u8], right: &[u8]) -> i32 {
    let product =
        |left: &u8, right: &u8| i32::from(left.cast_signed()) * i32::from(right.cast_signed());
    let length = left.len().min(right.len());
    let (left, left_rest) = left[..length].as_chunks::<16>();
    let (right, right_rest) = right[..length].as_chunks::<16>();
    // Compilers vectorise sixteen independent sums.
    let mut sums = [0_i32; 16];
    for (left, right) in left.iter().zip(right) {
        for (sum, (left, right)) in sums.iter_mut().zip(left.iter().zip(right)) {
            *sum = sum.wrapping_add(product(left, right));
        }
    }
    let rest = left_rest.iter().zip(right_rest).map(|(left, right)| product(left, right));
    rest.chain(sums).fold(0, i32::wrapping_add)
}

/// Returns the inverse of the Euclidean norm of the bytes; none if they are not a vector.
pub fn inverse_norm(bytes: &[u8]) -> Option<f32> {
    let square = if bytes.len() > MAX_DIMENSIONS { 0 } else { dot(bytes, bytes) };
    (square > 0).then(|| to_float(square).sqrt().recip())
}

fn similarity(dot: i32, inverse: f32) -> f32 {
    (to_float(dot) * inverse).clamp(-1.0, 1.0)
}

#[expect(clippy::cast_precision_loss, reason = "the eighth digit of a similarity says nothing")]
fn to_float(sum: i32) -> f32 {
    sum as f32
}

#[expect(clippy::cast_possible_truncation, reason = "within -127 and 127 by its scale")]
fn round_to_byte(number: f32) -> u8 {
    (number.round() as i8).cast_unsigned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(left: &[f32], right: &[f32], expected: f32) {
        let vectors = [left, right].map(|numbers| Vector::from_floats(numbers).expect("a vector"));
        let found = vectors[0].cosine(&vectors[1]);
        assert!((found - expected).abs() < 0.01, "{left:?} {right:?}: {found}");
        assert!((vectors[0].cosine_with_bytes(vectors[1].as_bytes()) - found).abs() < 1e-6);
    }

    #[test]
    fn only_the_direction_counts() {
        check(&[1.0, 0.0], &[3.0, 0.0], 1.0);
        check(&[1.0, 0.0], &[0.0, 1e-30], 0.0);
        check(&[1.0, 2.0, 3.0], &[-1e30, -2e30, -3e30], -1.0);
        check(&[1.0, 1.0], &[1.0, 0.0], std::f32::consts::FRAC_1_SQRT_2);
        check(&[f32::MIN_POSITIVE / 64.0, 0.0], &[1.0, 0.0], 1.0);
    }

    #[test]
    fn what_has_no_direction_is_no_vector() {
        let many = vec![1.0; MAX_DIMENSIONS + 1];
        for numbers in [&[][..], &[0.0, -0.0], &[f32::NAN, 1.0], &[f32::INFINITY], &many] {
            assert_eq!(Vector::from_floats(numbers), None);
        }
        assert_eq!(Vector::from_bytes(&[0; 4]), None);
        assert_eq!(Vector::from_bytes(&vec![1; MAX_DIMENSIONS + 1]), None);
        let lowest = Vector::from_bytes(&vec![0x80; MAX_DIMENSIONS]).expect("a vector");
        assert!((lowest.cosine(&lowest) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn bytes_make_the_same_vector() {
        let vector = Vector::from_floats(&[0.5, -1.0, 0.25]).expect("a vector");
        assert_eq!(vector.as_bytes(), [64, 0x81, 32]);
        assert_eq!(Vector::from_bytes(vector.as_bytes()), Some(vector));
    }
}
