//! The transformer and the table together, which find more than either of them alone.
//!
//! They err on different texts: the transformer reads a text as a whole, the table gives every word
//! its due.

use std::borrow::Cow;

use super::{MiniLm, ModelIdentity, StaticEmbeddings, UnitVector, static_embeddings};

/// The model behind [`embed`] with a [`MiniLm`] that is packed from all-MiniLM-L6-v2.
pub const MODEL: ModelIdentity = ModelIdentity {
    id: Cow::Borrowed("minilm-l6-v2-static-640-2"),
    dimensions: 384 + static_embeddings::DIMENSIONS,
};

/// How much the table counts beside the transformer, tuned on the tuning half of `retrieval/`.
const TABLE_WEIGHT: f32 = 2.0;

/// Computes the direction of a text by the transformer, joined with that by the built-in table.
/// Returns `None` for a text without tokens.
pub fn embed(transformer: &MiniLm, text: &str) -> Option<UnitVector> {
    let by_table = StaticEmbeddings::built_in().embed(text);
    let direction = transformer.embed(text)?;
    Some(direction.joined_with(by_table, static_embeddings::DIMENSIONS, TABLE_WEIGHT))
}
