//! `mere where`: shows a person where everything is. Unlike agent-facing replies, it names host
//! paths.

use mere_core::address::{Address, AgentName, Spoken};

use crate::config::{self, Config, WideningConfig};
use crate::session::snapshot::Snapshot;
use crate::trust::approvals::project;
use crate::trust::approvals::rule_floor::{RuleFloor, UNRECORDED};
use crate::trust::project_key::ProjectKey;
use crate::world::{Context, OpenError, OperatorChoice, ResolveError, World};
use mere_host::{
    Boundary, Folder, LocatedPath, NoAddress, OwnFolder, SPACE_FOLDER, SearchStop, StopReason,
    TypedPath, WORKSPACES_FOLDER,
};

/// What `mere where` reports.
pub struct Locations {
    /// The project root; `None` if there is no project.
    pub project_dir: Option<String>,
    /// The flag, the variable or the marker by which it was found.
    pub found_by: String,
    /// The member of the workspace whose root the project is, if the command ran in one.
    pub member: Option<String>,
    /// The directory the command runs in.
    pub working_dir: String,
    /// The agent's workspace, which need not exist yet. Without a project there is none.
    pub agent_workspace: Option<String>,
    /// The user space, which need not exist either.
    pub user_space: Option<String>,
    /// The folders in which the program keeps what is its own, whether or not they exist.
    pub own_folders: Vec<(OwnFolder, String)>,
    /// Extra folders: the root of each and its location.
    pub extra_folders: Vec<(String, String)>,
    /// A path that the person asked about.
    pub path: Option<PathReport>,
    /// Further notes for the person.
    pub notes: Vec<String>,
}

/// A path that a person asked about.
pub struct PathReport {
    /// The path as it was typed.
    pub input: String,
    /// Its address, if it has one.
    pub address: Option<String>,
    /// `agent_workspace`, `user_project`, `system_restricted` or `outside_boundaries`.
    pub boundary: &'static str,
}

/// Finds everything, and classifies a path.
pub fn find_locations(
    project: Option<&TypedPath>,
    directory: Option<&TypedPath>,
    agent: Option<AgentName>,
    path: Option<&TypedPath>,
) -> Result<Locations, OpenError> {
    let context = Context::find(project, directory)?;
    let named = context.environment.agent_variable().and_then(|name| name.ok()?.parse().ok());
    let agent = agent.or(named).unwrap_or_default();
    let snapshot = Snapshot::take(&context, &OperatorChoice::default());
    let extra = snapshot.extra_folders();
    let mut notes = notes(&context);
    let world = snapshot.world(&context, &agent).ok();
    let place = path.map(|typed| {
        let project = context.project_folder();
        let seen = context.environment.locate_typed_path(typed, project, &agent, &extra);
        let (input, boundary) = (typed.display_text(), seen.boundary.name());
        let address = match readable_address(seen, world.as_ref()) {
            Ok(address) => Some(address.to_string()),
            Err(note) => {
                notes.extend(note.map(str::to_owned));
                None
            }
        };
        PathReport { input, address, boundary }
    });
    notes.extend(snapshot.config_problem().filter(|fault| !notes.contains(fault)));
    if place.as_ref().is_some_and(|place| place.boundary == Boundary::System.name()) {
        let note = "The path belongs to the system: agents see it only if your own config names \
                    its folder under `mods`.";
        notes.push(note.to_owned());
    }
    Ok(Locations {
        project_dir: context.project_folder().map(Folder::display_path),
        agent_workspace: context.workspace_shown(&agent),
        working_dir: context.environment.display_working_directory(),
        user_space: context.environment.display_user_space(),
        own_folders: OwnFolder::ALL
            .into_iter()
            .filter(|folder| *folder != OwnFolder::UserSpace)
            .filter_map(|own| Some((own, context.environment.display_own_folder(own)?)))
            .collect(),
        extra_folders: extra
            .iter()
            .map(|(root, folder)| (root.to_string(), folder.display_path()))
            .collect(),
        found_by: context.found_by,
        member: context.member,
        path: place,
        notes,
    })
}

