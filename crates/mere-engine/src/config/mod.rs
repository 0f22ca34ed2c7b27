//! `config.yaml` of a space. It is parsed strictly, and of a project's file only what may count is
//! used.
//!
//! The user's own config counts as a whole. A project's config comes with the repository, so the
//! keys in it that widen what an agent sees have no effect until a person has run
//! `mere trust project`.

mod agents;
mod audit;
mod categories;
mod config_error;
mod embeddings;
mod folders;
mod mods;
mod named_folders;
mod ordered_map;
mod patterns;
mod policies;
mod project_search;
mod registry;
mod running;
mod search;
mod settings;
mod signing;
mod store_location;
mod stores;
mod yaml;

use std::io;
use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath, Root, Segment};
use mere_core::item::ItemType;
use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_saphyr::Spanned;

pub(crate) use agents::{AgentsConfig, WriteMode};
use audit::RawAudit;
pub(crate) use config_error::ConfigError;
use embeddings::RawEmbeddings;
pub(crate) use embeddings::{EmbeddingsConfig, EndpointConfig, ModelChoice};
pub(crate) use folders::{OutsideFolder, unused_folders_note};
use folders::{RawFolders, parse_folders};
use mere_host::{Environment, Folder, SPACE_FOLDER};
use mods::RawMod;
pub(crate) use mods::{ModConfig, check_clashes};
pub(crate) use named_folders::read_named_folders;
use patterns::{parse_marker, parse_sensitive};
use project_search::parse_wide_root;
pub(crate) use project_search::{ProjectSearchConfig, project_search};
use registry::RawRegistry;
pub(crate) use registry::RegistryConfig;
use running::{RawRuns, RawRuntimes, RawSandbox};
pub(crate) use running::{RunConfig, RuntimeConfig};
use search::RawSearch;
pub(crate) use search::SEARCHED_TYPES;
use settings::RawSettings;
use signing::RawSign;
pub(crate) use signing::SigningConfig;
pub(crate) use store_location::{PathResolver, StoreLocation, identify_address};
pub(crate) use stores::{OutsideStore, StorageConfig, StoreConfig, StoreFloor};
use stores::{RawItems, RawStores, StoreValues};
pub(crate) use yaml::{MAX_YAML_BYTES, YamlError, read as read_file};

/// The name of the config file of a space.
pub(crate) const FILE: &str = "config.yaml";
/// The name of the file in which a space describes itself.
pub(crate) const SPACE_FILE: &str = "space.json";

/// The contents of one config file.
#[derive(Clone, Debug, Default)]
pub(crate) struct Config {
    pub(crate) mods: Vec<ModConfig>,
    /// Names of files or folders that mark a project root. Only the user's own config has them.
    pub(crate) project_markers: Vec<String>,
    /// Wide folders that are meant as projects. Only the user's own config has them.
    pub(crate) wide_roots: Vec<String>,
    /// Patterns of further files that a person must confirm before an agent sees them.
    pub(crate) sensitive: Vec<String>,
    /// Patterns of sensitive files that are shown anyway. `!pattern` in `sensitive` is one too.
    pub(crate) visible: Vec<String>,
    /// Patterns of folders that are projects of their own. Only a project's config has them.
    pub(crate) projects: Vec<String>,
    /// What agents may do with items.
    pub(crate) agents: AgentsConfig,
    /// Folders of the project whose Agent Skills are used in place.
    pub(crate) skill_folders: Vec<RelPath>,
    /// Folders of this kind that are written as paths out of the project.
    pub(crate) outside_folders: Vec<OutsideFolder>,
    /// What must be signed, and which keys may sign.
    pub(crate) signing: SigningConfig,
    /// Stores, and the categories of items.
    pub(crate) storage: StorageConfig,
    /// The stores of a project that lie outside it.
    pub(crate) outside_stores: Vec<OutsideStore>,
    /// The model that searches by meaning use. Only the user's own config has it.
    pub(crate) embeddings: EmbeddingsConfig,
    /// Which type comes first among equal hits.
    pub(crate) type_priority: Option<Vec<ItemType>>,
    /// How tools are run.
    pub(crate) running: RunConfig,
    /// Which registry is asked. Only the user's own config has it.
    pub(crate) registry: RegistryConfig,
}

