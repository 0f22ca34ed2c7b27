//! The configuration of a whole chain, merged from those of its tools.
//!
//! A tool may add to the configuration of the tool that runs it, and override it. The source of an
//! environment variable is one unit: it is replaced as a whole, never merged. Where a function is
//! named, the command becomes the one that calls it ([`call`]).

use serde_json::{Map, Value};

use super::environment::{self, EnvSource};
use super::{Chain, ChainTool, call};
use crate::item::ItemId;

/// How deeply values may be nested in a configuration.
const MAX_LEVELS: usize = 32;

/// The manifest key for environment variables.
const ENV_CONFIG: &str = "env_config";

/// The merged configuration of a chain, with its templates not yet filled.
#[derive(Clone, Debug)]
pub struct ChainConfig<'a> {
    pub(super) chain: &'a Chain,
    pub(super) value: Map<String, Value>,
}

/// The reason why the configurations of a chain's tools cannot be merged.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainConfigFault {
    /// The field is not a mapping.
    #[error("`{field}` of `{link}` is not a mapping")]
    NotAMapping {
        /// The tool.
        link: ItemId,
        /// The field of its manifest.
        field: &'static str,
    },
    /// Values are nested too deeply.
    #[error("`{field}` of `{link}` has more than {MAX_LEVELS} levels")]
    TooNested {
        /// The tool.
        link: ItemId,
        /// The field of its manifest.
        field: &'static str,
    },
    /// Environment variables are given in two places.
    #[error("`{link}` has both `env_config` and `config.env_config`; use only one of them")]
    DuplicateEnvConfig {
        /// The tool.
        link: ItemId,
    },
    /// A variable has an invalid name.
    #[error(
        "`{field}` of `{link}` has a variable name with characters other than letters, digits and \
         `_`"
    )]
    VariableName {
        /// The tool.
        link: ItemId,
        /// The field of its manifest.
        field: &'static str,
    },
    /// A variable that chooses code, which only the built-in runtimes set.
    #[error(
        "`{field}.{name}` of `{link}` would choose code for an interpreter or a program to load; \
         only the built-in runtimes set such variables"
    )]
    ReservedVariable {
        /// The tool.
        link: ItemId,
        /// The field of its manifest.
        field: &'static str,
        /// The variable.
        name: String,
    },
    /// A variable does not have exactly one valid source.
    #[error(
        "`{field}.{name}` of `{link}` must have exactly one of `secret`, `env` and `value`, set to \
         a string"
    )]
    VariableSource {
        /// The tool.
        link: ItemId,
        /// The field of its manifest.
        field: &'static str,
        /// The variable.
        name: String,
    },
    /// A `call_command` is malformed, or has no `command` beside it.
    #[error(
        "`config.call_command` of `{link}` is not a list beside the `command` that it replaces"
    )]
    CallCommand {
        /// The tool.
        link: ItemId,
    },
    /// The name of the function to call is not a plain name.
    #[error(
        "`config.call` of `{link}` is not the plain name of a function: letters, digits and `_`, \
         such as `main`"
    )]
    FunctionName {
        /// The tool.
        link: ItemId,
    },
    /// Nothing in the chain calls functions.
    #[error(
        "`config.call` of `{link}` names a function, but the runtime calls none; `python_runtime` \
         and `node_runtime` do"
    )]
    NothingCalls {
        /// The tool.
        link: ItemId,
    },
    /// The function would not be given its parameters.
    #[error(
        "`config.call` of `{link}` needs `config.stdin: json`, from which it gets its parameters"
    )]
    CallWithoutInput {
        /// The tool.
        link: ItemId,
    },
}

impl Chain {
    /// Merges the configurations from the primitive to the leaf, so that the leaf wins.
    pub fn config(&self) -> Result<ChainConfig<'_>, ChainConfigFault> {
        let mut merged = Map::new();
        let mut variables = Map::new();
        for member in self.tools().iter().rev() {
            if let Some((_, env_config)) = env_config_of(member)? {
                variables.extend(env_config.clone());
            }
            if let Some(config) = config_of(member)? {
                merge(&mut merged, config);
            }
        }
        call::select_command(self.tools(), &mut merged)?;
        merged.shift_remove(ENV_CONFIG);
        if !variables.is_empty() {
            merged.insert(ENV_CONFIG.to_owned(), Value::Object(variables));
        }
        Ok(ChainConfig { chain: self, value: merged })
    }
}

