//! The commands about a person's secrets: no agent can ask for any of them.

use super::Secret;
use crate::item::SecretName;

/// One command about secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretsCommand {
    /// Keeps a secret.
    Set {
        /// Its name.
        name: SecretName,
        /// Its value, or how to get it.
        value: SecretInput,
    },
    /// Lists the names of the secrets.
    List,
    /// Forgets a secret.
    Remove {
        /// Its name.
        name: SecretName,
    },
}

/// How a person gives a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SecretInput {
    /// By its value.
    Value(Secret),
    /// By a command that prints it whenever it is needed.
    Command(String),
}
