//! A registry that the user logged in to, with a connection and what is remembered about it.

use std::time::Duration;

use mere_core::registry::{ApiPath, RegistryInfo};

use super::RegistryError;
use super::connection::{Connection, PATIENCE};
use super::log_reader::LogReader;
use super::logins::{KnownRegistry, list_logins};
use super::memory::RegistryMemory;
use crate::config::RegistryConfig;
use crate::policy::RegistryPermit;
use mere_host::{Environment, RegistryUrl};

/// Which registry is meant, and when its log is believed.
#[derive(Clone, Copy)]
pub(crate) struct RegistryChoice<'a> {
    pub(super) environment: &'a Environment,
    pub(super) config: &'a RegistryConfig,
    /// What a person named, if they named one.
    pub(super) named: Option<&'a str>,
}

impl<'a> RegistryChoice<'a> {
    /// Chooses the registry that is asked where nobody names one, for a call that may ask it.
    pub(crate) fn new(
        _: RegistryPermit,
        environment: &'a Environment,
        config: &'a RegistryConfig,
    ) -> Self {
        Self { environment, config, named: None }
    }

    /// Chooses the one that a person named, if they named one.
    pub(crate) fn or_named(self, named: Option<&'a str>) -> Self {
        Self { named, ..self }
    }

    /// Finds the registry: the one that was named, else that of the config, else the one that the
    /// user logged in to last.
    pub(crate) fn find(&self) -> Result<KnownRegistry, RegistryError> {
        let mut logins = list_logins(self.environment)?;
        let url = match self.named {
            Some(named) => Some(RegistryUrl::from_person(named, self.environment)?),
            None => self.config.url.clone(),
        };
        let Some(url) = url else { return logins.pop().ok_or(RegistryError::NoLogin) };
        match logins.iter().find(|login| login.url == url) {
            Some(login) => Ok(login.clone()),
            None => find_mirrored(url, &logins),
        }
    }

    /// Opens the registry. No exchange that transfers little takes longer than `patience`.
    pub(crate) fn open(&self, patience: Duration) -> Result<OpenRegistry, RegistryError> {
        let known = self.find()?;
        let connection = Connection::open(&known.url, known.token.clone(), patience)?;
        let memory = RegistryMemory::of_registry(self.environment, &known);
        Ok(OpenRegistry::new(known, connection, memory, self.config))
    }
}

/// Finds the registry that a folder mirrors: the log key that was pinned for it counts for its
/// mirrors, too.
fn find_mirrored(
    url: RegistryUrl,
    logins: &[KnownRegistry],
) -> Result<KnownRegistry, RegistryError> {
    if !matches!(url, RegistryUrl::Folder(_)) {
        return Err(RegistryError::NoLogin);
    }
    let connection = Connection::open(&url, None, PATIENCE)?;
    let info = connection.get_body::<RegistryInfo>(&ApiPath::Registry)?;
    let info = info.ok_or(RegistryError::Answer("it is not a mirror"))?;
    let is_known =
        |login: &&KnownRegistry| login.id == info.registry_id && login.log_key == info.log_key;
    let known = logins.iter().find(is_known).ok_or(RegistryError::NoLogin)?;
    Ok(KnownRegistry { url, token: None, ..known.clone() })
}

/// A registry that the user logged in to, with a connection to it.
pub(crate) struct OpenRegistry {
    pub(super) known: KnownRegistry,
    pub(super) connection: Connection,
    pub(super) memory: RegistryMemory,
    config: RegistryConfig,
}

impl OpenRegistry {
    pub(super) fn new(
        known: KnownRegistry,
        connection: Connection,
        memory: RegistryMemory,
        config: &RegistryConfig,
    ) -> Self {
        Self { known, connection, memory, config: config.clone() }
    }

    /// Reads the log as it is now. It must continue what was seen before.
    pub(super) fn read_log(&self) -> Result<LogReader<'_>, RegistryError> {
        LogReader::open(&self.connection, &self.memory, (&self.known, &self.config))
    }
}
