//! One reading of the configuration, and everything that follows from it.
//!
//! A call uses one snapshot from beginning to end; a reload makes another. A configuration that
//! does not parse is part of the snapshot: every call then reports it, and the gate still works.

use std::io;
use std::sync::{Arc, OnceLock};

use mere_core::address::{AgentName, RelPath, Root};
use mere_core::digest::Sha256;
use mere_core::gate::{Gate, MirrorFormat};
use mere_core::item::{ItemType, Scope};
use mere_core::request::Reader;

use super::landmarks;
use crate::config::{
    self, AgentsConfig, Config, EmbeddingsConfig, RegistryConfig, RunConfig, SEARCHED_TYPES,
};
use crate::memory::{ItemRules, Stores, resolve_stores};
use crate::search::{Embedder, MINILM_FILE};
use crate::session::mounts::{ConfiguredMounts, mount, mount_roots};
use crate::space::{InPlace, Space};
use crate::trust;
use crate::trust::approvals::{files, project, rule_floor, wide_roots};
use crate::trust::project_key::ProjectKey;
use crate::trust::{ProjectFolders, TrustPolicy, keys, signers};
use crate::world::{
    Context, Mods, MountedRoot, OperatorChoice, SensitivityRules, SettledTwins, World, WorldError,
};
use mere_host::{Environment, FileStamps, Folder, SPACE_FOLDER, WatchedFiles};

/// Changes with the way in which the gate reads texts, because a search index keeps texts as they
/// left the gate.
const GATE_READING: &str = "reading 2";

/// The roots, the rules and the gate of one configuration.
pub(crate) struct Snapshot {
    resolved: Result<ResolvedConfig, WorldError>,
    gate: Gate,
    /// The gate for people, who may see where their folders are.
    person_gate: Gate,
    /// A digest of the folders that the gate keeps from agents.
    landmarks_digest: Sha256,
    /// What the calls with this configuration learned about names that look alike.
    settled_twins: Arc<SettledTwins>,
    /// The stamps of the configuration's files, taken before they were read.
    stamps: FileStamps,
    rules_digest: OnceLock<Sha256>,
}

/// What follows from a configuration that is valid.
struct ResolvedConfig {
    mods: Vec<MountedRoot>,
    sensitivity: Arc<SensitivityRules>,
    /// What agents may do with items.
    agents: AgentsConfig,
    /// Folders of the project whose items are used in place.
    in_place_folders: Vec<RelPath>,
    /// The repository around the project, and where the project lies in it.
    enclosing_repository: Option<(Arc<Folder>, RelPath)>,
    /// Whose signatures count.
    trust_policy: TrustPolicy,
    /// The stores that hold memories.
    stores: Stores,
    /// The category rules for items.
    item_rules: ItemRules,
    /// The text form that accompanies a structured reply.
    mirror: MirrorFormat,
    /// The model that search by meaning uses.
    embedder: Embedder,
    embeddings: EmbeddingsConfig,
    /// The order of item types among equal search hits.
    type_priority: Vec<ItemType>,
    /// How tools are run.
    running: RunConfig,
    /// Which registry is asked.
    registry: RegistryConfig,
}

impl Snapshot {
    /// Reads the configuration.
    pub(crate) fn take(context: &Context, choice: &OperatorChoice) -> Self {
        Self::take_at(context, choice, Self::watched_files(context).read_stamps())
    }

    /// Reads the configuration, whose files had these stamps a moment ago.
    pub(crate) fn take_at(context: &Context, choice: &OperatorChoice, stamps: FileStamps) -> Self {
        let resolved = resolve_config(context, choice);
        let mods = resolved.as_ref().map_or(&[][..], |resolved| &resolved.mods);
        let mirror = resolved.as_ref().map_or(MirrorFormat::default(), |resolved| resolved.mirror);
        let landmarks = landmarks::collect(context, mods);
        let digest = Sha256::digest(format!("{GATE_READING} {landmarks:?}").as_bytes());
        let gate = Gate::new(landmarks).with_mirror_format(mirror);
        Self {
            resolved,
            gate,
            person_gate: Gate::new(Vec::new()),
            landmarks_digest: digest,
            settled_twins: Arc::default(),
            stamps,
            rules_digest: OnceLock::new(),
        }
    }

