//! `config.yaml` of a space: parsed strictly, and of a project only what may count.
//!
//! The user's own config counts whole. A project's config comes with the repository, so its keys
//! that widen what an agent sees are absent until a person has said `mere trust project`.

mod agents;
mod signing;
mod yaml;

use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::name::ModName;
use mere_core::pattern::Pattern;
use mere_core::root::Root;
use mere_core::segment::{Segment, SegmentError};
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

use crate::host::{SPACE, Surroundings};
pub(crate) use agents::{Agents, WriteMode};
use signing::SignKeys;
pub(crate) use signing::Signing;
pub(crate) use yaml::{YamlError, read as read_file};

/// The config of a space.
pub(crate) const FILE: &str = "config.yaml";
/// What a space says about itself.
pub(crate) const SPACE_FILE: &str = "space.json";

/// How many patterns one key may have: what is compiled from them takes memory.
const MAX_PATTERNS: usize = 500;

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
    /// Patterns of more files that a person must confirm first.
    pub(crate) sensitive: Vec<String>,
    /// Patterns of sensitive files that are shown; `!pattern` in `sensitive` is one too.
    pub(crate) visible: Vec<String>,
    /// Patterns of folders that are projects of their own; a project's config only.
    pub(crate) projects: Vec<String>,
    /// What agents may do with items.
    pub(crate) agents: Agents,
    /// Folders of the project whose Agent Skills are taken where they lie.
    pub(crate) folders: Vec<RelPath>,
    /// What must be signed and what may sign.
    pub(crate) signing: Signing,
}

impl Config {
    /// The keys that widen and say something.
    pub(crate) fn widening_keys(&self) -> Vec<&'static str> {
        let keys = [
            ("`mods`", self.mods.is_empty()),
            ("`visible` (or `!` in `sensitive`)", self.visible.is_empty()),
            ("`projects`", self.projects.is_empty()),
            ("`agents`", self.agents.is_empty()),
        ];
        keys.into_iter().filter(|(_, empty)| !empty).map(|(key, _)| key).collect()
    }

    /// Whether there is nothing to trust in it.
    pub(crate) fn widens_nothing(&self) -> bool {
        self.widening_keys().is_empty()
    }
}

/// The keys of the user's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserFile {
    mods: Option<Vec<RawMod>>,
    #[serde(rename = "projectMarkers")]
    project_markers: Option<Texts>,
    sensitive: Option<Texts>,
    visible: Option<Texts>,
    agents: Option<Agents>,
    folders: Option<Folders>,
    require_signed: Option<Texts>,
    sign: Option<SignKeys>,
}

/// `folders:`, by type.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Folders {
    directives: Option<Texts>,
}

/// The keys of a project's file, each value read as `M`, `V`, `P` and `A` say. Those that widen and that
/// this version does not know yet may stand there, and count for nothing.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile<M, V, P, A> {
    mods: Option<M>,
    visible: Option<V>,
    projects: Option<P>,
    sensitive: Option<Texts>,
    #[serde(rename = "stores")]
    _stores: Option<IgnoredAny>,
    agents: Option<A>,
    folders: Option<Folders>,
    require_signed: Option<Texts>,
    trusted_keys: Option<Texts>,
    #[serde(rename = "embeddings")]
    _embeddings: Option<IgnoredAny>,
    #[serde(rename = "registry")]
    _registry: Option<IgnoredAny>,
    #[serde(rename = "sandbox")]
    _sandbox: Option<IgnoredAny>,
    #[serde(rename = "grants")]
    _grants: Option<IgnoredAny>,
}

/// A project's file whose widening values are not looked at.
type ProjectKeys = ProjectFile<IgnoredAny, IgnoredAny, IgnoredAny, IgnoredAny>;
/// A project's file as it counts once a person trusts it.
type WholeProject = ProjectFile<Vec<RawMod>, Texts, Texts, Agents>;

type Texts = Vec<Spanned<String>>;

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
    let config = yaml::parse::<Option<UserFile>>(&text).and_then(|file| {
        let Some(file) = file else { return Ok(Config::default()) };
        let markers = file.project_markers.unwrap_or_default();
        let (sensitive, mut visible) = parse_sensitive(file.sensitive.unwrap_or_default())?;
        visible.extend(parse_patterns(file.visible.unwrap_or_default())?);
        Ok(Config {
            mods: parse_mods(file.mods)?,
            project_markers: markers.iter().map(parse_marker).collect::<Result<_, _>>()?,
            sensitive,
            visible,
            projects: Vec::new(),
            agents: file.agents.unwrap_or_default(),
            folders: parse_folders(file.folders)?,
            signing: signing::of_user(file.require_signed, file.sign)?,
        })
    });
    config.map_err(|fault| invalid(&address, fault))
}

