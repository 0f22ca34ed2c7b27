//! The values of the environment variables that a chain asks for, secrets among them.

use std::collections::BTreeMap;

use mere_core::chain::{EnvSource, is_variable_for_secret};
use mere_core::item::SecretName;
use mere_core::request::Secret;
use mere_core::secrets::SecretRedactor;

use super::{RunCall, RunError};
use crate::policy::GrantedPermissions;
use crate::trust::secret_store::read_secret;

/// The environment variables that any tool may ask for.
const ALLOWED_VARIABLES: [&str; 4] = ["LANG", "LC_ALL", "TZ", "NO_COLOR"];

/// The variables of a run.
pub(super) struct Variables {
    pub(super) values: BTreeMap<String, String>,
    /// Removes the secrets among the values from what the tool says.
    pub(super) redactor: SecretRedactor,
}

impl Variables {
    /// Looks up the variables that a chain asks for, and the granted secrets. A secret that no
    /// variable asks for is in the variable of its own name.
    pub(super) fn resolve(
        call: &RunCall<'_>,
        granted: &GrantedPermissions,
        requested: Vec<(String, EnvSource)>,
    ) -> Result<Self, RunError> {
        let secrets = read_secrets(call, granted)?;
        let secret = |name: &SecretName| secrets.get(name).map(|value| value.expose().to_owned());
        let own = secrets.keys().filter(|name| is_variable_for_secret(name));
        let mut values = own
            .filter_map(|name| Some((name.to_string(), secret(name)?)))
            .collect::<BTreeMap<_, _>>();
        for (name, source) in requested {
            let value = match source {
                EnvSource::Value(value) => Some(value),
                EnvSource::Secret(name) => secret(&name),
                EnvSource::Env(variable) => read_variable(call, &name, variable)?,
            };
            match value {
                Some(value) => drop(values.insert(name, value)),
                None => drop(values.remove(&name)),
            }
        }
        let known = secrets.iter().map(|(name, value)| (name.clone(), value.expose()));
        let redactor = SecretRedactor::new(&known.collect::<Vec<_>>());
        let redactor = redactor.map_err(|error| std::io::Error::other(error.to_string()));
        let redactor = redactor.map_err(mere_host::SandboxError::Io)?;
        Ok(Self { values, redactor })
    }
}

/// Reads the secrets that were granted.
fn read_secrets(
    call: &RunCall<'_>,
    granted: &GrantedPermissions,
) -> Result<BTreeMap<SecretName, Secret>, RunError> {
    let names = granted.grant().secrets.iter();
    let read = names.map(|name| {
        let value = read_secret(&call.context.environment, name);
        let value = value.map_err(|error| RunError::Secret(name.clone(), Box::new(error)))?;
        Ok((name.clone(), value))
    });
    read.collect()
}

/// Reads a variable of the environment, if tools are given it.
fn read_variable(
    call: &RunCall<'_>,
    name: &str,
    variable: String,
) -> Result<Option<String>, RunError> {
    let given = ALLOWED_VARIABLES.iter().copied();
    let mut given = given.chain(call.run_config.allowed_variables.iter().map(String::as_str));
    if !given.any(|one| one == variable) {
        return Err(RunError::VariableNotAllowed(name.to_owned(), variable));
    }
    Ok(call.context.environment.variable(&variable).filter(|value| !value.contains('\0')))
}
