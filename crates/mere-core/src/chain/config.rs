//! What all tools of a chain say together about how it is run.
//!
//! Each may say more than the one that runs it, and say it otherwise. What a tool says of one
//! variable of the environment is one thing: it is replaced, never mixed.

use serde_json::{Map, Value};

use super::environment::{self, EnvSource};
use super::{Chain, ChainTool};
use crate::item::ItemId;

/// How deep values may lie in a config.
const MAX_LEVELS: usize = 32;

/// The key under which a tool speaks of the environment.
const ENV_CONFIG: &str = "env_config";

/// The config of a whole chain, its templates not yet filled.
#[derive(Clone, Debug)]
pub struct ChainConfig<'a> {
    pub(super) chain: &'a Chain,
    pub(super) value: Map<String, Value>,
}

/// Why what the tools say cannot be put together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChainConfigFault {
    /// It is no mapping.
    #[error("`{field}` of `{link}` is not a mapping")]
    NotAMapping {
        /// Which tool.
        link: ItemId,
        /// Which field of its manifest.
        field: &'static str,
    },
    /// Values lie too deep.
    #[error("`{field}` of `{link}` has more than {MAX_LEVELS} levels")]
    TooNested {
        /// Which tool.
        link: ItemId,
        /// Which field of its manifest.
        field: &'static str,
    },
    /// The environment is spoken of in two places.
    #[error("`{link}` has both `env_config` and `config.env_config`, which mean the same")]
    DuplicateEnvConfig {
        /// Which tool.
        link: ItemId,
    },
    /// A variable has no name that one can have.
    #[error("`{field}` of `{link}` has a name that is not letters, digits and `_`")]
    VariableName {
        /// Which tool.
        link: ItemId,
        /// Which field of its manifest.
        field: &'static str,
    },
    /// It is not said where a variable comes from.
    #[error("`{field}.{name}` of `{link}` is not one of `secret`, `env` and `value` with a text")]
    VariableSource {
        /// Which tool.
        link: ItemId,
        /// Which field of its manifest.
        field: &'static str,
        /// Which variable.
        name: String,
    },
}

impl Chain {
    /// What its tools say together: from the primitive to the leaf, which has the last word.
    pub fn config(&self) -> Result<ChainConfig<'_>, ChainConfigFault> {
        let mut merged = Map::new();
        let mut variables = Map::new();
        for member in self.tools().iter().rev() {
            if let Some((_, said)) = env_config_of(member)? {
                variables.extend(said.clone());
            }
            if let Some(config) = config_of(member)? {
                merge(&mut merged, config);
            }
        }
        merged.shift_remove(ENV_CONFIG);
        if !variables.is_empty() {
            merged.insert(ENV_CONFIG.to_owned(), Value::Object(variables));
        }
        Ok(ChainConfig { chain: self, value: merged })
    }
}

impl ChainConfig<'_> {
    /// All of it.
    pub fn value(&self) -> &Map<String, Value> {
        &self.value
    }

    /// Where each variable of the environment comes from.
    pub fn environment(&self) -> Result<Vec<(String, EnvSource)>, ChainConfigFault> {
        let mut sources: Vec<(String, EnvSource)> = Vec::new();
        for member in self.chain.tools().iter().rev() {
            let Some((field, said)) = env_config_of(member)? else { continue };
            for (name, source) in said {
                let source = parse_variable(member, field, (name, source))?;
                match sources.iter_mut().find(|(known, _)| known == name) {
                    Some(known) => known.1 = source,
                    None => sources.push((name.clone(), source)),
                }
            }
        }
        Ok(sources)
    }

    /// Whether a tool says where this variable comes from.
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
    let source = EnvSource::parse(source);
    source.ok_or_else(|| ChainConfigFault::VariableSource { link, field, name: name.clone() })
}

type EnvConfig<'a> = (&'static str, &'a Map<String, Value>);

/// What a tool says of variables, and in which field.
fn env_config_of(member: &ChainTool) -> Result<Option<EnvConfig<'_>>, ChainConfigFault> {
    let inner = config_of(member)?.and_then(|config| config.get(ENV_CONFIG));
    let (field, said) = match (inner, member.manifest.get(ENV_CONFIG)) {
        (Some(_), Some(_)) => {
            return Err(ChainConfigFault::DuplicateEnvConfig { link: member.pin.id.clone() });
        }
        (Some(said), None) => ("config.env_config", said),
        (None, Some(said)) => (ENV_CONFIG, said),
        (None, None) => return Ok(None),
    };
    expect_mapping(member, field, said).map(|said| Some((field, said)))
}

fn config_of(member: &ChainTool) -> Result<Option<&Map<String, Value>>, ChainConfigFault> {
    let config = member.manifest.get("config");
    config.map(|config| expect_mapping(member, "config", config)).transpose()
}

/// A mapping that is not too deep to be gone through.
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

/// Whether values lie more than [`MAX_LEVELS`] below this one. Does not call itself.
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

/// Puts `said` over what is there; mappings key by key, anything else as a whole. What is merged
/// is not deep.
fn merge(there: &mut Map<String, Value>, said: &Map<String, Value>) {
    for (key, value) in said {
        match (there.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge(inner, value),
            (Some(old), value) => *old = value.clone(),
            (None, value) => drop(there.insert(key.clone(), value.clone())),
        }
    }
}
