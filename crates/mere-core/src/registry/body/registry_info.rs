//! What a registry says about itself and its namespaces.

use serde::{Deserialize, Serialize};

use super::{ApiBody, BodyError, as_text};
use crate::log::{LogFingerprint, NoteAlgorithm, VerifierKey};
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
    const MAX_BYTES: usize = 256 * 1024;

    /// Checks that every key has its own fingerprint.
    fn check(&self) -> Result<(), BodyError> {
        let fits = |key: &NamespaceKey| key.fingerprint == key.public_key.fingerprint();
        if self.keys.iter().all(fits) { Ok(()) } else { Err(BodyError) }
    }
}
