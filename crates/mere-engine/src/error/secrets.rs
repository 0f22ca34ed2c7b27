//! The sentences for secrets that could not be kept, read or given to a tool.

use mere_core::item::SecretName;
use mere_core::reply::{Draft, Prose, codes};

use super::keys::end_sentence;
use crate::trust::secret_store::SecretStoreError;

/// Answers when a secret could not be kept or read. `name` is the one that a tool needed.
pub(crate) fn secret_error_reply(name: Option<&SecretName>, error: &SecretStoreError) -> Draft {
    let subject = name.map_or("The secret".to_owned(), |name| format!("The secret `{name}`"));
    match error {
        SecretStoreError::NotSet => {
            let hint = name.map_or(String::new(), |name| {
                format!("Ask a person to run `mere secret set {name}`.")
            });
            let message = format!("{subject} has no value. Nothing was run.");
            Draft::denied(codes::RUN_UNGRANTED, Prose::words(message)).hint(Prose::words(hint))
        }
        SecretStoreError::Value(fault) => {
            let message = format!("{subject} cannot be used: {fault}.");
            Draft::invalid(codes::SECRET_VALUE, Prose::words(message)).hint(
                "The value is what stands on standard input, without a line break at its end.",
            )
        }
        // Paths and the words of a person's own command are for the log.
        SecretStoreError::Unreadable(cause) => {
            tracing::error!(%cause, "the secrets cannot be read");
            let message = format!("{subject} cannot be read.");
            Draft::fault(codes::SECRET_UNREADABLE, Prose::words(message)).hint(
                "secrets.json in the config folder must be whole, belong to the user, and be \
                 readable by them alone.",
            )
        }
        SecretStoreError::Command(cause) => {
            let message = format!("{subject} has no value: {}", end_sentence(&cause.to_string()));
            Draft::fault(codes::SECRET_UNREADABLE, Prose::words(message))
                .hint("Try the command in a terminal, or set the secret again.")
        }
        SecretStoreError::Record(cause) => {
            tracing::error!(%cause, "the secrets cannot be written");
            let message = format!("{subject} could not be kept.");
            Draft::fault(codes::SECRET_UNREADABLE, Prose::words(message))
                .hint("`mere doctor` shows what is wrong with the config folder.")
        }
    }
}
