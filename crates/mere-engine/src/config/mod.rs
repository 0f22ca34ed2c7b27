//! `config.yaml` of a space: parsed strictly, and of a project only what may count.
//!
//! The user's own config counts whole. A project's config comes with the repository, so its keys
//! that widen what an agent sees are absent until a person has said `mere trust project`.

mod yaml;

use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::name::ModName;
use mere_core::root::Root;
use mere_core::segment::{Segment, SegmentError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

use crate::host::{SPACE, Surroundings};
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
    #[error("{address} cannot be read: {cause}")]
    Unreadable { address: Address, cause: Arc<io::Error> },
    #[error("{address} uses the name or id `{name}`, which another extra folder has already")]
    Clash { address: Address, name: ModName },
}

/// An extra folder as configured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ModConfig {
    pub(crate) id: ModName,
    pub(crate) name: ModName,
    pub(crate) path: String,
}

/// What one config file says.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) mods: Vec<ModConfig>,
    /// Names of files or folders that mark a project root; the user's own config only.
    pub(crate) project_markers: Vec<String>,
}

/// The keys of the user's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserFile {
    mods: Option<Vec<RawMod>>,
    #[serde(rename = "projectMarkers")]
    project_markers: Option<Vec<Spanned<String>>>,
}

/// The keys of a project's file. Those that widen and that this version does not know yet may
/// stand there, and count for nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile<M> {
    mods: Option<M>,
    #[serde(rename = "stores")]
    _stores: Option<IgnoredAny>,
    #[serde(rename = "visible")]
    _visible: Option<IgnoredAny>,
    #[serde(rename = "sensitive")]
    _sensitive: Option<IgnoredAny>,
    #[serde(rename = "agents")]
    _agents: Option<IgnoredAny>,
    #[serde(rename = "embeddings")]
    _embeddings: Option<IgnoredAny>,
    #[serde(rename = "registry")]
    _registry: Option<IgnoredAny>,
    #[serde(rename = "sandbox")]
    _sandbox: Option<IgnoredAny>,
    #[serde(rename = "grants")]
    _grants: Option<IgnoredAny>,
    #[serde(rename = "folders")]
    _folders: Option<IgnoredAny>,
    #[serde(rename = "projects")]
    _projects: Option<IgnoredAny>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawMod {
    id: Spanned<String>,
    name: Spanned<String>,
    path: String,
}

/// The user's config, from the user space.
pub(crate) fn of_user(space: &Dir) -> Result<Config, ConfigError> {
    let address = address(Root::User, &[FILE]);
    let Some(text) = read(space, &address)? else {
        return Ok(Config::default());
    };
    let file: Option<UserFile> = yaml::parse(&text).map_err(|fault| invalid(&address, fault))?;
    let Some(file) = file else { return Ok(Config::default()) };
    let markers = file.project_markers.unwrap_or_default();
    let markers = markers.iter().map(parse_marker);
    let markers = markers.collect::<Result<_, _>>().map_err(|fault| invalid(&address, fault))?;
    let config = config(file.mods).map_err(|fault| invalid(&address, fault))?;
    Ok(Config { project_markers: markers, ..config })
}

/// What a project's config would say if a person trusted it; the keys are checked, the values of
/// the widening ones only here.
pub(crate) fn of_project(space: &Dir) -> Result<Widening, ConfigError> {
    let address = project_address();
    let Some(text) = read(space, &address)? else {
        return Ok(Widening(Ok(Config::default())));
    };
    let keys: Option<ProjectFile<IgnoredAny>> =
        yaml::parse(&text).map_err(|fault| invalid(&address, fault))?;
    if keys.is_none_or(|keys| keys.mods.is_none()) {
        return Ok(Widening(Ok(Config::default())));
    }
    let whole = yaml::parse::<Option<ProjectFile<Vec<RawMod>>>>(&text)
        .and_then(|file| config(file.and_then(|file| file.mods)))
        .map_err(|fault| invalid(&address, fault));
    Ok(Widening(whole))
}

/// The widening part of a project's config, which counts when a person has trusted it. A value
/// that does not parse cannot be trusted, and until then does no harm.
pub(crate) struct Widening(Result<Config, ConfigError>);

impl Widening {
    /// What it says.
    pub(crate) fn said(&self) -> Result<&Config, &ConfigError> {
        self.0.as_ref()
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

/// A user space or a user's config that cannot be reached.
pub(crate) fn unreadable(cause: io::Error) -> ConfigError {
    ConfigError::Unreadable { address: address(Root::User, &[FILE]), cause: Arc::new(cause) }
}

fn config(mods: Option<Vec<RawMod>>) -> Result<Config, YamlError> {
    let mods = mods.unwrap_or_default().into_iter().map(parse_mod).collect::<Result<_, _>>()?;
    Ok(Config { mods, ..Config::default() })
}

/// A marker is one name: it is looked for in a folder, not along a path.
fn parse_marker(said: &Spanned<String>) -> Result<String, YamlError> {
    let fault = |error: SegmentError| YamlError::at(said.referenced, error.to_string());
    said.value.parse::<Segment>().map(|name| name.to_string()).map_err(fault)
}

fn parse_mod(raw: RawMod) -> Result<ModConfig, YamlError> {
    let name = |said: &Spanned<String>| {
        let name = said.value.parse::<ModName>();
        name.map_err(|error| YamlError::at(said.referenced, error.to_string()))
    };
    Ok(ModConfig { id: name(&raw.id)?, name: name(&raw.name)?, path: raw.path })
}

fn read(space: &Dir, address: &Address) -> Result<Option<String>, ConfigError> {
    yaml::read(space, FILE).map_err(|cause| ConfigError::Unreadable {
        address: address.clone(),
        cause: Arc::new(cause),
    })
}

fn invalid(address: &Address, fault: YamlError) -> ConfigError {
    ConfigError::Invalid { address: address.clone(), fault }
}

fn project_address() -> Address {
    address(Root::Project, &[SPACE, FILE])
}

fn address(root: Root, names: &[&str]) -> Address {
    let path = names.iter().filter_map(|name| name.parse::<Segment>().ok()).collect::<RelPath>();
    Address::file(root, path)
}

/// The user's own markers of a project root. A config that cannot be used has none; the calls that
/// follow say what is wrong with it.
pub(crate) fn project_markers(surroundings: &Surroundings) -> Vec<String> {
    let space = surroundings.user_space().ok().flatten();
    let config = space.and_then(|space| of_user(space.dir()).ok());
    config.unwrap_or_default().project_markers
}