    /// Returns the stamps of the files that this configuration was read from.
    pub(super) fn stamps(&self) -> &FileStamps {
        &self.stamps
    }

    /// Returns a digest of the configuration, and of the rules that say which items are indexed. It
    /// is the same in two processes only if they read the same files.
    pub(super) fn rules_digest(&self) -> Sha256 {
        *self.rules_digest.get_or_init(|| {
            let (rules, folders) = (self.sensitivity_digest(), self.landmarks_digest());
            Sha256::digest(format!("{:?} {rules:?} {folders}", self.stamps).as_bytes())
        })
    }

    /// Returns the gate that a reply to this reader must pass.
    pub(crate) fn gate(&self, reader: Reader) -> &Gate {
        match reader {
            Reader::Agent => &self.gate,
            Reader::Person => &self.person_gate,
        }
    }

    /// Returns the files whose changes make it necessary to read the configuration again.
    pub(crate) fn watched_files(context: &Context) -> WatchedFiles {
        let mut watched = WatchedFiles::default();
        for name in [config::FILE, config::SPACE_FILE] {
            context.environment.watch_user_space_file(name, &mut watched);
        }
        let project_files =
            [config::FILE, config::SPACE_FILE, trust::ROSTER_FILE, trust::ROSTER_SIDECAR];
        for (project, name) in
            context.project().iter().flat_map(|project| project_files.map(|name| (project, name)))
        {
            project.watch_file(&format!("{SPACE_FOLDER}/{name}"), &mut watched);
        }
        if let Some(outer) = &context.outer {
            outer.folder.watch_file(&format!("{SPACE_FOLDER}/{}", config::FILE), &mut watched);
            outer
                .folder
                .watch_file(&format!("{SPACE_FOLDER}/{}", config::SPACE_FILE), &mut watched);
        }
        let approvals = [project::FILE, files::FILE, rule_floor::FILE, wide_roots::FILE];
        for name in approvals.into_iter().chain([trust::DRAFTS_FILE, trust::HOMES_FILE]) {
            context.environment.watch_state_file(name, &mut watched);
        }
        for name in [keys::FILE, signers::FILE, trust::TEAMS_FILE] {
            context.environment.watch_config_file(name, &mut watched);
        }
        context.environment.watch_model_file(MINILM_FILE, &mut watched);
        // Where other working trees of the repository lie is kept from agents.
        if let Some(project) = context.project_folder() {
            project.watch_file(".git/worktrees", &mut watched);
        }
        watched
    }

    /// Returns the extra folders, each with its root.
    pub(crate) fn extra_folders(&self) -> Vec<(Root, Arc<Folder>)> {
        let mods = self.resolved.as_ref().map_or(&[][..], |resolved| &resolved.mods);
        let folders = mods.iter();
        folders.filter_map(|one| Some((one.root.clone(), one.folder.clone()?))).collect()
    }

    /// Returns why the configuration cannot be used, if it cannot.
    pub(crate) fn config_problem(&self) -> Option<String> {
        self.resolved.as_ref().err().map(WorldError::to_string)
    }

    /// Returns the roots an agent can name.
    pub(crate) fn roots(&self, context: &Context) -> Vec<Root> {
        let mods = self.resolved.as_ref().map_or(&[][..], |resolved| &resolved.mods);
        let mods = mods.iter().map(|one| one.root.clone());
        let fixed = [Root::Project, Root::User, Root::Workspace, Root::Registry];
        let fixed = fixed.into_iter().filter(|root| context.has_root(root));
        fixed.chain(mods).collect()
    }

    /// Returns the root, under the name that replies print, for a root that a caller named; `None`
    /// if there is no such root. Does not touch the disk.
    pub(crate) fn find_root(
        &self,
        root: &Root,
        context: &Context,
    ) -> Result<Option<Root>, WorldError> {
        let resolved = self.resolved.as_ref().map_err(WorldError::clone)?;
        Ok(match root {
            Root::Mod(_) => {
                resolved.mods.iter().find(|one| one.has_name(root)).map(|one| one.root.clone())
            }
            fixed => Some(fixed.clone()).filter(|root| context.has_root(root)),
        })
    }

