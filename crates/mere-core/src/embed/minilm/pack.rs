//! Packs the files of a model package into the one that [`MiniLm::read`](super::MiniLm::read)
//! takes.
//!
//! Each row of weights is quantised with the scale that makes its greatest weight 127. Files that
//! do not make a valid model are refused here: the packed bytes are parsed once before they are
//! returned.

use super::safetensors::{Tensor, Tensors};
use super::shape::{MAX_LAYERS, ModelShape};
use super::{MAGIC, MiniLm, MiniLmError, VERSION};
use crate::embed::vocabulary::{Vocabulary, VocabularyError};

/// The number of tokens read of a text; the model was not trained with more.
const MAX_POSITIONS: usize = 256;

/// The reason why files do not make a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PackError {
    /// The weights are not a safetensors file.
    #[error("the weights are not a safetensors file")]
    Header,
    /// A tensor is missing, or is not what it should be.
    #[error("no tensor `{0}` of the right size and type")]
    Tensor(String),
    /// The vocabulary is not valid.
    #[error(transparent)]
    Vocabulary(#[from] VocabularyError),
    /// The packed bytes are not a valid model.
    #[error(transparent)]
    Model(#[from] MiniLmError),
}

/// Packs the weights (`model.safetensors`) and the vocabulary (`vocab.txt`) of a package.
pub fn pack(safetensors: &[u8], vocabulary: &[u8]) -> Result<Vec<u8>, PackError> {
    let tensors = Tensors::read(safetensors)?;
    let shape = derive_shape(&tensors, vocabulary)?;
    let mut packer = Packer { tensors, shape, packed: Vec::new() };
    packer.write_header(vocabulary)?;
    packer.write_embeddings()?;
    for layer in 0..shape.layers {
        packer.write_layer(&format!("encoder.layer.{layer}"))?;
    }
    MiniLm::read(&packer.packed)?;
    Ok(packer.packed)
}

/// Derives the model's shape from the sizes of its tensors.
fn derive_shape(tensors: &Tensors<'_>, vocabulary: &[u8]) -> Result<ModelShape, PackError> {
    let words = tensors.tensor("embeddings.word_embeddings.weight")?;
    let places = tensors.tensor("embeddings.position_embeddings.weight")?;
    let inner = tensors.tensor("encoder.layer.0.intermediate.dense.bias")?;
    let is_layer = |layer: &usize| tensors.has(&format!("encoder.layer.{layer}.output.dense.bias"));
    Ok(ModelShape {
        layers: (0..MAX_LAYERS).take_while(is_layer).count(),
        width: words.columns,
        inner_width: inner.columns,
        positions: places.rows.min(MAX_POSITIONS),
        tokens: Vocabulary::read(vocabulary)?.len(),
        vocabulary_bytes: vocabulary.len(),
    })
}

struct Packer<'a> {
    tensors: Tensors<'a>,
    shape: ModelShape,
    packed: Vec<u8>,
}

impl<'a> Packer<'a> {
    fn write_header(&mut self, vocabulary: &[u8]) -> Result<(), PackError> {
        self.packed.extend(MAGIC);
        self.packed.extend(VERSION.to_le_bytes());
        for number in self.shape.to_numbers() {
            let number = u32::try_from(number).map_err(|_| MiniLmError::Header)?;
            self.packed.extend(number.to_le_bytes());
        }
        self.packed.extend(vocabulary);
        Ok(())
    }

    /// Writes the word and position embeddings and their norm. The model distinguishes two sentence
    /// types; every text counts as the first, so its embedding is added to the positions.
    fn write_embeddings(&mut self) -> Result<(), PackError> {
        let ModelShape { tokens, width, positions, .. } = self.shape;
        self.write_matrix("embeddings.word_embeddings.weight", tokens, width)?;
        let places = self.tensors.tensor("embeddings.position_embeddings.weight")?;
        let kinds = self.tensors.tensor("embeddings.token_type_embeddings.weight")?;
        if places.columns != width || kinds.columns != width {
            return Err(PackError::Tensor("embeddings.position_embeddings.weight".to_owned()));
        }
        let kind = kinds.floats().take(width).collect::<Vec<_>>();
        let places = places.floats().take(positions * width).zip(kind.iter().cycle());
        self.write_floats(places.map(|(place, kind)| place + kind));
        self.write_norm("embeddings.LayerNorm")
    }

    fn write_layer(&mut self, layer: &str) -> Result<(), PackError> {
        let ModelShape { width, inner_width: inner, .. } = self.shape;
        for part in ["self.query", "self.key", "self.value", "output.dense"] {
            self.write_linear(&format!("{layer}.attention.{part}"), width, width)?;
        }
        self.write_norm(&format!("{layer}.attention.output.LayerNorm"))?;
        self.write_linear(&format!("{layer}.intermediate.dense"), inner, width)?;
        self.write_linear(&format!("{layer}.output.dense"), width, inner)?;
        self.write_norm(&format!("{layer}.output.LayerNorm"))
    }

    fn write_linear(&mut self, name: &str, rows: usize, columns: usize) -> Result<(), PackError> {
        self.write_matrix(&format!("{name}.weight"), rows, columns)?;
        self.write_vector(&format!("{name}.bias"), rows)
    }

    fn write_norm(&mut self, name: &str) -> Result<(), PackError> {
        self.write_vector(&format!("{name}.weight"), self.shape.width)?;
        self.write_vector(&format!("{name}.bias"), self.shape.width)
    }

    fn write_vector(&mut self, name: &str, length: usize) -> Result<(), PackError> {
        let numbers = self.tensor_of_size(name, 1, length)?.floats();
        self.write_floats(numbers);
        Ok(())
    }

    fn write_matrix(&mut self, name: &str, rows: usize, columns: usize) -> Result<(), PackError> {
        let numbers = self.tensor_of_size(name, rows, columns)?.floats().collect::<Vec<_>>();
        let scales = numbers.chunks_exact(columns).map(row_scale).collect::<Vec<_>>();
        self.write_floats(scales.iter().copied());
        for (row, scale) in numbers.chunks_exact(columns).zip(scales) {
            self.packed.extend(row.iter().map(|number| round_to_byte(number / scale)));
        }
        Ok(())
    }

    fn tensor_of_size(
        &self,
        name: &str,
        rows: usize,
        columns: usize,
    ) -> Result<Tensor<'a>, PackError> {
        let tensor = self.tensors.tensor(name)?;
        let fits = tensor.rows == rows && tensor.columns == columns;
        if fits { Ok(tensor) } else { Err(PackError::Tensor(name.to_owned())) }
    }

    fn write_floats(&mut self, numbers: impl Iterator<Item = f32>) {
        self.packed.extend(numbers.flat_map(f32::to_le_bytes));
    }
}

/// Returns the factor that turns a row's bytes back into its weights.
fn row_scale(row: &[f32]) -> f32 {
    let greatest = row.iter().fold(0.0_f32, |so_far, number| so_far.max(number.abs()));
    if greatest > 0.0 { greatest / 127.0 } else { 1.0 }
}

#[expect(clippy::cast_possible_truncation, reason = "within -127 and 127 by its scale")]
fn round_to_byte(number: f32) -> u8 {
    (number.round() as i8).cast_unsigned()
}