/// Returns the address of a path that agents can read, or could if it existed. If there is none, a
/// note may say why.
fn readable_address(
    seen: LocatedPath,
    world: Option<&World>,
) -> Result<Address, Option<&'static str>> {
    const UNADDRESSABLE: &str = "The path has no address: a name in it has invisible or control \
                                 characters or a backslash, or it is too long.";
    const SENSITIVE: &str =
        "Agents cannot read the path, because it is sensitive: `mere allow PATH` shows it to them.";
    const OTHERS: &str = "Agents cannot read the path: it belongs to the workspace of another agent, \
                          or to all of them.";
    const HIDDEN: &str = "Agents cannot read the path: it is in a folder where `mere` keeps what is \
                          yours alone, leads out of the project, or looks like another name.";
    let existing = seen.existing.clone();
    let address = seen.into_address().map_err(|reason| match reason {
        NoAddress::Unaddressable => Some(UNADDRESSABLE),
        NoAddress::Outside => None,
    })?;
    // Without a valid configuration agents see nothing, which another note says.
    let world = world.ok_or(None)?;
    if !world.may_show(&address) {
        let mut names = address.path().names();
        let is_workspace =
            names.next() == Some(SPACE_FOLDER) && names.next() == Some(WORKSPACES_FOLDER);
        return Err(Some(if is_workspace { OTHERS } else { SENSITIVE }));
    }
    let is_hidden = existing.is_some_and(|existing| {
        matches!(
            world.resolve(&Spoken::Rooted(existing), address.root()),
            Err(ResolveError::NotVisible)
        )
    });
    if is_hidden { Err(Some(HIDDEN)) } else { Ok(address) }
}

fn notes(context: &Context) -> Vec<String> {
    let mut notes = Vec::new();
    notes.extend(context.refusal());
    if let Some(SearchStop { folder, reason }) = &context.search_stop {
        let what = match reason {
            StopReason::Mount => "a mount point",
            StopReason::Owner => "a folder that somebody else owns",
        };
        notes.push(format!(
            "The upward search stopped at {what}: {folder}. `--project` names a project beyond it."
        ));
    }
    if let Some(outer) = &context.outer {
        notes.push(format!("The enclosing project is readable as mod:{}:/.", outer.name));
    }
    let user = context.environment.user_space().map_err(config::unreadable_user_config);
    let user = user.and_then(|space| {
        let config = space.map(|space| config::read_user(space.dir())).transpose()?;
        let folders = config.map(|config| config.outside_folders).unwrap_or_default();
        Ok(config::unused_folders_note(&folders).map(as_sentence))
    });
    notes.extend(user.unwrap_or_else(|error| Some(error.to_string())));
    let Some(folder) = context.project_folder() else { return notes };
    let Some(space) = context.space().ok().flatten() else {
        notes.extend(loosened_note(context, (folder, None), &Config::default()));
        return notes;
    };
    match config::read_project(&context.environment, folder, &space) {
        Err(error) => notes.push(error.to_string()),
        Ok(config) => {
            notes.extend(untrusted_note(context, (folder, &space), &config.widening));
            let own = (folder, Some(&space));
            notes.extend(loosened_note(context, own, &config.untrusted_config()));
        }
    }
    notes
}

/// Returns a note if the configuration demands less than this machine has seen of it.
fn loosened_note(
    context: &Context,
    (folder, space): (&Folder, Option<&Folder>),
    config: &Config,
) -> Option<String> {
    let key = ProjectKey::for_project(folder, space)?;
    let floor = RuleFloor::read(&context.environment, &key).ok()?;
    let mut keys = floor.describe_loosening(config);
    keys.dedup_by_key(|(key, _)| *key);
    let keys = keys.iter().map(|(key, _)| key.describe()).collect::<Vec<_>>();
    let words = format!(
        "{} in the project's config {} no effect: what was demanded before still holds. See \
         `mere trust project`.",
        keys.join(", "),
        if keys.len() == 1 { "has" } else { "have" },
    );
    let unrecorded = (!floor.covers(config)).then(|| UNRECORDED.to_owned() + ".");
    (!keys.is_empty()).then_some(words).or(unrecorded)
}

/// Returns a note if the configuration would widen access but is not trusted, or is trusted and has
/// no effect all the same.
fn untrusted_note(
    context: &Context,
    (folder, space): (&Folder, &Folder),
    widening: &WideningConfig,
) -> Option<String> {
    let counts = |config| project::is_config_trusted(&context.environment, folder, space, config);
    if widening.is_empty() {
        return None;
    }
    if let Some(config) = widening.config().ok().filter(|config| counts(config)) {
        return config::unused_folders_note(&config.outside_folders).map(as_sentence);
    }
    let keys = widening.config().map(Config::widening_keys).unwrap_or_default();
    let keys =
        if keys.is_empty() { "The part that widens access".to_owned() } else { keys.join(", ") };
    let words = format!(
        "{keys} in the project's config has no effect: its current content is not trusted, or its \
         paths lead to other folders now. See `mere trust project`."
    );
    Some(words)
}

fn as_sentence(note: String) -> String {
    note + "."
}
