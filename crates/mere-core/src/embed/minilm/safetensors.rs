//! The part of the safetensors format that is needed: the header, and tensors of 32-bit floats.

use serde_json::{Map, Value};

use super::PackError;

const MAX_HEADER_BYTES: usize = 1 << 20;

/// The tensors of a safetensors file.
#[derive(Debug)]
pub(super) struct Tensors<'a> {
    header: Map<String, Value>,
    data: &'a [u8],
}

/// A tensor with one or two dimensions; one with a single dimension counts as a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tensor<'a> {
    pub(super) rows: usize,
    pub(super) columns: usize,
    data: &'a [u8],
}

impl<'a> Tensors<'a> {
    /// Parses the header of a file.
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, PackError> {
        let (length, rest) = bytes.split_first_chunk().ok_or(PackError::Header)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).ok();
        let length =
            length.filter(|length| *length <= MAX_HEADER_BYTES).ok_or(PackError::Header)?;
        let (header, data) = rest.split_at_checked(length).ok_or(PackError::Header)?;
        let header = serde_json::from_slice(header).map_err(|_| PackError::Header)?;
        Ok(Self { header, data })
    }

    /// Checks for a tensor of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        self.header.contains_key(name)
    }

    /// Finds the tensor of this name.
    pub(super) fn tensor(&self, name: &str) -> Result<Tensor<'a>, PackError> {
        self.find(name).ok_or_else(|| PackError::Tensor(name.to_owned()))
    }

    fn find(&self, name: &str) -> Option<Tensor<'a>> {
        let entry = self.header.get(name)?;
        if entry.get("dtype")? != "F32" {
            return None;
        }
        let (rows, columns) = match parse_numbers(entry.get("shape")?)?[..] {
            [columns] => (1, columns),
            [rows, columns] => (rows, columns),
            _ => return None,
        };
        let [start, end] = parse_numbers(entry.get("data_offsets")?)?.try_into().ok()?;
        let data = self.data.get(start..end)?;
        let length = rows.checked_mul(columns)?.checked_mul(4)?;
        (data.len() == length && length > 0).then_some(Tensor { rows, columns, data })
    }
}

fn parse_numbers(value: &Value) -> Option<Vec<usize>> {
    let numbers = value.as_array()?.iter();
    numbers.map(|number| usize::try_from(number.as_u64()?).ok()).collect()
}

impl<'a> Tensor<'a> {
    /// Returns all numbers, row by row.
    pub(super) fn floats(&self) -> impl Iterator<Item = f32> + use<'a> {
        self.data.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
    }
}
