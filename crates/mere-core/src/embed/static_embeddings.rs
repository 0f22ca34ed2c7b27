//! The model that ships with the program: it adds up one static vector per token.
//!
//! `models/train-static.py` derives it from all-MiniLM-L6-v2. A token's weight is the length of its
//! vector. Word order and context are ignored, which is why it is fast.
//!
//! File format, little-endian throughout: `MERESTAT`, five 32-bit numbers (version, dimensions,
//! tokens, bytes of the vocabulary, zero), the vocabulary, a 32-bit scale for each token, and each
//! token's vector: 4 bits for each number, which is 8 more than what the scale is multiplied by.
//! The low bits of the bytes are the first half of the numbers, the high bits the second half.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::vocabulary::{TokenId, Vocabulary, VocabularyError};
use super::{ModelIdentity, UnitVector, wordpiece};

/// The model behind [`StaticEmbeddings::built_in`].
pub const MODEL: ModelIdentity =
    ModelIdentity { id: Cow::Borrowed("static-minilm-256-3"), dimensions: DIMENSIONS };

/// The number of tokens that are read of a text; the rest of a longer text is ignored.
pub const MAX_TOKENS: usize = 8192;

/// The number of dimensions of its directions.
pub const DIMENSIONS: usize = 256;
const MAGIC: &[u8; 8] = b"MERESTAT";
const HEADER_BYTES: usize = 28;
const VERSION: u32 = 2;
/// The bytes of a token's vector.
const ROW_BYTES: usize = DIMENSIONS / 2;
/// What is added to each number, so that none is negative.
const OFFSET: f32 = 8.0;

static BUILT_IN: LazyLock<StaticEmbeddings> = LazyLock::new(|| {
    let table = StaticEmbeddings::read(include_bytes!("../../../../models/static.bin"));
    // A test reads this file, so the bytes that are compiled in are known to be valid.
    table.unwrap_or_else(|_| unreachable!("the table that was compiled in"))
});

/// One static vector for each token of a vocabulary.
#[derive(Debug)]
pub struct StaticEmbeddings {
    vocabulary: Vocabulary,
    scales: Vec<f32>,
    rows: &'static [u8],
}

/// The reason why bytes are not a file of static embeddings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StaticEmbeddingsError {
    /// The header is not the one expected.
    #[error("not a table of vectors, or a table of another version")]
    Header,
    /// The file is shorter or longer than its header says.
    #[error("the table's length is not what its header says")]
    Length,
    /// The vocabulary is not valid.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
}

impl StaticEmbeddings {
    /// Returns the model that ships with the program.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Parses a file of static embeddings.
    pub fn read(bytes: &'static [u8]) -> Result<Self, StaticEmbeddingsError> {
        let (header, rest) =
            bytes.split_at_checked(HEADER_BYTES).ok_or(StaticEmbeddingsError::Header)?;
        let numbers = header.strip_prefix(MAGIC).ok_or(StaticEmbeddingsError::Header)?;
        let mut numbers = numbers.as_chunks().0.iter().map(|bytes| u32::from_le_bytes(*bytes));
        let mut next = || numbers.next().ok_or(StaticEmbeddingsError::Header);
        let (version, dimensions, tokens, words) = (next()?, next()?, next()?, next()?);
        if version != VERSION || dimensions as usize != DIMENSIONS || next()? != 0 {
            return Err(StaticEmbeddingsError::Header);
        }
        let (words, rest) =
            rest.split_at_checked(words as usize).ok_or(StaticEmbeddingsError::Length)?;
        let vocabulary = Vocabulary::read(words)?;
        let tokens = tokens as usize;
        if vocabulary.len() != tokens || rest.len() != tokens * (4 + ROW_BYTES) {
            return Err(StaticEmbeddingsError::Length);
        }
        let (scales, rows) = rest.split_at(tokens * 4);
        let scales = scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Ok(Self { vocabulary, scales: scales.collect(), rows })
    }

    /// Returns the tokens that have a vector.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Computes the direction of a text, or `None` if the text has no token with a vector.
    pub fn embed(&self, text: &str) -> Option<UnitVector> {
        let mut sums = [0.0; DIMENSIONS];
        wordpiece::for_each_token(&self.vocabulary, text, MAX_TOKENS, |token| {
            self.add_token(token, &mut sums);
        });
        UnitVector::from_sums(&sums)
    }

    fn add_token(&self, token: TokenId, sums: &mut [f32; DIMENSIONS]) {
        let at = usize::from(token);
        let row = self.rows.as_chunks::<ROW_BYTES>().0.get(at);
        if let (Some(row), Some(scale)) = (row, self.scales.get(at)) {
            let (first, second) = sums.split_at_mut(ROW_BYTES);
            for ((first, second), byte) in first.iter_mut().zip(second).zip(row) {
                *first += scale * (f32::from(byte & 0x0f) - OFFSET);
                *second += scale * (f32::from(byte >> 4) - OFFSET);
            }
        }
    }
}
