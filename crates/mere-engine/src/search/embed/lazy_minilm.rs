//! The `MiniLM` model that a person fetched, loaded from its file when it is first needed.
//!
//! The file is read at most once, whether or not that succeeds.

use std::sync::OnceLock;

use mere_core::embed::MiniLm;

use super::embedding_error::EmbeddingError;
use mere_host::ModelFolder;

/// The name of the packed model in the folder of models.
pub(crate) const MINILM_FILE: &str = "minilm-l6-v2.bin";

/// A `MiniLM` model that is loaded once.
pub(crate) struct LazyMiniLm {
    models: Option<ModelFolder>,
    loaded: OnceLock<Result<Box<MiniLm>, EmbeddingError>>,
}

impl LazyMiniLm {
    pub(crate) fn new(models: Option<ModelFolder>) -> Self {
        Self { models, loaded: OnceLock::new() }
    }

    /// Returns the model, and loads it at the first call. A failure is remembered too.
    pub(crate) fn model(&self) -> Result<&MiniLm, EmbeddingError> {
        let read = self.loaded.get_or_init(|| self.load().map(Box::new));
        read.as_ref().map(|model| &**model).map_err(Clone::clone)
    }

    fn load(&self) -> Result<MiniLm, EmbeddingError> {
        let models = self.models.as_ref().ok_or(EmbeddingError::Missing)?;
        let bytes = models.read(MINILM_FILE).map_err(|error| {
            tracing::warn!(%error, "the model cannot be read");
            EmbeddingError::Damaged
        })?;
        MiniLm::read(&bytes.ok_or(EmbeddingError::Missing)?).map_err(|error| {
            tracing::warn!(%error, "the model cannot be used");
            EmbeddingError::Damaged
        })
    }
}
