//! One transformer layer: attention, then the feed-forward network, each with a residual
//! connection and layer normalisation.

use super::MiniLmError;
use super::attention::Attention;
use super::byte_reader::ByteReader;
use super::layer_norm::LayerNorm;
use super::math::gelu;
use super::matrix::Linear;
use super::shape::ModelShape;

/// The weights of a layer.
#[derive(Clone, Debug)]
pub(super) struct TransformerLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

impl TransformerLayer {
    /// Reads the next layer.
    pub(super) fn read(
        source: &mut ByteReader<'_>,
        shape: &ModelShape,
    ) -> Result<Self, MiniLmError> {
        let (width, inner) = (shape.width, shape.inner_width);
        Ok(Self {
            query: Linear::read(source, width, width)?,
            key: Linear::read(source, width, width)?,
            value: Linear::read(source, width, width)?,
            attention_output: Linear::read(source, width, width)?,
            attention_norm: LayerNorm::read(source, width)?,
            intermediate: Linear::read(source, inner, width)?,
            output: Linear::read(source, width, inner)?,
            output_norm: LayerNorm::read(source, width)?,
        })
    }

    /// Replaces the states of a text's tokens by the layer's output.
    pub(super) fn apply(&self, tokens: &mut [f32], width: usize) {
        let attention = Attention {
            queries: self.query.apply(tokens),
            keys: self.key.apply(tokens),
            values: self.value.apply(tokens),
        };
        add_to(tokens, &self.attention_output.apply(&attention.weighted_values(width)));
        self.attention_norm.apply(tokens);
        let mut inner = self.intermediate.apply(tokens);
        for number in &mut inner {
            *number = gelu(*number);
        }
        add_to(tokens, &self.output.apply(&inner));
        self.output_norm.apply(tokens);
    }
}

fn add_to(sums: &mut [f32], numbers: &[f32]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
