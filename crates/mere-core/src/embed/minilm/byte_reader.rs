//! A reader that takes the bytes of a packed model from front to back.

use super::MiniLmError;

/// The bytes that have not been read yet.
#[derive(Debug)]
pub(super) struct ByteReader<'a>(&'a [u8]);

impl<'a> ByteReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Reads the next `count` bytes.
    pub(super) fn read_bytes(&mut self, count: usize) -> Result<&'a [u8], MiniLmError> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(MiniLmError::Length)?;
        self.0 = rest;
        Ok(taken)
    }

    /// Reads the next 32-bit number.
    pub(super) fn read_number(&mut self) -> Result<u32, MiniLmError> {
        let (number, rest) = self.0.split_first_chunk().ok_or(MiniLmError::Length)?;
        self.0 = rest;
        Ok(u32::from_le_bytes(*number))
    }

    /// Reads the next `count` floats and checks that they are finite.
    pub(super) fn read_floats(&mut self, count: usize) -> Result<Vec<f32>, MiniLmError> {
        let bytes = self.read_bytes(count.checked_mul(4).ok_or(MiniLmError::Length)?)?;
        let floats = bytes.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        let floats = floats.collect::<Vec<_>>();
        let all_finite = floats.iter().all(|number| number.is_finite());
        if all_finite { Ok(floats) } else { Err(MiniLmError::NotFinite) }
    }

    /// Checks that no bytes are left.
    pub(super) fn expect_end(&self) -> Result<(), MiniLmError> {
        if self.0.is_empty() { Ok(()) } else { Err(MiniLmError::Length) }
    }
}
