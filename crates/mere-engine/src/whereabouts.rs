//! `mere where`: where everything is, for the person who runs it. It names host paths.

use mere_core::name::AgentName;

use crate::config;
use crate::host::{Boundary, Folder, Found, SPACE, Surroundings, Typed, find_project};
use crate::session::OpenError;
use crate::trust;

/// What a person is told.
pub struct Whereabouts {
    /// The project root.
    pub project_dir: String,
    /// The flag, the variable or the marker that found it.
    pub found_by: String,
    /// Where the command runs.
    pub working_dir: String,
    /// The agent's workspace, which need not be there yet.
    pub agent_workspace: String,
    /// The user space, which need not be there either.
    pub user_space: Option<String>,
    /// A path the person asked about.
    pub path: Option<Place>,
    /// What else the person should know.
    pub notes: Vec<String>,
}

/// A path a person asked about.
pub struct Place {
    /// As it was typed.
    pub input: String,
    /// Its address, if it has one.
    pub address: Option<String>,
    /// `agent_workspace`, `user_project`, `system_restricted` or `outside_boundaries`.
    pub boundary: &'static str,
}

/// Finds everything, and places a path.
pub fn whereabouts(
    project: Option<&Typed>,
    directory: Option<&Typed>,
    agent: Option<AgentName>,
    path: Option<&Typed>,
) -> Result<Whereabouts, OpenError> {
    let surroundings = Surroundings::read(directory).map_err(OpenError::Surroundings)?;
    let markers = config::project_markers(&surroundings);
    let found = find_project(&surroundings, project, &markers)
        .map_err(|error| OpenError::Project(error.to_string()))?;
    let named = surroundings.agent().and_then(|name| name.ok()?.parse().ok());
    let agent = agent.or(named).unwrap_or_default();
    let place = path.map(|typed| place(&surroundings, &found.folder, &agent, typed));
    let mut notes = notes(&surroundings, &found);
    if place.as_ref().is_some_and(|place| place.boundary == Boundary::System.name()) {
        notes.push("The path is the system's: no agent can be let in there.".to_owned());
    }
    let project_dir = found.folder.shown();
    Ok(Whereabouts {
        agent_workspace: format!("{project_dir}/{SPACE}/workspaces/{agent}"),
        project_dir,
        found_by: found.by,
        working_dir: surroundings.working_shown(),
        user_space: surroundings.user_space_shown(),
        path: place,
        notes,
    })
}

fn place(surroundings: &Surroundings, project: &Folder, agent: &AgentName, typed: &Typed) -> Place {
    let seen = surroundings.place(typed, project, agent);
    Place {
        input: typed.shown(),
        address: seen.address.map(|address| address.to_string()),
        boundary: seen.boundary.name(),
    }
}

fn notes(surroundings: &Surroundings, found: &Found) -> Vec<String> {
    let mut notes = Vec::new();
    if found.stopped_at.is_some() {
        let words = "The search upwards ended at a mount or at a folder of another owner.";
        notes.push(words.to_owned());
    }
    let user = surroundings.user_space().map_err(config::unreadable);
    let user =
        user.and_then(|space| space.map_or(Ok(()), |space| config::of_user(space.dir()).map(drop)));
    notes.extend(user.err().map(|error| error.to_string()));
    let space = surroundings.project_space(&found.folder).ok().flatten();
    if let Some(space) = space {
        match config::of_project(space.dir()) {
            Err(error) => notes.push(error.to_string()),
            Ok(widening) => {
                let counts = widening.said().is_ok_and(|said| {
                    said.mods.is_empty() || trust::covers(surroundings, &found.folder, &space, said)
                });
                if !counts {
                    let words =
                        "`mods` of the project's config do not count: see `mere trust project`.";
                    notes.push(words.to_owned());
                }
            }
        }
    }
    notes
}
