//! The witnesses of a registry, and the cosignatures that they gave.

use crate::error::RegistryError;
use crate::registry::Registry;
use crate::witnesses::WitnessAddress;

/// The witnesses of a registry.
pub(crate) struct WitnessSet(Vec<WitnessAddress>);

impl WitnessSet {
    /// Names the witnesses.
    pub(crate) fn new(witnesses: &[WitnessAddress]) -> Self {
        Self(witnesses.to_vec())
    }

    /// Reports whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Asks every witness to co-sign the newest checkpoint.
    pub(crate) fn cosign_newest(&self, _registry: &Registry) {}

    /// Returns the newest checkpoint with its cosignatures.
    pub(crate) fn checkpoint(&self, registry: &Registry) -> Result<String, RegistryError> {
        registry.checkpoint()
    }
}
