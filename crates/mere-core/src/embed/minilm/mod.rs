//! all-MiniLM-L6-v2: a small transformer that reads a text as a whole.
//!
//! Its weights have one byte each, with a scale for each row. It does not ship with the program:
//! [`pack()`] turns the files of its package into one buffer, and [`MiniLm::read`] parses that. An
//! invalid model is refused as a whole, before anything is computed with it.
//!
//! File format, little-endian throughout: `MEREBERT`, the version, the numbers of its
//! `ModelShape`, the vocabulary, and the weights in the order in which they are used.

mod attention;
mod byte_reader;
mod layer;
mod layer_norm;
mod math;
mod matrix;
mod pack;
mod safetensors;
mod shape;

pub use pack::{PackError, pack};

use self::byte_reader::ByteReader;
use self::layer::TransformerLayer;
use self::layer_norm::LayerNorm;
use self::matrix::QuantizedMatrix;
use self::shape::ModelShape;
use super::vocabulary::{TokenId, Vocabulary, VocabularyError};
use super::{UnitVector, wordpiece};

const MAGIC: &[u8; 8] = b"MEREBERT";
const VERSION: u32 = 1;

/// The transformer's weights and vocabulary.
#[derive(Clone, Debug)]
pub struct MiniLm {
    shape: ModelShape,
    vocabulary: Vocabulary,
    /// The tokens `[CLS]` and `[SEP]`, with which every text begins and ends.
    boundary_tokens: [TokenId; 2],
    word_embeddings: QuantizedMatrix,
    position_embeddings: Vec<f32>,
    embedding_norm: LayerNorm,
    layers: Vec<TransformerLayer>,
}

/// The reason why bytes are not a packed model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MiniLmError {
    /// The header is not the one expected, or its sizes make no sense.
    #[error("not a packed model, or a model of another version")]
    Header,
    /// The file is shorter or longer than its header says.
    #[error("the model's length is not what its header says")]
    Length,
    /// A weight is not finite.
    #[error("a weight of the model is not a finite number")]
    NotFinite,
    /// The vocabulary is not valid, or lacks a special token.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
}

impl MiniLm {
    /// Parses a packed model.
    pub fn read(bytes: &[u8]) -> Result<Self, MiniLmError> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or(MiniLmError::Header)?;
        let mut source = ByteReader::new(bytes);
        if source.read_number()? != VERSION {
            return Err(MiniLmError::Header);
        }
        let mut numbers = [0; ModelShape::NUMBER_COUNT];
        for number in &mut numbers {
            *number = source.read_number()?;
        }
        let shape = ModelShape::new(numbers).ok_or(MiniLmError::Header)?;
        let vocabulary = Vocabulary::read(source.read_bytes(shape.vocabulary_bytes)?)?;
        if vocabulary.len() != shape.tokens {
            return Err(MiniLmError::Header);
        }
        let ends = [vocabulary.find_named("[CLS]")?, vocabulary.find_named("[SEP]")?];
        let words = QuantizedMatrix::read(&mut source, shape.tokens, shape.width)?;
        let places = source.read_floats(shape.positions * shape.width)?;
        let norm = LayerNorm::read(&mut source, shape.width)?;
        let layers = (0..shape.layers).map(|_| TransformerLayer::read(&mut source, &shape));
        let layers = layers.collect::<Result<_, _>>()?;
        source.expect_end()?;
        Ok(Self {
            shape,
            vocabulary,
            boundary_tokens: ends,
            word_embeddings: words,
            position_embeddings: places,
            embedding_norm: norm,
            layers,
        })
    }

    /// Returns the number of dimensions of its vectors.
    pub fn dimensions(&self) -> usize {
        self.shape.width
    }

    /// Computes the direction of a text. Returns `None` for a text without tokens, or if the weights
    /// make no sense.
    ///
    /// Only the first tokens are read: 254 with all-MiniLM-L6-v2.
    pub fn embed(&self, text: &str) -> Option<UnitVector> {
        let tokens = wordpiece::tokenize(&self.vocabulary, text, self.shape.positions - 2);
        if tokens.is_empty() {
            return None;
        }
        let width = self.shape.width;
        let mut states = self.input_states(&tokens);
        for layer in &self.layers {
            layer.apply(&mut states, width);
        }
        let mut sums = vec![0.0; width];
        for state in states.chunks_exact(width) {
            sums.iter_mut().zip(state).for_each(|(sum, number)| *sum += number);
        }
        UnitVector::from_sums(&sums)
    }

    /// Computes the input of the first layer: the normalised sum of each token's word and position
    /// embeddings, between the two boundary tokens.
    fn input_states(&self, tokens: &[TokenId]) -> Vec<f32> {
        let [first, last] = self.boundary_tokens;
        let width = self.shape.width;
        let mut states = self.position_embeddings[..(tokens.len() + 2) * width].to_vec();
        let all = [first].into_iter().chain(tokens.iter().copied()).chain([last]);
        for (state, token) in states.chunks_exact_mut(width).zip(all) {
            self.word_embeddings.add_row(token.into(), state);
        }
        self.embedding_norm.apply(&mut states);
        states
    }
}
