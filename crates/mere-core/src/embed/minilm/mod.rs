//! all-MiniLM-L6-v2: a small transformer that reads a text as a whole.
//!
//! Its weights are a byte each, with a scale for each row. It does not ship with the program:
//! [`pack()`] makes one buffer of the files of its package, and [`MiniLm::read`] reads that. Bytes that
//! are no model are refused whole, before anything is computed with them.
//!
//! The file: `MEREBERT`, the version, the numbers of its `Shape`, the vocabulary, and the weights in the
//! order in which they are used. All little-endian.

mod attention;
mod curve;
mod layer;
mod matrix;
mod norm;
mod pack;
mod safetensors;
mod shape;
mod source;

pub use pack::{PackError, pack};

use self::layer::Layer;
use self::matrix::Matrix;
use self::norm::Norm;
use self::shape::Shape;
use self::source::Source;
use super::vocabulary::{Token, Vocabulary, VocabularyError};
use super::{Model, Vector, wordpiece};
use std::borrow::Cow;

/// What makes the vectors of a [`MiniLm`] that is packed from all-MiniLM-L6-v2.
pub const MODEL: Model = Model { id: Cow::Borrowed("minilm-l6-v2-384-1"), dimensions: 384 };

const MAGIC: &[u8; 8] = b"MEREBERT";
const VERSION: u32 = 1;

/// The transformer.
#[derive(Clone, Debug)]
pub struct MiniLm {
    shape: Shape,
    vocabulary: Vocabulary,
    /// The tokens that every text begins and ends with.
    ends: [Token; 2],
    words: Matrix,
    places: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
}

/// Bytes that are no packed model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// They begin otherwise, or with sizes that make no sense.
    #[error("not a packed model, or of another version")]
    Header,
    /// They end too early or too late.
    #[error("the model's length is not what its header says")]
    Length,
    /// A weight is not finite.
    #[error("a weight of the model is no number")]
    Number,
    /// Their vocabulary is none, or another than the header says.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
}

impl MiniLm {
    /// Reads a packed model.
    pub fn read(bytes: &[u8]) -> Result<Self, ReadError> {
        let bytes = bytes.strip_prefix(MAGIC).ok_or(ReadError::Header)?;
        let mut source = Source::new(bytes);
        if source.number()? != VERSION {
            return Err(ReadError::Header);
        }
        let mut numbers = [0; Shape::NUMBERS];
        for number in &mut numbers {
            *number = source.number()?;
        }
        let shape = Shape::new(numbers).ok_or(ReadError::Header)?;
        let vocabulary = Vocabulary::read(source.bytes(shape.words)?)?;
        if vocabulary.len() != shape.tokens {
            return Err(ReadError::Header);
        }
        let ends = [vocabulary.named("[CLS]")?, vocabulary.named("[SEP]")?];
        let words = Matrix::read(&mut source, shape.tokens, shape.width)?;
        let places = source.floats(shape.positions * shape.width)?;
        let norm = Norm::read(&mut source, shape.width)?;
        let layers = (0..shape.layers).map(|_| Layer::read(&mut source, &shape));
        let layers = layers.collect::<Result<_, _>>()?;
        source.end()?;
        Ok(Self { shape, vocabulary, ends, words, places, norm, layers })
    }

    /// How many numbers its vectors have.
    pub fn dimensions(&self) -> usize {
        self.shape.width
    }

    /// The vector of a text. There is none for a text without a token, or if the weights make no sense.
    ///
    /// Only the first tokens are read: 254 by the model that [`MODEL`] names.
    pub fn embed(&self, text: &str) -> Option<Vector> {
        let tokens = wordpiece::tokens(&self.vocabulary, text, self.shape.positions - 2);
        if tokens.is_empty() {
            return None;
        }
        let width = self.shape.width;
        let mut states = self.placed(&tokens);
        for layer in &self.layers {
            layer.apply(&mut states, width);
        }
        let mut sums = vec![0.0; width];
        for state in states.chunks_exact(width) {
            sums.iter_mut().zip(state).for_each(|(sum, number)| *sum += number);
        }
        Vector::from_floats(&sums)
    }

    /// What the first layer gets: each token, where it stands, and the two ends.
    fn placed(&self, tokens: &[Token]) -> Vec<f32> {
        let [first, last] = self.ends;
        let width = self.shape.width;
        let mut states = self.places[..(tokens.len() + 2) * width].to_vec();
        let all = [first].into_iter().chain(tokens.iter().copied()).chain([last]);
        for (state, token) in states.chunks_exact_mut(width).zip(all) {
            self.words.add_row(token.into(), state);
        }
        self.norm.apply(&mut states);
        states
    }
}