impl ChainConfig<'_> {
    /// Returns the whole configuration as JSON.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// Returns the source of each environment variable.
    pub fn environment(&self) -> Result<Vec<(String, EnvSource)>, ChainConfigFault> {
        let mut sources: Vec<(String, EnvSource)> = Vec::new();
        for member in self.chain.tools().iter().rev() {
            let Some((field, env_config)) = env_config_of(member)? else { continue };
            for (name, source) in env_config {
                let source = parse_variable(member, field, (name, source))?;
                match sources.iter_mut().find(|(known, _)| known == name) {
                    Some(known) => known.1 = source,
                    None => sources.push((name.clone(), source)),
                }
            }
        }
        Ok(sources)
    }

    /// Reports whether the value of this variable is a secret.
    pub(super) fn is_secret_variable(&self, name: &str) -> bool {
        let source = self.value.get(ENV_CONFIG).and_then(|variables| variables.get(name));
        source.is_some_and(|source| source.get("secret").is_some())
    }

    /// Reports whether some tool gives a source for this variable.
    pub(super) fn has_variable(&self, name: &str) -> bool {
        self.value.get(ENV_CONFIG).is_some_and(|variables| variables.get(name).is_some())
    }
}

fn parse_variable(
    member: &ChainTool,
    field: &'static str,
    (name, source): (&String, &Value),
) -> Result<EnvSource, ChainConfigFault> {
    let link = member.pin.id.clone();
    if !environment::is_variable_name(name) {
        return Err(ChainConfigFault::VariableName { link, field });
    }
    let is_builtin = member.pin.scope.is_none();
    if !is_builtin && environment::is_reserved(name) {
        return Err(ChainConfigFault::ReservedVariable { link, field, name: name.clone() });
    }
    let source = EnvSource::parse(source);
    source.ok_or_else(|| ChainConfigFault::VariableSource { link, field, name: name.clone() })
}

type EnvConfig<'a> = (&'static str, &'a Map<String, Value>);

/// Returns the environment variables that a tool's manifest gives, and the field they are in.
fn env_config_of(member: &ChainTool) -> Result<Option<EnvConfig<'_>>, ChainConfigFault> {
    let inner = config_of(member)?.and_then(|config| config.get(ENV_CONFIG));
    let (field, env_config) = match (inner, member.manifest.get(ENV_CONFIG)) {
        (Some(_), Some(_)) => {
            return Err(ChainConfigFault::DuplicateEnvConfig { link: member.pin.id.clone() });
        }
        (Some(env_config), None) => ("config.env_config", env_config),
        (None, Some(env_config)) => (ENV_CONFIG, env_config),
        (None, None) => return Ok(None),
    };
    expect_mapping(member, field, env_config).map(|env_config| Some((field, env_config)))
}

pub(super) fn config_of(
    member: &ChainTool,
) -> Result<Option<&Map<String, Value>>, ChainConfigFault> {
    let config = member.manifest.get("config");
    config.map(|config| expect_mapping(member, "config", config)).transpose()
}

/// Returns a value as a mapping, if it is one and is not nested too deeply to be walked.
fn expect_mapping<'a>(
    member: &ChainTool,
    field: &'static str,
    value: &'a Value,
) -> Result<&'a Map<String, Value>, ChainConfigFault> {
    let link = member.pin.id.clone();
    if is_too_deep(value) {
        return Err(ChainConfigFault::TooNested { link, field });
    }
    value.as_object().ok_or(ChainConfigFault::NotAMapping { link, field })
}

/// Reports whether values are nested more than [`MAX_LEVELS`] below this one. It is not recursive,
/// so the value may be of any depth.
fn is_too_deep(value: &Value) -> bool {
    let mut waiting = vec![(value, 0)];
    while let Some((value, level)) = waiting.pop() {
        if level > MAX_LEVELS {
            return true;
        }
        match value {
            Value::Array(items) => waiting.extend(items.iter().map(|item| (item, level + 1))),
            Value::Object(map) => waiting.extend(map.values().map(|item| (item, level + 1))),
            _ => {}
        }
    }
    false
}

/// Merges `overlay` over `base`: mappings key by key, anything else as a whole. Both have passed
/// [`is_too_deep`], so the recursion is bounded.
fn merge(base: &mut Map<String, Value>, overlay: &Map<String, Value>) {
    for (key, value) in overlay {
        match (base.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge(inner, value),
            (Some(old), value) => *old = value.clone(),
            (None, value) => drop(base.insert(key.clone(), value.clone())),
        }
    }
}
