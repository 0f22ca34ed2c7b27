//! `mere secret set|list|remove`: what a person does with their secrets.
//!
//! No reply ever holds a value.

use mere_core::item::SecretName;
use mere_core::reply::{Data, Draft, Fields, Prose, codes};
use mere_core::request::{SecretInput, SecretsCommand};

use crate::error::secret_error_reply;
use crate::trust::secret_store::{
    SecretSource, SecretStoreError, list_secrets, remove_secret, resolve_source, set_secret,
};
use mere_host::Environment;

/// Runs a `mere secret` command.
pub(crate) fn run_command(environment: &Environment, command: &SecretsCommand) -> Draft {
    let done = match command {
        SecretsCommand::Set { name, value } => set(environment, name, value),
        SecretsCommand::List => list(environment),
        SecretsCommand::Remove { name } => remove(environment, name),
    };
    done.unwrap_or_else(|error| secret_error_reply(None, &error))
}

fn set(
    environment: &Environment,
    name: &SecretName,
    value: &SecretInput,
) -> Result<Draft, SecretStoreError> {
    let source = match value {
        SecretInput::Value(value) => SecretSource::Value(value.clone()),
        SecretInput::Command(command) => SecretSource::Command(command.clone()),
    };
    // A command is tried once, so that a wrong one is noticed now.
    resolve_source(environment, &source)?;
    set_secret(environment, name, &source)?;
    let message =
        Prose::words(format!("The secret `{name}` is kept on this machine, for you only."));
    let hint = format!("`mere grant TOOL --secret {name}` gives it to a tool that asks for it.");
    let data = Fields::default().with("name", Data::Words(name.to_string().into()));
    Ok(Draft::success(codes::SECRET_SET, message).hint(Prose::words(hint)).data(data))
}

fn list(environment: &Environment) -> Result<Draft, SecretStoreError> {
    let mut secrets = list_secrets(environment)?;
    secrets.sort_by(|one, other| one.0.cmp(&other.0));
    let rows = secrets.iter().map(|(name, source)| {
        let from = match source {
            SecretSource::Value(_) => "value",
            SecretSource::Command(_) => "command",
        };
        let fields = Fields::default().with("name", Data::Words(name.to_string().into()));
        Data::from(fields.with("from", from))
    });
    let data = Fields::default().with("secrets", rows.collect::<Data>());
    let message = match secrets.len() {
        1 => "1 secret.".to_owned(),
        count => format!("{count} secrets."),
    };
    Ok(Draft::success(codes::SECRET_LIST, Prose::words(message)).data(data))
}

fn remove(environment: &Environment, name: &SecretName) -> Result<Draft, SecretStoreError> {
    Ok(if remove_secret(environment, name)? {
        let message = format!("The secret `{name}` is forgotten.");
        Draft::success(codes::SECRET_REMOVED, Prose::words(message))
    } else {
        let message = format!("There is no secret `{name}`.");
        Draft::invalid(codes::SECRET_UNKNOWN, Prose::words(message))
            .hint("`mere secret list` shows the names of your secrets.")
    })
}
