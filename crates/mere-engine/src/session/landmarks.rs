//! The folders that the gate keeps from the agents of a session.
//!
//! They are collected apart from the configuration that takes effect, because a folder that is
//! missing, switched off or not trusted is still a folder of this machine.

use std::sync::Arc;

use mere_core::gate::{Landmark, StandIn};

use crate::config;
use crate::world::{Context, MountedRoot};
use mere_host::{ConfigAuthor, NamedFolder, SPACE_FOLDER, WORKSPACES_FOLDER};

/// Collects the landmarks. If a folder is named twice, the first stand-in counts, so the roots that
/// agents know come first.
pub(super) fn collect(context: &Context, mods: &[MountedRoot]) -> Vec<Landmark> {
    let environment = &context.environment;
    let project = context.project().map(|project| environment.project_landmarks(project));
    let mut marks = project.unwrap_or_default();
    let workspaces = marks.iter().map(|mark| Landmark {
        path: format!("{}/{SPACE_FOLDER}/{WORKSPACES_FOLDER}", mark.path.trim_end_matches('/')),
        stand_in: StandIn::Workspaces,
    });
    let workspaces = workspaces.collect::<Vec<_>>();
    marks.extend(workspaces);
    let mounted = || mods.iter().filter_map(|one| Some((&one.root, one.folder.as_ref()?)));
    for (root, folder) in mounted() {
        marks.extend(folder.landmarks(&StandIn::Root(root.clone())));
    }
    marks.extend(environment.landmarks());
    for tree in context.project().into_iter().chain(mounted().map(|(_, folder)| folder)) {
        marks.extend(environment.git_landmarks(tree));
    }
    marks.extend(configured_landmarks(context));
    marks
}

/// Returns the landmarks of all folders that the configs name.
fn configured_landmarks(context: &Context) -> Vec<Landmark> {
    let environment = &context.environment;
    let user = environment.user_space().ok().flatten();
    let mut spaces = user.into_iter().map(|space| (space, ConfigAuthor::User)).collect::<Vec<_>>();
    let outer = context.outer.as_ref().map(|outer| &outer.folder);
    for project in context.project().into_iter().chain(outer) {
        let space = environment.project_space(project).ok().flatten().map(Arc::new);
        spaces.extend(space.map(|space| (space, ConfigAuthor::Repository)));
    }
    let project = context.project_folder();
    let mut marks = Vec::new();
    for (space, author) in &spaces {
        for text in config::read_named_folders(space.dir()) {
            let named = NamedFolder { text: &text, space, author: *author };
            marks.extend(environment.configured_landmarks(&named, project));
        }
    }
    marks
}
