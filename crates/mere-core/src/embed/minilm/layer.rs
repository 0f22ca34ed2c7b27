//! One layer: attention, then two steps forward, each added to what was there and normalised.

use super::ReadError;
use super::attention::Attention;
use super::curve::gelu;
use super::matrix::Linear;
use super::norm::Norm;
use super::shape::Shape;
use super::source::Source;

/// The weights of a layer.
#[derive(Clone, Debug)]
pub(super) struct Layer {
    query: Linear,
    key: Linear,
    value: Linear,
    mix: Linear,
    mix_norm: Norm,
    up: Linear,
    down: Linear,
    norm: Norm,
}

impl Layer {
    /// Takes a layer.
    pub(super) fn read(source: &mut Source<'_>, shape: &Shape) -> Result<Self, ReadError> {
        let (width, inner) = (shape.width, shape.inner);
        Ok(Self {
            query: Linear::read(source, width, width)?,
            key: Linear::read(source, width, width)?,
            value: Linear::read(source, width, width)?,
            mix: Linear::read(source, width, width)?,
            mix_norm: Norm::read(source, width)?,
            up: Linear::read(source, inner, width)?,
            down: Linear::read(source, width, inner)?,
            norm: Norm::read(source, width)?,
        })
    }

    /// What the layer makes of the tokens of a text.
    pub(super) fn apply(&self, tokens: &mut [f32], width: usize) {
        let attention = Attention {
            queries: self.query.times(tokens),
            keys: self.key.times(tokens),
            values: self.value.times(tokens),
        };
        add(tokens, &self.mix.times(&attention.mixed(width)));
        self.mix_norm.apply(tokens);
        let mut inner = self.up.times(tokens);
        for number in &mut inner {
            *number = gelu(*number);
        }
        add(tokens, &self.down.times(&inner));
        self.norm.apply(tokens);
    }
}

fn add(sums: &mut [f32], numbers: &[f32]) {
    for (sum, number) in sums.iter_mut().zip(numbers) {
        *sum += number;
    }
}