impl Config {
    /// Returns the keys that widen and are set.
    pub(crate) fn widening_keys(&self) -> Vec<&'static str> {
        let keys = [
            ("`mods`", self.mods.is_empty()),
            ("`visible` (or `!` in `sensitive`)", self.visible.is_empty()),
            ("`projects`", self.projects.is_empty()),
            ("`agents`", self.agents.is_empty()),
            ("`stores` outside the project", self.outside_stores.is_empty()),
            ("`folders` outside the project", self.outside_folders.is_empty()),
        ];
        keys.into_iter().filter(|(_, empty)| !empty).map(|(key, _)| key).collect()
    }

    /// Returns true if it sets nothing that would need trust.
    pub(crate) fn has_no_widening_keys(&self) -> bool {
        self.widening_keys().is_empty()
    }
}

/// The keys of the user's file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct UserFile {
    mods: Option<Vec<RawMod>>,
    #[serde(rename = "projectMarkers")]
    project_markers: Option<SpannedTexts>,
    wide_roots: Option<SpannedTexts>,
    sensitive: Option<SpannedTexts>,
    visible: Option<SpannedTexts>,
    agents: Option<AgentsConfig>,
    folders: Option<RawFolders>,
    require_signed: Option<SpannedTexts>,
    sign: Option<RawSign>,
    settings: Option<RawSettings>,
    stores: Option<RawStores>,
    items: Option<RawItems>,
    embeddings: Option<RawEmbeddings>,
    search: Option<RawSearch>,
    require_lock: Option<bool>,
    sandbox: Option<RawSandbox>,
    runtimes: Option<RawRuntimes>,
    audit: Option<Spanned<RawAudit>>,
    runs: Option<RawRuns>,
    registry: Option<RawRegistry>,
}

/// The keys of a project's file. The type parameters `M`, `V`, `P`, `A` and `S` say how the values
/// that widen are parsed. Widening keys that this version never honours in a project's file are
/// accepted and ignored.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectFile<M, V, P, A, S> {
    mods: Option<M>,
    visible: Option<V>,
    projects: Option<P>,
    sensitive: Option<SpannedTexts>,
    settings: Option<RawSettings>,
    stores: Option<S>,
    items: Option<RawItems>,
    agents: Option<A>,
    folders: Option<RawFolders>,
    require_signed: Option<SpannedTexts>,
    trusted_keys: Option<SpannedTexts>,
    search: Option<RawSearch>,
    require_lock: Option<bool>,
    #[serde(rename = "embeddings")]
    _embeddings: Option<IgnoredAny>,
    #[serde(rename = "registry")]
    _registry: Option<IgnoredAny>,
    #[serde(rename = "sandbox")]
    _sandbox: Option<IgnoredAny>,
    #[serde(rename = "grants")]
    _grants: Option<IgnoredAny>,
    #[serde(rename = "runtimes")]
    _runtimes: Option<IgnoredAny>,
}

/// A project's file whose widening values are not parsed.
type UntrustedProjectFile = ProjectFile<IgnoredAny, IgnoredAny, IgnoredAny, IgnoredAny, RawStores>;
/// A project's file as it counts once a person trusts it.
type TrustedProjectFile =
    ProjectFile<Vec<RawMod>, SpannedTexts, SpannedTexts, AgentsConfig, StoreValues>;

type SpannedTexts = Vec<Spanned<String>>;

