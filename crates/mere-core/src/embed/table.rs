//! The model that ships with the program: a vector for each token, added up.
//!
//! `models/make-static.py` makes it from all-MiniLM-L6-v2. How much a token counts is in the length
//! of its vector. There is no order of words in it and no context, which is why it is quick.
//!
//! The file: `MERESTAT`, then five numbers of 32 bits (version, dimensions, tokens, bytes of the
//! vocabulary, zero), the vocabulary, a scale of 32 bits for each token, and its bytes. All
//! little-endian.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::vocabulary::{TokenId, Vocabulary, VocabularyError};
use super::{ModelIdentity, Vector, wordpiece};

/// What makes the vectors of [`Table::shipped`].
pub const MODEL: ModelIdentity =
    ModelIdentity { id: Cow::Borrowed("static-minilm-256-1"), dimensions: DIMENSIONS };

/// Of a longer text, only so many tokens count.
pub const MAX_TOKENS: usize = 8192;

const DIMENSIONS: usize = 256;
const MAGIC: &[u8; 8] = b"MERESTAT";
const HEADER_BYTES: usize = 28;
const VERSION: u32 = 1;

static BUILT_IN: LazyLock<StaticEmbeddings> = LazyLock::new(|| {
    let table = StaticEmbeddings::read(include_bytes!("../../../../models/static.bin"));
    // A test reads it: what is compiled in is a table.
    table.unwrap_or_else(|_| unreachable!("the table that was compiled in"))
});

/// A vector for each token.
#[derive(Debug)]
pub struct StaticEmbeddings {
    vocabulary: Vocabulary,
    scales: Vec<f32>,
    rows: &'static [u8],
}

/// Bytes that are no table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum StaticEmbeddingsError {
    /// They begin otherwise.
    #[error("not a table of vectors, or of another version")]
    Header,
    /// They end too early or too late.
    #[error("the table's length is not what its header says")]
    Length,
    /// Their vocabulary is none.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
}

impl StaticEmbeddings {
    /// The table that ships with the program.
    pub fn built_in() -> &'static Self {
        &BUILT_IN
    }

    /// Reads a table.
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
        if vocabulary.len() != tokens || rest.len() != tokens * (4 + DIMENSIONS) {
            return Err(StaticEmbeddingsError::Length);
        }
        let (scales, rows) = rest.split_at(tokens * 4);
        let scales = scales.as_chunks().0.iter().map(|bytes| f32::from_le_bytes(*bytes));
        Ok(Self { vocabulary, scales: scales.collect(), rows })
    }

    /// The tokens it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// The vector of a text, unless the table knows none of its tokens.
    pub fn embed(&self, text: &str) -> Option<Vector> {
        let mut sums = [0.0; DIMENSIONS];
        wordpiece::for_each_token(&self.vocabulary, text, MAX_TOKENS, |token| {
            self.add_token(token, &mut sums);
        });
        Vector::from_floats(&sums)
    }

    fn add_token(&self, token: TokenId, sums: &mut [f32; DIMENSIONS]) {
        let at = usize::from(token);
        let row = self.rows.as_chunks::<DIMENSIONS>().0.get(at);
        if let (Some(row), Some(scale)) = (row, self.scales.get(at)) {
            for (sum, byte) in sums.iter_mut().zip(row) {
                *sum += scale * f32::from(byte.cast_signed());
            }
        }
    }
}
