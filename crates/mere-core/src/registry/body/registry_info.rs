//! What a registry says about itself and its namespaces.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{ApiBody, BodyError, as_text};
use crate::log::{LogFingerprint, LoggedEvent, NoteAlgorithm, RegistryEvent, VerifierKey};
use crate::registry::{Namespace, RegistryId};
use crate::trust::{Fingerprint, PublicKey};

/// What a registry says about itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistryInfo {
    /// Its id.
    #[serde(with = "as_text")]
    pub registry_id: RegistryId,
    /// The origin of its log.
    pub origin: String,
    /// The key of its log.
    #[serde(with = "as_text")]
    pub log_key: VerifierKey,
    /// The fingerprint of that key.
    #[serde(with = "as_text")]
    pub fingerprint: LogFingerprint,
    /// The program and its version.
    pub software: String,
}

impl RegistryInfo {
    /// Describes a registry with this key. Returns `None` if the key is not named after the log.
    pub fn new(registry_id: RegistryId, log_key: VerifierKey, software: String) -> Option<Self> {
        let origin = log_key.name().as_str().to_owned();
        let fingerprint = log_key.fingerprint();
        let info = Self { registry_id, origin, log_key, fingerprint, software };
        info.check().is_ok().then_some(info)
    }
}

impl ApiBody for RegistryInfo {
    const MAX_BYTES: usize = 16 * 1024;

    /// Checks that the id, the origin, the key and the fingerprint belong together.
    fn check(&self) -> Result<(), BodyError> {
        let origin = self.registry_id.log_origin().map_err(|_| BodyError)?;
        let is_consistent = origin.as_str() == self.origin
            && origin == *self.log_key.name()
            && self.log_key.algorithm() == NoteAlgorithm::Ed25519
            && self.fingerprint == self.log_key.fingerprint();
        if is_consistent { Ok(()) } else { Err(BodyError) }
    }
}

/// A namespace with the keys of its authors.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamespaceInfo {
    /// Its name.
    #[serde(with = "as_text")]
    pub name: Namespace,
    /// Whether a token is needed to read it.
    pub private: bool,
    /// The keys whose signatures it accepts.
    pub keys: Vec<NamespaceKey>,
    /// Every change of the keys, in the order of the log. Those of a private namespace are sealed
    /// there, and shown here.
    pub key_changes: Vec<LoggedEvent>,
}

/// A key of a namespace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NamespaceKey {
    /// Its fingerprint.
    #[serde(with = "as_text")]
    pub fingerprint: Fingerprint,
    /// The key as in a `.pub` file.
    #[serde(with = "as_text")]
    pub public_key: PublicKey,
}

impl From<PublicKey> for NamespaceKey {
    fn from(public_key: PublicKey) -> Self {
        Self { fingerprint: public_key.fingerprint(), public_key }
    }
}

impl ApiBody for NamespaceInfo {
    const MAX_BYTES: usize = 2 * 1024 * 1024;

    /// Checks that every key has its own fingerprint, and that the keys are what the changes lead
    /// to. Whether those are in the log is not checked.
    fn check(&self) -> Result<(), BodyError> {
        let mut keys = BTreeSet::new();
        for change in &self.key_changes {
            let is_valid = match &change.disclosure.event {
                RegistryEvent::KeyAdd(event) => {
                    event.namespace == self.name && keys.insert(event.key)
                }
                RegistryEvent::KeyRemove(event) => {
                    event.namespace == self.name && keys.remove(&event.key)
                }
                RegistryEvent::Publish(_) | RegistryEvent::Yank(_) => false,
            };
            if !is_valid {
                return Err(BodyError);
            }
        }
        let fits = |key: &NamespaceKey| key.fingerprint == key.public_key.fingerprint();
        let shown = self.keys.iter().map(|key| key.fingerprint).collect::<BTreeSet<_>>();
        let is_ordered = self.key_changes.is_sorted_by(|one, next| one.index < next.index);
        let is_consistent = self.keys.iter().all(fits) && is_ordered && shown == keys;
        if is_consistent { Ok(()) } else { Err(BodyError) }
    }
}
