//! The dimensions of a model, which determine the length of its file.

/// The size of an attention head, which is the same for all models of this family.
pub(super) const HEAD_SIZE: usize = 32;

/// The most layers that a model of this family has.
pub(super) const MAX_LAYERS: usize = 24;

/// The numbers in the header of a packed model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModelShape {
    pub(super) layers: usize,
    /// The number of dimensions of a token's state.
    pub(super) width: usize,
    /// The number of dimensions between the two linear steps of a layer's feed-forward network.
    pub(super) inner_width: usize,
    /// The number of tokens read of a text, including the two boundary tokens.
    pub(super) positions: usize,
    pub(super) tokens: usize,
    /// The size of the vocabulary in bytes.
    pub(super) vocabulary_bytes: usize,
}

impl ModelShape {
    /// The number of numbers in the header.
    pub(super) const NUMBER_COUNT: usize = 6;

    /// Checks a shape from a header. The bounds keep sums of products within 32 bits, and sizes
    /// within what a machine can hold.
    pub(super) fn new(numbers: [u32; Self::NUMBER_COUNT]) -> Option<Self> {
        let [layers, width, inner, positions, tokens, words] =
            numbers.map(|number| number as usize);
        let shape =
            Self { layers, width, inner_width: inner, positions, tokens, vocabulary_bytes: words };
        let fits = (1..=MAX_LAYERS).contains(&layers)
            && (HEAD_SIZE..=1024).contains(&width)
            && width.is_multiple_of(HEAD_SIZE)
            && (1..=4096).contains(&inner)
            && (3..=512).contains(&positions)
            && (4..=super::super::vocabulary::MAX_TOKENS).contains(&tokens)
            && words <= 1 << 22;
        fits.then_some(shape)
    }

    /// Returns the numbers in header order.
    pub(super) fn to_numbers(self) -> [usize; Self::NUMBER_COUNT] {
        [
            self.layers,
            self.width,
            self.inner_width,
            self.positions,
            self.tokens,
            self.vocabulary_bytes,
        ]
    }
}
