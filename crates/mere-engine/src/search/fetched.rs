//! The model that a person fetched, read when it is first needed.

use std::sync::OnceLock;

use mere_core::embed::MiniLm;

use super::trouble::Trouble;
use mere_host::ModelFolder;

/// What the packed model is called in its folder.
pub(crate) const FILE: &str = "minilm-l6-v2.bin";

/// A model in a file.
pub(crate) struct Fetched {
    models: Option<ModelFolder>,
    read: OnceLock<Result<Box<MiniLm>, Trouble>>,
}

impl Fetched {
    pub(crate) fn new(models: Option<ModelFolder>) -> Self {
        Self { models, read: OnceLock::new() }
    }

    /// The model.
    pub(crate) fn model(&self) -> Result<&MiniLm, Trouble> {
        let read = self.read.get_or_init(|| self.load().map(Box::new));
        read.as_ref().map(|model| &**model).map_err(Clone::clone)
    }

    fn load(&self) -> Result<MiniLm, Trouble> {
        let models = self.models.as_ref().ok_or(Trouble::Missing)?;
        let bytes = models.read(FILE).map_err(|error| {
            tracing::warn!(%error, "the model cannot be read");
            Trouble::Damaged
        })?;
        MiniLm::read(&bytes.ok_or(Trouble::Missing)?).map_err(|error| {
            tracing::warn!(%error, "the model cannot be used");
            Trouble::Damaged
        })
    }
}
