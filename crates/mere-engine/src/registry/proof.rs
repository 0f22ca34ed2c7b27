//! The proof that is stored beside an installed item: it verifies with the pinned log key alone.

use mere_core::log::{OfflineProof, RegistryEvent};
use mere_core::trust::Sidecar;

use super::RegistryError;
use super::logins::{KnownRegistry, list_logins};
use mere_host::Environment;

/// What the stored proof of an item shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ProofState {
    /// The version is in the log of the registry.
    Verified,
    /// There is no proof.
    Missing,
    /// Nobody has logged in to that registry here, so that its log key is not known.
    UnknownRegistry,
    /// The proof shows something else.
    Invalid,
}

/// Checks stored proofs with the log keys that the user pinned.
pub(crate) struct ProofChecker {
    logins: Vec<KnownRegistry>,
}

impl ProofChecker {
    /// Reads the pinned log keys.
    pub(crate) fn new(environment: &Environment) -> Result<Self, RegistryError> {
        Ok(Self { logins: list_logins(environment)? })
    }

    /// Returns whether any log key is known.
    pub(crate) fn has_keys(&self) -> bool {
        !self.logins.is_empty()
    }

    /// Checks the proof of an item. Returns `None` if the item did not come from a registry.
    pub(crate) fn check(&self, sidecar: &Sidecar) -> Option<ProofState> {
        let origin = sidecar.placement.origin.as_ref()?;
        let Some(proof) = &sidecar.log_proof else { return Some(ProofState::Missing) };
        let mut known = self.logins.iter().filter(|one| one.id.to_string() == origin.registry_id);
        let Some(known) = known.next() else { return Some(ProofState::UnknownRegistry) };
        let is_valid = OfflineProof::parse(proof.to_string().as_bytes()).is_ok_and(|proof| {
            let entry = proof.verify(&known.log_key);
            entry.is_ok_and(|entry| match &entry.disclosure().event {
                RegistryEvent::Publish(event) => {
                    event.statement == sidecar.placement.statement
                        && event.version.item.namespace.as_str() == origin.namespace
                        && event.version.version.to_string() == origin.version
                }
                _ => false,
            })
        });
        Some(if is_valid { ProofState::Verified } else { ProofState::Invalid })
    }
}
