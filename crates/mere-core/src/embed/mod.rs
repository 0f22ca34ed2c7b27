//! Texts as vectors: what is near in meaning is near in direction.
//!
//! Two models, both pure arithmetic over bytes that are given to them. [`Table`] ships with the
//! program: a vector for each token, added up. [`MiniLm`] is better and slower, and its weights are
//! fetched by whoever wants it. [`Vector`] is what every model makes, [`Sketch`] a
//! rough likeness of one for a first pass over very many. What is stored must be stored with its
//! [`Model`]: vectors of two models say nothing to each other.

use std::borrow::Cow;

pub mod letters;
pub mod minilm;
pub mod sketch;
pub mod table;
pub mod vector;
pub mod vocabulary;
pub mod wordpiece;

pub use minilm::MiniLm;
pub use sketch::Sketch;
pub use table::StaticEmbeddings;
pub use vector::Vector;
pub use vocabulary::Vocabulary;

/// Which model made a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelIdentity {
    /// Its name, which is another one as soon as it would make other vectors.
    pub id: Cow<'static, str>,
    /// How many numbers its vectors have.
    pub dimensions: usize,
}
