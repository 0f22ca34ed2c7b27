//! The registries that the user logged in to: `registries.json` in the config folder, which only they
//! can read.
//!
//! Each record has the id of a registry and the key that signs its log. They are pinned once by a
//! person, and a registry that shows others later is refused. No agent can list or change them.

use mere_core::log::VerifierKey;
use mere_core::registry::{Namespace, RegistryId};
use mere_core::request::Secret;
use serde_json::{Value, json};

use super::RegistryError;
use crate::trust::approvals::records;
use mere_host::{Environment, RegistryUrl};

/// The file that holds the records.
const FILE: &str = "registries.json";

/// A registry that the user logged in to.
#[derive(Clone, Debug)]
pub(crate) struct KnownRegistry {
    pub(crate) url: RegistryUrl,
    pub(crate) id: RegistryId,
    /// The key that signs its log.
    pub(crate) log_key: VerifierKey,
    pub(crate) token: Option<Secret>,
    /// The namespace that items are published to by default.
    pub(crate) namespace: Option<Namespace>,
}

impl KnownRegistry {
    fn parse(record: &Value) -> Option<Self> {
        let token = match &record["token"] {
            Value::Null => None,
            token => Some(Secret::new(token.as_str()?.to_owned())),
        };
        let namespace = match &record["namespace"] {
            Value::Null => None,
            namespace => Some(namespace.as_str()?.parse().ok()?),
        };
        Some(Self {
            url: RegistryUrl::from_file(record["url"].as_str()?).ok()?,
            id: record["registry_id"].as_str()?.parse().ok()?,
            log_key: record["log_key"].as_str()?.parse().ok()?,
            token,
            namespace,
        })
    }

    fn to_record(&self) -> Value {
        json!({
            "url": self.url.to_string(),
            "registry_id": self.id.to_string(),
            "log_key": self.log_key.to_string(),
            "token": self.token.as_ref().map(Secret::expose),
            "namespace": self.namespace.as_ref().map(Namespace::as_str),
        })
    }
}

/// Returns the registries, the one that the user logged in to last at the end.
pub(crate) fn list_logins(environment: &Environment) -> Result<Vec<KnownRegistry>, RegistryError> {
    let unreadable = |why: String| RegistryError::Unkept(why);
    let bytes = environment.read_config(FILE).map_err(|error| unreadable(error.to_string()))?;
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    let records = records::parse_strict(&bytes)
        .and_then(|records| records.iter().map(KnownRegistry::parse).collect::<Option<Vec<_>>>());
    records.ok_or_else(|| unreadable(format!("{FILE} is damaged")))
}

/// Remembers a registry in place of what was known about its URL.
pub(crate) fn save_login(
    environment: &Environment,
    login: &KnownRegistry,
) -> Result<(), RegistryError> {
    let url = login.url.to_string();
    records::update(environment.lock_config(), FILE, |records| {
        records.retain(|record| record["url"] != *url);
        records.push(login.to_record());
    })?;
    Ok(())
}

/// Forgets the token of a registry. Its log key stays pinned.
pub(crate) fn forget_token(
    environment: &Environment,
    login: &KnownRegistry,
) -> Result<(), RegistryError> {
    let url = login.url.to_string();
    records::update(environment.lock_config(), FILE, |records| {
        for record in records.iter_mut().filter(|record| record["url"] == *url) {
            record["token"] = Value::Null;
        }
    })?;
    Ok(())
}