/// Reads the user's config from the user space.
pub(crate) fn read_user(space: &Dir) -> Result<Config, ConfigError> {
    let address = config_address(Root::User, &[FILE]);
    let Some(text) = read_text(space, &address)? else {
        return Ok(Config::default());
    };
    let config = yaml::parse::<Option<UserFile>>(&text).and_then(|file| {
        let Some(file) = file else { return Ok(Config::default()) };
        let (markers, wide) =
            (file.project_markers.unwrap_or_default(), file.wide_roots.unwrap_or_default());
        let (sensitive, mut visible) = parse_sensitive(file.sensitive.unwrap_or_default())?;
        visible.extend(patterns::parse(file.visible.unwrap_or_default())?);
        let folders = parse_folders(file.folders)?;
        Ok(Config {
            mods: mods::parse(file.mods)?,
            project_markers: markers.iter().map(parse_marker).collect::<Result<_, _>>()?,
            wide_roots: wide.iter().map(parse_wide_root).collect::<Result<_, _>>()?,
            sensitive,
            visible,
            projects: Vec::new(),
            agents: file.agents.unwrap_or_default(),
            skill_folders: folders.inside,
            outside_folders: folders.outside,
            signing: signing::parse_user(file.require_signed, file.sign)?,
            storage: stores::parse(file.stores, file.items, file.settings)?,
            outside_stores: Vec::new(),
            embeddings: embeddings::parse(file.embeddings)?,
            type_priority: search::parse_type_priority(file.search)?,
            running: RunConfig {
                audit: audit::parse(file.audit)?,
                requires_run_handle: file.runs.unwrap_or_default().requires_handle(),
                ..running::parse_user(file.require_lock, file.sandbox, file.runtimes)?
            },
            registry: registry::parse(file.registry)?,
        })
    });
    config.map_err(|fault| invalid_config(&address, fault))
}

/// The config of a project, before it is decided whether it is trusted.
pub(crate) struct ProjectConfig {
    /// The keys that count at once, because they widen nothing. Stores that lie outside await
    /// trust.
    narrowing: Config,
    /// The keys that count once a person has trusted them.
    pub(crate) widening: WideningConfig,
}

impl ProjectConfig {
    /// Returns the config as it counts before anybody trusts it.
    pub(crate) fn untrusted_config(&self) -> Config {
        self.narrowing.clone()
    }

    /// Returns the config as it counts once a person trusts what it widens.
    pub(crate) fn trusted_config(&self) -> Result<Config, ConfigError> {
        let widening = self.widening.config().map_err(Clone::clone)?.clone();
        let Config {
            sensitive,
            skill_folders: mut folders,
            signing,
            mut storage,
            type_priority,
            running,
            ..
        } = self.untrusted_config();
        for store in &mut storage.stores {
            store.awaits_trust = false;
        }
        folders.extend(widening.outside_folders.iter().filter_map(|one| one.inside.clone()));
        Ok(Config {
            sensitive,
            skill_folders: folders,
            signing,
            storage,
            type_priority,
            running,
            ..widening
        })
    }

    /// Returns the patterns of further sensitive files. They narrow, so they count at once.
    pub(crate) fn sensitive_patterns(&self) -> &[String] {
        &self.narrowing.sensitive
    }
}

/// Reads the config of a project's space. All keys are checked, and the values of those that
/// narrow. The values of those that widen are parsed too, but a mistake in them matters only when a
/// person is asked to trust them.
pub(crate) fn read_project(
    environment: &Environment,
    project: &Folder,
    space: &Folder,
) -> Result<ProjectConfig, ConfigError> {
    let address = project_address();
    let text = read_text(space.dir(), &address)?.unwrap_or_default();
    let invalid = |fault| invalid_config(&address, fault);
    let (mut narrowing, shown) = parse_narrowing(&text).map_err(invalid)?;
    let resolver = PathResolver { environment, project: Some(project) };
    narrowing.storage.locate_project_stores(&resolver, space);
    let widening = parse_widening(&text, &narrowing.storage).map(|widening| {
        let outside = widening.outside_folders.into_iter();
        let outside_folders = outside.map(|folder| folder.resolve(environment, project)).collect();
        let visible = shown.into_iter().chain(widening.visible).collect();
        Config { visible, outside_folders, ..widening }
    });
    Ok(ProjectConfig { narrowing, widening: WideningConfig(widening.map_err(invalid)) })
}

