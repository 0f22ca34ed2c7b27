//! `mere where`: where everything is, for the person who runs it. It names host paths.

use mere_core::name::AgentName;

use crate::config::{self, Widening};
use crate::context::Context;
use crate::host::{Boundary, Folder, Surroundings, Typed};
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
    let context = Context::find(project, directory)?;
    let named = context.surroundings.agent().and_then(|name| name.ok()?.parse().ok());
    let agent = agent.or(named).unwrap_or_default();
    let place = path.map(|typed| place(&context.surroundings, &context.project, &agent, typed));
    let mut notes = notes(&context);
    if place.as_ref().is_some_and(|place| place.boundary == Boundary::System.name()) {
        notes.push("The path is the system's: no agent can be let in there.".to_owned());
    }
    Ok(Whereabouts {
        project_dir: context.project.shown(),
        agent_workspace: context.workspace_shown(&agent),
        working_dir: context.surroundings.working_shown(),
        user_space: context.surroundings.user_space_shown(),
        found_by: context.found_by,
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

fn notes(context: &Context) -> Vec<String> {
    let mut notes = Vec::new();
    if let Some(folder) = &context.ended_at {
        notes.push(format!(
            "The search upwards ended at a mount or at a folder of another owner: {folder}"
        ));
    }
    if let Some(outer) = &context.outer {
        notes.push(format!("The project around it is readable as mod:{}:/.", outer.name));
    }
    let user = context.surroundings.user_space().map_err(config::unreadable);
    let user =
        user.and_then(|space| space.map_or(Ok(()), |space| config::of_user(space.dir()).map(drop)));
    notes.extend(user.err().map(|error| error.to_string()));
    let Some(space) = context.space().ok().flatten() else { return notes };
    match config::of_project(space.dir()) {
        Err(error) => notes.push(error.to_string()),
        Ok(config) => notes.extend(untrusted(context, &space, &config.widening)),
    }
    notes
}

/// What is said about a config that would widen if a person trusted it.
fn untrusted(context: &Context, space: &Folder, widening: &Widening) -> Option<String> {
    let counts = |said| trust::covers(&context.surroundings, &context.project, space, said);
    if widening.is_empty() || widening.said().is_ok_and(counts) {
        return None;
    }
    let words = "`mods`, `visible` and `projects` of the project's config do not count: see \
        `mere trust project`.";
    Some(words.to_owned())
}