    /// Builds the world of one call for one agent, as the disk is now.
    pub(crate) fn world(&self, context: &Context, agent: &AgentName) -> Result<World, WorldError> {
        let resolved = self.resolved.as_ref().map_err(WorldError::clone)?;
        let configured = ConfiguredMounts {
            mods: &resolved.mods,
            enclosing_repository: resolved.enclosing_repository.clone(),
        };
        let (roots, hidden) = mount_roots(context, agent, configured)?;
        let world = World::new(roots, hidden, Arc::clone(&resolved.sensitivity));
        Ok(world.with_settled_twins(Arc::clone(&self.settled_twins)))
    }
}

impl Snapshot {
    /// Returns the spaces of one call, in order of precedence.
    pub(crate) fn spaces(&self, context: &Context) -> Result<Vec<Space>, WorldError> {
        let resolved = self.resolved.as_ref().map_err(WorldError::clone)?;
        let cache = context.environment.cache();
        let project = context.space()?.map(Arc::new);
        let mut in_place = Vec::new();
        for path in &resolved.in_place_folders {
            let Ok(project) = context.project() else { continue };
            let folder = project.subfolder(path.as_str())?;
            in_place.extend(
                folder.map(|folder| InPlace { path: path.clone(), folder: Arc::new(folder) }),
            );
        }
        let user = context.environment.user_space()?;
        Ok(vec![
            Space::new(Scope::Project, project, in_place, cache.clone()),
            Space::new(Scope::User, user, Vec::new(), cache),
        ])
    }

    /// Returns a digest of the folders that the gate keeps from agents.
    pub(crate) fn landmarks_digest(&self) -> Sha256 {
        self.landmarks_digest
    }

    /// Returns a digest of the rules that say what is sensitive; none if the configuration is
    /// invalid.
    pub(crate) fn sensitivity_digest(&self) -> Option<Sha256> {
        self.resolved.as_ref().ok().map(|resolved| resolved.sensitivity.digest())
    }

    /// Returns the model that search by meaning uses.
    pub(crate) fn embedder(&self) -> Result<&Embedder, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.embedder)
    }

    /// Returns the user's settings for embedding models.
    pub(crate) fn embeddings(&self) -> Result<&EmbeddingsConfig, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.embeddings)
    }

    /// Returns the order of item types among equal search hits.
    pub(crate) fn type_priority(&self) -> Result<&[ItemType], WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.type_priority)
    }

    /// Returns how tools are run.
    pub(crate) fn running(&self) -> Result<&RunConfig, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.running)
    }

    /// Returns which registry is asked, and when its log is believed.
    pub(crate) fn registry(&self) -> Result<&RegistryConfig, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.registry)
    }

    /// Returns whose signatures count.
    pub(crate) fn trust_policy(&self) -> Result<&TrustPolicy, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.trust_policy)
    }

    /// Returns the stores of memories, and which one is served.
    pub(crate) fn stores(&self) -> Result<&Stores, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.stores)
    }

    /// Returns the category rules for items.
    pub(crate) fn item_rules(&self) -> Result<&ItemRules, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.item_rules)
    }

    /// Returns what agents may do with items.
    pub(crate) fn agents(&self) -> Result<&AgentsConfig, WorldError> {
        Ok(&self.resolved.as_ref().map_err(WorldError::clone)?.agents)
    }
}

