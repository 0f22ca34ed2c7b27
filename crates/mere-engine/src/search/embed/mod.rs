//! The models that turn texts into vectors.
//!
//! A model that cannot be used is reported in the reply and never fails a search.

pub(crate) mod embedder;
pub(crate) mod embedding_error;
pub(crate) mod endpoint;
pub(crate) mod lazy_minilm;
pub(crate) mod model_error;
