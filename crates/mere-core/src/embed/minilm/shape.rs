//! How large a model is, which says how long its file is.

/// The size of an attention head, in this family of models always the same.
pub(super) const HEAD_SIZE: usize = 32;

/// No model of this family has more layers.
pub(super) const MAX_LAYERS: usize = 24;

/// The numbers at the head of a packed model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ModelShape {
    pub(super) layers: usize,
    /// How many numbers a token is.
    pub(super) width: usize,
    /// How many there are between the two steps of a layer's feed-forward part.
    pub(super) inner_width: usize,
    /// How many tokens are read of a text.
    pub(super) positions: usize,
    pub(super) tokens: usize,
    /// How many bytes the vocabulary has.
    pub(super) vocabulary_bytes: usize,
}

impl ModelShape {
    /// How many numbers it is made of.
    pub(super) const NUMBER_COUNT: usize = 6;

    /// The shape these numbers say, if it is one that can be worked with. The bounds keep sums of
    /// products within 32 bits, and sizes within what a machine has.
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

    /// The numbers that say it.
    pub(super) fn to_numbers(&self) -> [usize; Self::NUMBER_COUNT] {
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
