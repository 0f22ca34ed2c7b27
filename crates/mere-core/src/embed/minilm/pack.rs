//! From the files of a package to the one that [`MiniLm::read`](super::MiniLm::read) takes.
//!
//! Each row of weights is made bytes by the scale that makes its greatest one 127. What makes no
//! model is refused here: the packed bytes are read once before they are given away.

use super::safetensors::{Tensor, Tensors};
use super::shape::{MAX_LAYERS, Shape};
use super::{MAGIC, MiniLm, ReadError, VERSION};
use crate::embed::vocabulary::{Vocabulary, VocabularyError};

/// So many tokens of a text are read; the model was not taught with more.
const POSITIONS: usize = 256;

/// Files that make no model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The weights are not a file of tensors.
    #[error("the weights are not a safetensors file")]
    Header,
    /// A tensor is missing, or is not what it should be.
    #[error("no tensor `{0}` of the right size and type")]
    Tensor(String),
    /// The list of words is none.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// What came out is no model.
    #[error(transparent)]
    Model(#[from] ReadError),
}

/// Packs the weights (`model.safetensors`) and the list of words (`vocab.txt`) of a package.
pub fn pack(safetensors: &[u8], vocabulary: &[u8]) -> Result<Vec<u8>, PackError> {
    let tensors = Tensors::read(safetensors)?;
    let shape = shape(&tensors, vocabulary)?;
    let mut packer = Packer { tensors, shape, packed: Vec::new() };
    packer.header(vocabulary)?;
    packer.embeddings()?;
    for layer in 0..shape.layers {
        packer.layer(&format!("encoder.layer.{layer}"))?;
    }
    MiniLm::read(&packer.packed)?;
    Ok(packer.packed)
}

/// The shape that the sizes of the tensors say.
fn shape(tensors: &Tensors<'_>, vocabulary: &[u8]) -> Result<Shape, PackError> {
    let words = tensors.tensor("embeddings.word_embeddings.weight")?;
    let places = tensors.tensor("embeddings.position_embeddings.weight")?;
    let inner = tensors.tensor("encoder.layer.0.intermediate.dense.bias")?;
    let is_layer = |layer: &usize| tensors.has(&format!("encoder.layer.{layer}.output.dense.bias"));
    Ok(Shape {
        layers: (0..MAX_LAYERS).take_while(is_layer).count(),
        width: words.columns,
        inner: inner.columns,
        positions: places.rows.min(POSITIONS),
        tokens: Vocabulary::read(vocabulary)?.len(),
        words: vocabulary.len(),
    })
}

struct Packer<'a> {
    tensors: Tensors<'a>,
    shape: Shape,
    packed: Vec<u8>,
}

impl<'a> Packer<'a> {
    fn header(&mut self, vocabulary: &[u8]) -> Result<(), PackError> {
        self.packed.extend(MAGIC);
        self.packed.extend(VERSION.to_le_bytes());
        for number in self.shape.numbers() {
            let number = u32::try_from(number).map_err(|_| ReadError::Header)?;
            self.packed.extend(number.to_le_bytes());
        }
        self.packed.extend(vocabulary);
        Ok(())
    }

    /// The words, their places and the norm. Of the two kinds of sentences that the model knows
    /// every text is the first, so that one is added to the places.
    fn embeddings(&mut self) -> Result<(), PackError> {
        let Shape { tokens, width, positions, .. } = self.shape;
        self.matrix("embeddings.word_embeddings.weight", tokens, width)?;
        let places = self.tensors.tensor("embeddings.position_embeddings.weight")?;
        let kinds = self.tensors.tensor("embeddings.token_type_embeddings.weight")?;
        if places.columns != width || kinds.columns != width {
            return Err(PackError::Tensor("embeddings.position_embeddings.weight".to_owned()));
        }
        let kind = kinds.floats().take(width).collect::<Vec<_>>();
        let places = places.floats().take(positions * width).zip(kind.iter().cycle());
        self.floats(places.map(|(place, kind)| place + kind));
        self.norm("embeddings.LayerNorm")
    }

    fn layer(&mut self, layer: &str) -> Result<(), PackError> {
        let Shape { width, inner, .. } = self.shape;
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            self.linear(&format!("{layer}.attention.{part}"), width, width)?;
        }
        self.norm(&format!("{layer}.attention.output.LayerNorm"))?;
        self.linear(&format!("{layer}.intermediate.dense"), inner, width)?;
        self.linear(&format!("{layer}.output.dense"), width, inner)?;
        self.norm(&format!("{layer}.output.LayerNorm"))
    }

    fn linear(&mut self, name: &str, rows: usize, columns: usize) -> Result<(), PackError> {
        self.matrix(&format!("{name}.weight"), rows, columns)?;
        self.vector(&format!("{name}.bias"), rows)
    }

    fn norm(&mut self, name: &str) -> Result<(), PackError> {
        self.vector(&format!("{name}.weight"), self.shape.width)?;
        self.vector(&format!("{name}.bias"), self.shape.width)
    }

    fn vector(&mut self, name: &str, length: usize) -> Result<(), PackError> {
        let numbers = self.sized(name, 1, length)?.floats();
        self.floats(numbers);
        Ok(())
    }

    fn matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<(), PackError> {
        let numbers = self.sized(name, rows, columns)?.floats().collect::<Vec<_>>();
        let scales = numbers.chunks_exact(columns).map(scale).collect::<Vec<_>>();
        self.floats(scales.iter().copied());
        for (row, scale) in numbers.chunks_exact(columns).zip(scales) {
            self.packed.extend(row.iter().map(|number| rounded(number / scale)));
        }
        Ok(())
    }

    fn sized(&self, name: &str, rows: usize, columns: usize) -> Result<Tensor<'a>, PackError> {
        let tensor = self.tensors.tensor(name)?;
        let fits = tensor.rows == rows && tensor.columns == columns;
        if fits { Ok(tensor) } else { Err(PackError::Tensor(name.to_owned())) }
    }

    fn floats(&mut self, numbers: impl Iterator<Item = f32>) {
        self.packed.extend(numbers.flat_map(f32::to_le_bytes));
    }
}

/// What a row's bytes are times, to be its numbers.
fn scale(row: &[f32]) -> f32 {
    let greatest = row.iter().fold(0.0_f32, |so_far, number| so_far.max(number.abs()));
    if greatest > 0.0 { greatest / 127.0 } else { 1.0 }
}

#[expect(clippy::cast_possible_truncation, reason = "within -127 and 127 by its scale")]
fn rounded(number: f32) -> u8 {
    (number.round() as i8).cast_unsigned()
}
