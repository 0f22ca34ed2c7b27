//! Text embeddings: texts close in meaning get vectors with close directions.
//!
//! There are two models, both pure arithmetic over bytes that are given to them.
//! [`StaticEmbeddings`] ships with the program: it adds up one vector per token. [`MiniLm`] is
//! better and slower, and its weights are downloaded only by those who want it. Every model
//! gives a text a [`UnitVector`], which is stored as a [`Vector`]; a [`Sketch`] is a rough copy of
//! one for a first pass over very many. What is embedded of an item is its [`EmbeddingText`].
//! A stored vector must be stored with its [`ModelIdentity`], because vectors of two models cannot
//! be compared.

use std::borrow::Cow;

mod embedding_text;
pub mod joint_model;
pub mod minilm;
pub mod normalization;
pub mod sketch;
pub mod static_embeddings;
mod unit_vector;
pub mod vector;
pub mod vocabulary;
pub mod wordpiece;

pub use embedding_text::EmbeddingText;
pub use minilm::MiniLm;
pub use sketch::{Sketch, sketch_words};
pub use static_embeddings::StaticEmbeddings;
pub use unit_vector::UnitVector;
pub use vector::{Vector, inverse_norm};
pub use vocabulary::Vocabulary;

/// The identity of the model that made a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    /// The model's name. It changes whenever the model would produce different vectors.
    pub id: Cow<'static, str>,
    /// The number of dimensions of its vectors.
    pub dimensions: usize,
}
