//! Checks the two config files for `mere config check` and `mere doctor`: what is invalid, what
//! awaits trust, and where the disk and the configuration differ.

use mere_core::address::Address;
use mere_core::item::Scope;

use crate::config::{self, Config, ConfigError};
use crate::memory::{Drift, ItemRules, find_drift, resolve_stores};
use crate::trust::approvals::project as approvals;
use crate::trust::approvals::rule_floor::{RuleFloor, UNRECORDED};
use crate::trust::project_key::ProjectKey;
use crate::world::{Context, OperatorChoice, WorldError};

/// The most differences between disk and configuration that are reported.
const MAX_WARNINGS: usize = 50;

/// A config file that was checked.
pub(crate) struct CheckedFile {
    pub(crate) address: Address,
    pub(crate) state: &'static str,
    pub(crate) problem: Option<String>,
    /// Says which keys have no effect yet.
    pub(crate) note: Option<String>,
    /// The differences between the file and the disk, one line each.
    pub(crate) warnings: Vec<String>,
}

/// The part of a file that is in effect.
#[derive(Default)]
struct EffectiveConfig {
    is_there: bool,
    config: Config,
    /// The keys that have no effect yet.
    awaiting: Vec<&'static str>,
    note: Option<String>,
}

impl EffectiveConfig {
    /// Says which keys have no effect.
    fn note(&self) -> Option<String> {
        let is_several = |key: &&str| key.ends_with("outside the project");
        let are_several = self.awaiting.len() > 1 || self.awaiting.iter().any(is_several);
        let verb = if are_several { "do" } else { "does" };
        let keys = self.awaiting.join(", ");
        let waits = format!("{keys} {verb} not take effect until you run `mere trust project`");
        let waits = (!self.awaiting.is_empty()).then_some(waits);
        let notes = waits.into_iter().chain(self.note.clone()).collect::<Vec<_>>();
        (!notes.is_empty()).then(|| notes.join("; "))
    }
}

/// Checks both config files, and returns the user's first.
pub(crate) fn check_config(context: &Context) -> [CheckedFile; 2] {
    let user = check_user_file(context);
    let mut project = check_project_file(context, user.as_ref().ok().map(|user| &user.config));
    let floor = project.as_mut().map_or(Ok(()), |project| hold_floor(context, project));
    let both = match (&user, &project) {
        (Ok(user), Ok(project)) => find_differences(context, &user.config, &project.config),
        _ => Ok(Vec::new()),
    };
    let mut user = CheckedFile::new(config::user_address(), user);
    let mut project = CheckedFile::new(config::project_address(), project);
    match floor.and(both) {
        Ok(found) => add_warnings((&mut user, &mut project), found),
        Err(WorldError::Config(error)) if *error.address() == user.address => {
            user.set_problem(&error);
        }
        Err(error) => project.set_problem(&error),
    }
    [user, project]
}

impl CheckedFile {
    fn new(address: Address, checked: Result<EffectiveConfig, ConfigError>) -> Self {
        let state = match &checked {
            Ok(EffectiveConfig { is_there: true, .. }) => "valid",
            Ok(EffectiveConfig { is_there: false, .. }) => "not there",
            Err(_) => "wrong",
        };
        let (problem, note) = match checked {
            Ok(counted) => (None, counted.note()),
            Err(error) => (Some(error.to_string()), None),
        };
        Self { address, state, problem, note, warnings: Vec::new() }
    }

    fn set_problem(&mut self, error: &impl std::error::Error) {
        self.state = "wrong";
        self.problem = Some(error.to_string());
    }
}

fn check_user_file(context: &Context) -> Result<EffectiveConfig, ConfigError> {
    let Some(space) = context.environment.user_space().map_err(config::unreadable_user_config)?
    else {
        return Ok(EffectiveConfig::default());
    };
    let config = config::read_user(space.dir())?;
    config::check_clashes(&config, &Config::default(), None)?;
    let note = config::unused_folders_note(&config.outside_folders);
    let is_there = space.dir().exists(config::FILE);
    Ok(EffectiveConfig { is_there, config, awaiting: Vec::new(), note })
}

/// Checks the project's file. Keys that await trust are checked as far as they could be trusted.
fn check_project_file(
    context: &Context,
    user: Option<&Config>,
) -> Result<EffectiveConfig, ConfigError> {
    let Some(space) = context.space().map_err(config::unreadable_project_config)? else {
        return Ok(EffectiveConfig::default());
    };
    let project =
        context.project().map_err(|error| config::unreadable_project_config(error.into()))?;
    let config = config::read_project(&context.environment, project, &space)?;
    let whole = config.trusted_config()?;
    let outer = context.outer.as_ref().map(|outer| &outer.name);
    let nothing = Config::default();
    let user = user.unwrap_or(&nothing);
    config::check_clashes(&nothing, &whole, outer)?;
    let is_there = space.dir().exists(config::FILE);
    if approvals::is_config_trusted(&context.environment, project, &space, &whole) {
        config::check_clashes(user, &whole, outer)?;
        let note = config::unused_folders_note(&whole.outside_folders);
        return Ok(EffectiveConfig { is_there, config: whole, awaiting: Vec::new(), note });
    }
    check_outside_stores(context, user, &whole)?;
    let awaiting = whole.widening_keys();
    Ok(EffectiveConfig { is_there, config: config.untrusted_config(), awaiting, note: None })
}

/// Makes a project's config as strict as it takes effect, and notes the keys that demand less than
/// before.
fn hold_floor(context: &Context, project: &mut EffectiveConfig) -> Result<(), WorldError> {
    let space = context.space()?;
    let folder = context.project_folder();
    let key = folder.and_then(|folder| ProjectKey::for_project(folder, space.as_ref()));
    let Some(key) = key else { return Ok(()) };
    let floor = RuleFloor::read(&context.environment, &key)?;
    if !floor.covers(&project.config) {
        project.note = Some(UNRECORDED.to_owned());
    }
    let mut loosened = floor.describe_loosening(&project.config);
    loosened.dedup_by_key(|(key, _)| *key);
    project.awaiting.extend(loosened.into_iter().map(|(key, _)| key.describe()));
    floor.hold(&mut project.config);
    Ok(())
}

/// Checks that the project's stores could be used if they were trusted. A clash with the user's own
/// config does no harm before that, and then makes trusting them impossible.
fn check_outside_stores(
    context: &Context,
    user: &Config,
    whole: &Config,
) -> Result<(), ConfigError> {
    match resolve_stores(context, (user, whole), &OperatorChoice::default()) {
        Err(WorldError::Config(error)) if *error.address() == config::project_address() => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Returns the differences between disk and configuration, if both files can be used together.
fn find_differences(
    context: &Context,
    user: &Config,
    project: &Config,
) -> Result<Vec<Drift>, WorldError> {
    let stores = resolve_stores(context, (user, project), &OperatorChoice::default())?;
    let items = ItemRules::new(&user.storage, &project.storage, context.least_mode());
    Ok(find_drift(context, &stores, &items)?)
}

fn add_warnings((user, project): (&mut CheckedFile, &mut CheckedFile), mut found: Vec<Drift>) {
    let more = found.len().saturating_sub(MAX_WARNINGS);
    found.truncate(MAX_WARNINGS);
    let mut last = Scope::Project;
    for Drift { scope, message: words } in found {
        match scope {
            Scope::Project => project.warnings.push(words),
            Scope::User | Scope::Registry => user.warnings.push(words),
        }
        last = scope;
    }
    if more > 0 {
        let file = if last == Scope::Project { project } else { user };
        file.warnings.push(format!("and {more} more differences"));
    }
}
