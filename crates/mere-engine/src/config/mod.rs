//! `config.yaml` of a space: parsed strictly, and of a project only what may count.
//!
//! The user's own config counts whole. A project's config comes with the repository, so its keys
//! that widen what an agent sees are absent until a person has said `mere trust project`; they are
//! not even looked into before.

mod yaml;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::name::ModName;
use mere_core::root::Root;
use mere_core::segment::Segment;
use serde::Deserialize;
use serde_json::{Map, Value};

pub(crate) use yaml::{YamlError, read as read_file};

/// The config of a space.
pub(crate) const FILE: &str = "config.yaml";
/// What a space says about itself.
pub(crate) const SPACE_FILE: &str = "space.json";

/// A config file that cannot be used.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum ConfigError {
    #[error("{address} is not valid at line {}, column {}: {}", .fault.line, .fault.column, .fault.reason)]
    Invalid { address: Address, fault: YamlError },
    #[error("{address} cannot be read")]
    Unreadable { address: Address },
    #[error("{address} uses the name or id `{name}`, which another extra folder has already")]
    Clash { address: Address, name: ModName },
}

/// An extra folder as configured.
#[derive(Clone, Debug)]
pub(crate) struct ModConfig {
    pub(crate) id: ModName,
    pub(crate) name: ModName,
    pub(crate) path: String,
}

/// What one config file says.
#[derive(Debug, Default)]
pub(crate) struct Config {
    pub(crate) mods: Vec<ModConfig>,
}

/// A project's config before anyone has decided whether its widening keys count.
#[derive(Debug, Default)]
pub(crate) struct ProjectConfig {
    text: String,
    widening: Map<String, Value>,
}

/// The file's keys, their values unread.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    mods: Option<Value>,
}

/// The file's keys and values.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Whole {
    mods: Option<Vec<RawMod>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMod {
    id: String,
    name: String,
    path: String,
}

/// The user's config, from the user space.
pub(crate) fn of_user(space: &Dir) -> Result<Config, ConfigError> {
    let address = address(Root::User, &[FILE]);
    match read(space, &address)? {
        Some(text) => whole(&text, &address),
        None => Ok(Config::default()),
    }
}

/// The project's config, from the project's space.
pub(crate) fn of_project(space: &Dir) -> Result<ProjectConfig, ConfigError> {
    let address = project_address();
    let Some(text) = read(space, &address)? else {
        return Ok(ProjectConfig::default());
    };
    let keys: Option<Keys> = yaml::parse(&text).map_err(|fault| invalid(&address, fault))?;
    let mods = keys.and_then(|keys| keys.mods).filter(|mods| *mods != Value::Array(Vec::new()));
    let mods = mods.map(|mods| ("mods".to_owned(), mods));
    Ok(ProjectConfig { text, widening: mods.into_iter().collect() })
}

impl ProjectConfig {
    /// The keys that widen, with their values. Empty if there are none.
    pub(crate) fn widening(&self) -> &Map<String, Value> {
        &self.widening
    }

    /// What counts when a person has trusted the widening keys.
    pub(crate) fn trusted(&self) -> Result<Config, ConfigError> {
        whole(&self.text, &project_address())
    }
}

/// Refuses a name or id that stands for two folders, across both files.
pub(crate) fn check_clashes(user: &Config, project: &Config) -> Result<(), ConfigError> {
    let mut seen = Vec::<&ModName>::new();
    let user = user.mods.iter().map(|one| (one, address(Root::User, &[FILE])));
    let project = project.mods.iter().map(|one| (one, project_address()));
    for (one, address) in user.chain(project) {
        let own = if one.id == one.name { vec![&one.id] } else { vec![&one.id, &one.name] };
        if let Some(name) = own.iter().find(|name| seen.contains(name)) {
            return Err(ConfigError::Clash { address, name: (*name).clone() });
        }
        seen.extend(own);
    }
    Ok(())
}

fn whole(text: &str, address: &Address) -> Result<Config, ConfigError> {
    let whole: Option<Whole> = yaml::parse(text).map_err(|fault| invalid(address, fault))?;
    let raw = whole.and_then(|whole| whole.mods).unwrap_or_default();
    let mods = raw.into_iter().map(|raw| parse_mod(raw, text)).collect::<Result<_, _>>();
    mods.map(|mods| Config { mods }).map_err(|fault| invalid(address, fault))
}

fn parse_mod(raw: RawMod, text: &str) -> Result<ModConfig, YamlError> {
    let name = |said: &str| {
        said.parse::<ModName>().map_err(|error| YamlError::at(text, said, error.to_string()))
    };
    Ok(ModConfig { id: name(&raw.id)?, name: name(&raw.name)?, path: raw.path })
}

fn read(space: &Dir, address: &Address) -> Result<Option<String>, ConfigError> {
    yaml::read(space, FILE).map_err(|_| ConfigError::Unreadable { address: address.clone() })
}

fn invalid(address: &Address, fault: YamlError) -> ConfigError {
    ConfigError::Invalid { address: address.clone(), fault }
}

fn project_address() -> Address {
    address(Root::Project, &[".ai", FILE])
}

fn address(root: Root, names: &[&str]) -> Address {
    let path = names.iter().filter_map(|name| name.parse::<Segment>().ok()).collect::<RelPath>();
    Address::file(root, path)
}
