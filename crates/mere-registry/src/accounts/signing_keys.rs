//! The keys that authors sign with, registered for a namespace. Every change is in the log.

use mere_core::log::{NamespaceKeyEvent, RegistryEvent};
use mere_core::registry::Namespace;
use mere_core::trust::{ClaimedTime, Fingerprint, PublicKey};

use super::audit_events::{Actor, record_event};
use super::namespaces::{NamespaceRow, find_namespace};
use crate::clock;
use crate::database::{Connection, DatabaseError};
use crate::error::RegistryError;
use crate::registry::Registry;

/// A key of a namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SigningKey {
    /// The namespace.
    pub namespace: String,
    /// The key.
    pub key: PublicKey,
    /// When it was registered.
    pub added_at: String,
}

/// Returns the keys that may sign for a namespace now.
pub(crate) fn active_keys(
    connection: &mut Connection,
    namespace: &Namespace,
) -> Result<Vec<PublicKey>, DatabaseError> {
    let sql = "SELECT public_key FROM namespace_keys WHERE namespace = $1 AND removed_at IS NULL \
               ORDER BY added_at, fingerprint";
    read_keys(connection, sql, namespace)
}

/// Returns the keys that may sign for a namespace, or once could.
pub(crate) fn all_keys(
    connection: &mut Connection,
    namespace: &Namespace,
) -> Result<Vec<PublicKey>, DatabaseError> {
    let sql = "SELECT public_key FROM namespace_keys WHERE namespace = $1";
    read_keys(connection, sql, namespace)
}

/// Returns the indices of the entries of the log that change the keys of a namespace, in order.
pub(crate) fn key_change_indices(
    connection: &mut Connection,
    namespace: &Namespace,
) -> Result<Vec<u64>, DatabaseError> {
    let sql = "SELECT leaf_index FROM key_changes WHERE namespace = $1 ORDER BY leaf_index";
    let rows = connection.query(sql, &[namespace.as_str().into()])?;
    rows.iter().map(|row| row.number(0)).collect()
}

fn read_keys(
    connection: &mut Connection,
    sql: &str,
    namespace: &Namespace,
) -> Result<Vec<PublicKey>, DatabaseError> {
    let rows = connection.query(sql, &[namespace.as_str().into()])?;
    rows.iter().map(|row| row.text(0)?.parse().map_err(|_| DatabaseError::Shape)).collect()
}

impl Registry {
    /// Registers a key for a namespace.
    pub fn add_key(&self, namespace: &Namespace, key: &PublicKey) -> Result<u64, RegistryError> {
        let (now, fingerprint) = (clock::now(), key.fingerprint());
        self.database.write(|connection| {
            let info = require_namespace(connection, namespace)?;
            if active_keys(connection, namespace)?.contains(key) {
                return Err(RegistryError::NameTaken);
            }
            let sql = "INSERT INTO namespace_keys (namespace, fingerprint, public_key, added_at) \
                       VALUES ($1, $2, $3, $4) ON CONFLICT (namespace, fingerprint) \
                       DO UPDATE SET added_at = EXCLUDED.added_at, removed_at = NULL";
            let values = [
                namespace.as_str().into(),
                fingerprint.to_string().into(),
                key.to_string().into(),
                clock::format(now).into(),
            ];
            connection.execute(sql, &values)?;
            let subject = format!("{} {fingerprint}", namespace.as_str());
            record_event(connection, &Actor::Operator, "key.add", &subject)?;
            let event = RegistryEvent::KeyAdd(key_event(namespace, fingerprint));
            self.log_key_change(connection, &info, event)
        })
    }

    /// Removes a key from a namespace. What it signed stays.
    pub fn remove_key(
        &self,
        namespace: &Namespace,
        fingerprint: Fingerprint,
    ) -> Result<u64, RegistryError> {
        self.database.write(|connection| {
            let info = require_namespace(connection, namespace)?;
            let sql = "UPDATE namespace_keys SET removed_at = $1 WHERE namespace = $2 AND \
                       fingerprint = $3 AND removed_at IS NULL";
            let values = [
                clock::format(clock::now()).into(),
                namespace.as_str().into(),
                fingerprint.to_string().into(),
            ];
            if connection.execute(sql, &values)? == 0 {
                let words =
                    format!("key {fingerprint} in `{namespace}`; see `mere registry key list`");
                return Err(RegistryError::Missing(words));
            }
            let subject = format!("{} {fingerprint}", namespace.as_str());
            record_event(connection, &Actor::Operator, "key.remove", &subject)?;
            let event = RegistryEvent::KeyRemove(key_event(namespace, fingerprint));
            self.log_key_change(connection, &info, event)
        })
    }

    /// Appends the change of a key to the log, and records that it is one.
    fn log_key_change(
        &self,
        connection: &mut Connection,
        namespace: &NamespaceRow,
        event: RegistryEvent,
    ) -> Result<u64, RegistryError> {
        let index = self.append_to_log(connection, namespace, event)?;
        let sql = "INSERT INTO key_changes (namespace, leaf_index) VALUES ($1, $2)";
        connection.execute(sql, &[namespace.name.as_str().into(), index.into()])?;
        Ok(index)
    }

    /// Lists the keys that may sign, of all namespaces.
    pub fn list_keys(&self) -> Result<Vec<SigningKey>, RegistryError> {
        let sql = "SELECT namespace, public_key, added_at FROM namespace_keys \
                   WHERE removed_at IS NULL ORDER BY namespace, added_at, fingerprint";
        self.database.read(|connection| {
            let rows = connection.query(sql, &[])?;
            let keys = rows.iter().map(|row| {
                let key = row.text(1)?.parse().map_err(|_| DatabaseError::Shape)?;
                Ok(SigningKey { namespace: row.text(0)?, key, added_at: row.text(2)? })
            });
            Ok(keys.collect::<Result<_, DatabaseError>>()?)
        })
    }
}

fn key_event(namespace: &Namespace, key: Fingerprint) -> NamespaceKeyEvent {
    let at = ClaimedTime::from_timestamp(clock::now());
    NamespaceKeyEvent { namespace: namespace.clone(), key, at }
}

fn require_namespace(
    connection: &mut Connection,
    namespace: &Namespace,
) -> Result<NamespaceRow, RegistryError> {
    let missing = || {
        RegistryError::Missing(format!(
            "namespace `{namespace}`; `mere registry namespace create` makes one"
        ))
    };
    find_namespace(connection, namespace)?.ok_or_else(missing)
}
