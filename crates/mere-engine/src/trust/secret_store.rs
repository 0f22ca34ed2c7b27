//! The secrets of the user: `secrets.json` in the config folder, which only they can read.
//!
//! A secret has a value, or a command that prints it, such as one of a password manager. Values leave
//! this file only for a run that was granted them. No agent can list, read or change them.

use mere_core::item::SecretName;
use mere_core::request::Secret;
use mere_core::secrets::{MAX_SECRET_BYTES, MIN_SECRET_BYTES};
use serde_json::{Value, json};

use crate::trust::approvals::records::{self, RecordError};
use mere_host::{Environment, SecretCommandError, read_secret_from_command};

/// The file that holds the records.
const FILE: &str = "secrets.json";

/// Where the value of a secret comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SecretSource {
    /// It is kept in the file.
    Value(Secret),
    /// This command of the user's shell prints it whenever it is needed.
    Command(String),
}

/// The reason why a secret has no value, or cannot be kept.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SecretStoreError {
    #[error("the secret has no value")]
    NotSet,
    /// The file is damaged, or somebody else could have changed it.
    #[error("the secrets cannot be read: {0}")]
    Unreadable(String),
    #[error(transparent)]
    Value(#[from] SecretValueFault),
    #[error(transparent)]
    Command(#[from] SecretCommandError),
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// What is wrong with the value of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum SecretValueFault {
    #[error(
        "it has fewer than {MIN_SECRET_BYTES} characters, so it could not be kept out of output"
    )]
    TooShort,
    #[error("it has more than {MAX_SECRET_BYTES} bytes")]
    TooLong,
    #[error("it has a NUL character")]
    Nul,
}

/// Checks that a value can be given to a tool and found in its output.
pub(crate) fn check_value(value: &str) -> Result<(), SecretValueFault> {
    if value.contains('\0') {
        Err(SecretValueFault::Nul)
    } else if value.len() < MIN_SECRET_BYTES {
        Err(SecretValueFault::TooShort)
    } else if value.len() > MAX_SECRET_BYTES {
        Err(SecretValueFault::TooLong)
    } else {
        Ok(())
    }
}

/// Returns the names of all secrets, with where each comes from.
pub(crate) fn list_secrets(
    environment: &Environment,
) -> Result<Vec<(SecretName, SecretSource)>, SecretStoreError> {
    let unreadable = |why: String| SecretStoreError::Unreadable(why);
    let bytes = environment.read_config(FILE).map_err(|error| unreadable(error.to_string()))?;
    let Some(bytes) = bytes else { return Ok(Vec::new()) };
    let records = records::parse_strict(&bytes)
        .and_then(|records| records.iter().map(parse_record).collect::<Option<Vec<_>>>());
    records.ok_or_else(|| unreadable(format!("{FILE} is damaged")))
}

fn parse_record(record: &Value) -> Option<(SecretName, SecretSource)> {
    let name = record["name"].as_str()?.parse().ok()?;
    let source = match (record["value"].as_str(), record["command"].as_str()) {
        (Some(value), None) => SecretSource::Value(Secret::new(value.to_owned())),
        (None, Some(command)) => SecretSource::Command(command.to_owned()),
        _ => return None,
    };
    Some((name, source))
}

/// Returns the value of a secret. A command is run for it.
pub(crate) fn read_secret(
    environment: &Environment,
    name: &SecretName,
) -> Result<Secret, SecretStoreError> {
    let all = list_secrets(environment)?;
    let source = all.into_iter().find(|(one, _)| one == name).map(|(_, source)| source);
    resolve_source(environment, &source.ok_or(SecretStoreError::NotSet)?)
}

/// Returns the value that a source has now.
pub(crate) fn resolve_source(
    environment: &Environment,
    source: &SecretSource,
) -> Result<Secret, SecretStoreError> {
    let value = match source {
        SecretSource::Value(value) => value.clone(),
        SecretSource::Command(command) => {
            Secret::new(read_secret_from_command(environment, command)?)
        }
    };
    check_value(value.expose())?;
    Ok(value)
}

/// Keeps a secret under a name, and replaces the one that had it.
pub(crate) fn set_secret(
    environment: &Environment,
    name: &SecretName,
    source: &SecretSource,
) -> Result<(), SecretStoreError> {
    records::update(environment.lock_config(), FILE, |records| {
        records.retain(|record| record["name"] != name.as_str());
        records.push(match source {
            SecretSource::Value(value) => json!({ "name": name.as_str(), "value": value.expose() }),
            SecretSource::Command(command) => json!({ "name": name.as_str(), "command": command }),
        });
    })?;
    Ok(())
}

/// Removes a secret. Returns whether there was one.
pub(crate) fn remove_secret(
    environment: &Environment,
    name: &SecretName,
) -> Result<bool, SecretStoreError> {
    let mut was_set = false;
    records::update(environment.lock_config(), FILE, |records| {
        let before = records.len();
        records.retain(|record| record["name"] != name.as_str());
        was_set = records.len() < before;
    })?;
    Ok(was_set)
}