/// Combines both configurations with the person's approvals.
fn resolve_config(
    context: &Context,
    choice: &OperatorChoice,
) -> Result<ResolvedConfig, WorldError> {
    let environment = &context.environment;
    let user_space = environment.user_space().map_err(config::unreadable_user_config)?;
    let user = user_space.as_ref().map(|space| config::read_user(space.dir())).transpose()?;
    let user = user.unwrap_or_default();
    let space = context.space()?;
    let folders = ProjectFolders { project: context.project_folder(), space: space.as_ref() };
    let project = project::effective_config(environment, folders)?;
    let outer = context.trusted_outer();
    config::check_clashes(&user, &project, outer.map(|outer| &outer.name))?;
    let sensitivity = sensitivity_rules(context, space.as_ref(), [&user, &project]);
    let sensitivity = match outer {
        Some(outer) => {
            let sensitive = outer.sensitive_patterns(environment)?;
            let sensitive = sensitive.iter().map(String::as_str).collect::<Vec<_>>();
            sensitivity.with_outer(
                &sensitive,
                Root::Mod(outer.name.clone()),
                outer.inner_path.clone(),
            )
        }
        None => sensitivity,
    };
    let stores = resolve_stores(context, (&user, &project), choice)?;
    let mut mods = Vec::new();
    if choice.mods == Mods::Configured {
        let outer_mod = outer.map(|outer| (outer.name.clone(), Arc::clone(&outer.folder)));
        mods.extend(outer_mod.map(|(name, folder)| mount(Root::Mod(name), Some(folder))));
        mods.extend(open_mods(environment, &user, user_space.as_deref())?);
        mods.extend(open_mods(environment, &project, space.as_ref())?);
        mods.extend(stores.mounted_roots());
    }
    let skill_folders = project.skill_folders.iter().chain(&user.skill_folders);
    let (user_storage, project_storage) = (&user.storage, &project.storage);
    let format = project_storage.settings.output_format.or(user_storage.settings.output_format);
    Ok(ResolvedConfig {
        mods,
        sensitivity: Arc::new(sensitivity),
        agents: project.agents.or(&user.agents),
        in_place_folders: skill_folders.cloned().collect(),
        enclosing_repository: outer
            .map(|outer| (Arc::clone(&outer.folder), outer.inner_path.clone())),
        trust_policy: TrustPolicy::read(environment, folders, &user.signing, &project.signing)?,
        item_rules: ItemRules::new(user_storage, project_storage, context.least_mode()),
        mirror: format.unwrap_or_default(),
        embedder: Embedder::from_config(&user.embeddings, environment),
        embeddings: user.embeddings,
        type_priority: project
            .type_priority
            .or(user.type_priority)
            .unwrap_or(SEARCHED_TYPES.to_vec()),
        running: user.running.with_project(&project.running),
        registry: user.registry,
        stores,
    })
}

/// Returns which files are sensitive, and which of them a person has confirmed.
fn sensitivity_rules(
    context: &Context,
    space: Option<&Folder>,
    configs: [&Config; 2],
) -> SensitivityRules {
    let sensitive = configs.iter().flat_map(|one| &one.sensitive).map(String::as_str);
    let visible = configs.iter().flat_map(|one| &one.visible).map(String::as_str);
    let project = context.project_folder();
    let key = project.and_then(|project| ProjectKey::for_project(project, space));
    let allowed = key.map(|key| files::allowed_addresses(&context.environment, &key));
    let (sensitive, visible) = (sensitive.collect::<Vec<_>>(), visible.collect::<Vec<_>>());
    SensitivityRules::new(&sensitive, &visible, allowed.unwrap_or_default())
}

/// Opens the extra folders. A folder that does not exist, or that lies where keys or approvals are
/// kept, is left out.
fn open_mods(
    environment: &Environment,
    config: &Config,
    base: Option<&Folder>,
) -> io::Result<Vec<MountedRoot>> {
    let Some(base) = base else { return Ok(Vec::new()) };
    let private = environment.private_identities()?;
    let mut mounted = Vec::new();
    for one in &config.mods {
        let folder = match Folder::open_configured(&one.path, base, environment) {
            Ok(folder) => folder,
            Err(error) => {
                tracing::warn!(name = %one.name, path = %one.path, %error, "extra folder left out");
                continue;
            }
        };
        if folder.is_inside_any(&private)? {
            tracing::warn!(name = %one.name, "extra folder left out: keys or approvals are kept there");
            continue;
        }
        let root = Root::Mod(one.name.clone());
        mounted.push(MountedRoot {
            root,
            id: Some(one.id.clone()),
            folder: Some(Arc::new(folder)),
            enclosing_repository: None,
        });
    }
    Ok(mounted)
}