/// Parses the keys that narrow, and the patterns of `sensitive` that show something.
fn parse_narrowing(text: &str) -> Result<(Config, Vec<String>), YamlError> {
    let Some(file) = yaml::parse::<Option<UntrustedProjectFile>>(text)? else {
        return Ok(Default::default());
    };
    let (sensitive, shown) = parse_sensitive(file.sensitive.unwrap_or_default())?;
    let signing = signing::parse_project(file.require_signed, file.trusted_keys)?;
    let narrowing = Config {
        sensitive,
        skill_folders: parse_folders(file.folders)?.inside,
        signing,
        storage: stores::parse(file.stores, file.items, file.settings)?,
        type_priority: search::parse_type_priority(file.search)?,
        running: running::parse_project(file.require_lock),
        ..Config::default()
    };
    Ok((narrowing, shown))
}

/// Parses the keys that widen. The stores are those that the other keys name.
fn parse_widening(text: &str, storage: &StorageConfig) -> Result<Config, YamlError> {
    let Some(file) = yaml::parse::<Option<TrustedProjectFile>>(text)? else {
        return Ok(Config::default());
    };
    Ok(Config {
        visible: patterns::parse(file.visible.unwrap_or_default())?,
        outside_folders: parse_folders(file.folders)?.outside,
        mods: mods::parse(file.mods)?,
        projects: patterns::parse(file.projects.unwrap_or_default())?,
        agents: file.agents.unwrap_or_default(),
        outside_stores: stores::outside_stores(storage, &file.stores.unwrap_or_default()),
        ..Config::default()
    })
}

/// The widening part of a project's config, which counts once a person has trusted it. A value that
/// does not parse cannot be trusted, and until then does no harm.
pub(crate) struct WideningConfig(Result<Config, ConfigError>);

impl WideningConfig {
    /// Returns true if it contains nothing that could widen anything.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.as_ref().is_ok_and(Config::has_no_widening_keys)
    }

    /// Returns the parsed keys, or why they did not parse.
    pub(crate) fn config(&self) -> Result<&Config, &ConfigError> {
        self.0.as_ref()
    }
}

/// Wraps the error of a user space or a user's config that cannot be reached.
pub(crate) fn unreadable_user_config(cause: io::Error) -> ConfigError {
    ConfigError::Unreadable { address: user_address(), cause: Arc::new(cause) }
}

/// Wraps the error of a project's space that cannot be reached.
pub(crate) fn unreadable_project_config(cause: io::Error) -> ConfigError {
    ConfigError::Unreadable { address: project_address(), cause: Arc::new(cause) }
}

fn read_text(space: &Dir, address: &Address) -> Result<Option<String>, ConfigError> {
    yaml::read(space, FILE).map_err(|cause| ConfigError::Unreadable {
        address: address.clone(),
        cause: Arc::new(cause),
    })
}

fn invalid_config(address: &Address, fault: YamlError) -> ConfigError {
    ConfigError::Invalid { address: address.clone(), fault }
}

pub(crate) fn project_address() -> Address {
    config_address(Root::Project, &[SPACE_FOLDER, FILE])
}

pub(crate) fn user_address() -> Address {
    config_address(Root::User, &[FILE])
}

fn config_address(root: Root, names: &[&str]) -> Address {
    let path = names.iter().filter_map(|name| name.parse::<Segment>().ok()).collect::<RelPath>();
    Address::file(root, path)
}

#[cfg(test)]
pub(crate) use stores::parse_storage;
