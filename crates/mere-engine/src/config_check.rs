//! What `mere config check` and `mere doctor` find in the two config files: what is wrong, what does
//! not count yet, and where disk and configuration differ.

use mere_core::address::Address;
use mere_core::item::Scope;

use crate::config::{self, Config, ConfigError};
use crate::context::Context;
use crate::opening::Choice;
use crate::snapshot::WorldError;
use crate::store::{Drift, ItemRules, drift, settle_stores};
use crate::trust;

/// How many differences between disk and configuration are told.
const MAX_WARNINGS: usize = 50;

/// A config file that was looked at.
pub(crate) struct CheckedFile {
    pub(crate) address: Address,
    pub(crate) state: &'static str,
    pub(crate) problem: Option<String>,
    /// What of it does not count yet.
    pub(crate) note: Option<String>,
    /// Where it and the disk differ, a line each.
    pub(crate) warnings: Vec<String>,
}

/// As much of a file as counts.
#[derive(Default)]
struct Counted {
    is_there: bool,
    config: Config,
    note: Option<String>,
}

/// What the config files are, the user's first.
pub(crate) fn check_config(context: &Context) -> [CheckedFile; 2] {
    let user = of_user(context);
    let project = of_project(context, user.as_ref().ok().map(|user| &user.config));
    let both = match (&user, &project) {
        (Ok(user), Ok(project)) => differences(context, &user.config, &project.config),
        _ => Ok(Vec::new()),
    };
    let mut user = CheckedFile::new(config::user_address(), user);
    let mut project = CheckedFile::new(config::project_address(), project);
    match both {
        Ok(found) => warn((&mut user, &mut project), found),
        Err(WorldError::Config(error)) if *error.address() == user.address => user.blame(&error),
        Err(error) => project.blame(&error),
    }
    [user, project]
}

impl CheckedFile {
    fn new(address: Address, checked: Result<Counted, ConfigError>) -> Self {
        let state = match &checked {
            Ok(Counted { is_there: true, .. }) => "right",
            Ok(Counted { is_there: false, .. }) => "not there",
            Err(_) => "wrong",
        };
        let (problem, note) = match checked {
            Ok(counted) => (None, counted.note),
            Err(error) => (Some(error.to_string()), None),
        };
        Self { address, state, problem, note, warnings: Vec::new() }
    }

    fn blame(&mut self, error: &impl std::error::Error) {
        self.state = "wrong";
        self.problem = Some(error.to_string());
    }
}

fn of_user(context: &Context) -> Result<Counted, ConfigError> {
    let Some(space) = context.surroundings.user_space().map_err(config::unreadable)? else {
        return Ok(Counted::default());
    };
    let config = config::of_user(space.dir())?;
    config::check_clashes(&config, &Config::default(), None)?;
    Ok(Counted { is_there: space.dir().exists(config::FILE), config, note: None })
}

/// The project's file. What awaits trust is checked as far as it could be trusted.
fn of_project(context: &Context, user: Option<&Config>) -> Result<Counted, ConfigError> {
    let Some(space) = context.space().map_err(config::unreadable)? else {
        return Ok(Counted::default());
    };
    let config = config::of_project(&context.surroundings, &context.project, &space)?;
    let whole = config.whole()?;
    let outer = context.outer.as_ref().map(|outer| &outer.name);
    let nothing = Config::default();
    let user = user.unwrap_or(&nothing);
    config::check_clashes(&nothing, &whole, outer)?;
    let is_there = space.dir().exists(config::FILE);
    if trust::covers(&context.surroundings, &context.project, &space, &whole) {
        config::check_clashes(user, &whole, outer)?;
        return Ok(Counted { is_there, config: whole, note: None });
    }
    check_outside(context, user, &whole)?;
    let open = whole.widening_keys();
    let count = if open.len() == 1 { "does" } else { "do" };
    let note = format!("{} {count} not count before `mere trust project`", open.join(", "));
    let note = (!open.is_empty()).then_some(note);
    Ok(Counted { is_there, config: config.narrow(), note })
}

/// Whether the project's stores could count. What clashes with the user's alone does no harm before
/// it is trusted, and cannot be trusted then.
fn check_outside(context: &Context, user: &Config, whole: &Config) -> Result<(), ConfigError> {
    match settle_stores(context, (user, whole), &Choice::default()) {
        Err(WorldError::Config(error)) if *error.address() == config::project_address() => {
            Err(error)
        }
        _ => Ok(()),
    }
}

/// Where disk and configuration differ, if both files together can be used.
fn differences(
    context: &Context,
    user: &Config,
    project: &Config,
) -> Result<Vec<Drift>, WorldError> {
    let stores = settle_stores(context, (user, project), &Choice::default())?;
    let items = ItemRules::new(&user.keeping, &project.keeping, context.least_mode());
    Ok(drift(context, &stores, &items)?)
}

fn warn((user, project): (&mut CheckedFile, &mut CheckedFile), mut found: Vec<Drift>) {
    let more = found.len().saturating_sub(MAX_WARNINGS);
    found.truncate(MAX_WARNINGS);
    let mut last = Scope::Project;
    for Drift { scope, words } in found {
        match scope {
            Scope::Project => project.warnings.push(words),
            Scope::User | Scope::Registry => user.warnings.push(words),
        }
        last = scope;
    }
    if more > 0 {
        let file = if last == Scope::Project { project } else { user };
        file.warnings.push(format!("and {more} more such differences"));
    }
}