/// What a project's config says.
pub(crate) struct ProjectConfig {
    /// Patterns of more sensitive files. They narrow, so they count at once.
    pub(crate) sensitive: Vec<String>,
    /// Folders of the project that are taken in place. They widen nothing.
    pub(crate) folders: Vec<RelPath>,
    /// What must be signed, and whose signatures alone count. They narrow.
    pub(crate) signing: Signing,
    /// What counts when a person has trusted it.
    pub(crate) widening: Widening,
}

/// The config of a project's space. Keys are checked, and what narrows; the values of what widens
/// are read only far enough to be shown to a person.
pub(crate) fn of_project(space: &Dir) -> Result<ProjectConfig, ConfigError> {
    let address = project_address();
    let text = read(space, &address)?.unwrap_or_default();
    let narrow = yaml::parse::<Option<ProjectKeys>>(&text).and_then(|keys| {
        let Some(keys) = keys else { return Ok(Default::default()) };
        let sensitive = parse_sensitive(keys.sensitive.unwrap_or_default())?;
        let signing = signing::of_project(keys.require_signed, keys.trusted_keys)?;
        Ok((sensitive, parse_folders(keys.folders)?, signing))
    });
    let ((sensitive, shown), folders, signing) =
        narrow.map_err(|fault| invalid(&address, fault))?;
    let widening = yaml::parse::<Option<WholeProject>>(&text).and_then(|file| {
        let Some(file) = file else { return Ok(Config::default()) };
        let mut visible = shown;
        visible.extend(parse_patterns(file.visible.unwrap_or_default())?);
        Ok(Config {
            mods: parse_mods(file.mods)?,
            visible,
            projects: parse_patterns(file.projects.unwrap_or_default())?,
            agents: file.agents.unwrap_or_default(),
            ..Config::default()
        })
    });
    let widening = Widening(widening.map_err(|fault| invalid(&address, fault)));
    Ok(ProjectConfig { sensitive, folders, signing, widening })
}

/// The widening part of a project's config, which counts when a person has trusted it. A value
/// that does not parse cannot be trusted, and until then does no harm.
pub(crate) struct Widening(Result<Config, ConfigError>);

impl Widening {
    /// Whether there is nothing in it that could widen anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.as_ref().is_ok_and(Config::widens_nothing)
    }

    /// What it says.
    pub(crate) fn said(&self) -> Result<&Config, &ConfigError> {
        self.0.as_ref()
    }
}

/// Refuses a name or id that stands for two folders, across both files and the project around.
pub(crate) fn check_clashes(
    user: &Config,
    project: &Config,
    outer: Option<&ModName>,
) -> Result<(), ConfigError> {
    let mut seen = outer.into_iter().collect::<Vec<&ModName>>();
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

fn parse_mods(mods: Option<Vec<RawMod>>) -> Result<Vec<ModConfig>, YamlError> {
    mods.unwrap_or_default().into_iter().map(parse_mod).collect()
}

/// The patterns that add to the sensitive files, and those that take from them.
fn parse_sensitive(said: Texts) -> Result<(Vec<String>, Vec<String>), YamlError> {
    let (taken, added) = said.into_iter().partition::<Texts, _>(|one| one.value.starts_with('!'));
    let taken = taken.into_iter().map(|mut one| {
        one.value.remove(0);
        one
    });
    Ok((parse_patterns(added)?, parse_patterns(taken.collect())?))
}

fn parse_patterns(said: Texts) -> Result<Vec<String>, YamlError> {
    if let Some(beyond) = said.get(MAX_PATTERNS) {
        let reason = format!("there are more than {MAX_PATTERNS} patterns");
        return Err(YamlError::at(beyond.referenced, reason));
    }
    let patterns = said.into_iter().map(|one| match one.value.parse::<Pattern>() {
        Ok(_) => Ok(one.value),
        Err(error) => Err(YamlError::at(one.referenced, error.to_string())),
    });
    patterns.collect()
}

/// Folders of the project, from its root.
fn parse_folders(folders: Option<Folders>) -> Result<Vec<RelPath>, YamlError> {
    let said = folders.and_then(|folders| folders.directives).unwrap_or_default();
    let folders = said.into_iter().map(|one| {
        let path = one.value.strip_suffix('/').unwrap_or(&one.value).parse::<RelPath>();
        match path {
            Ok(path) if may_be_taken(&path) => Ok(path),
            _ => {
                let reason = "a folder is a path inside the project, such as `.claude/skills`";
                Err(YamlError::at(one.referenced, reason.to_owned()))
            }
        }
    });
    folders.collect()
}

/// Whether a folder may be taken in place: not a space, and not what git runs.
fn may_be_taken(path: &RelPath) -> bool {
    let own = |name: &str| [SPACE, ".git", "~"].iter().any(|own| name.eq_ignore_ascii_case(own));
    !path.is_root() && !path.names().any(own)
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

pub(crate) fn project_address() -> Address {
    address(Root::Project, &[SPACE, FILE])
}

pub(crate) fn user_address() -> Address {
    address(Root::User, &[FILE])
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
