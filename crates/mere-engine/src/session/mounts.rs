//! The roots of one call, as the disk is now, and the folders that none of them shows.

use std::io;
use std::sync::Arc;

use mere_core::address::{AgentName, RelPath, Root};

use crate::world::{Context, HiddenFolders, MountedRoot};
use mere_host::{Folder, SPACE_FOLDER, WORKSPACES_FOLDER};

/// What the configuration adds to the roots that every call has.
pub(super) struct ConfiguredMounts<'a> {
    pub(super) mods: &'a [MountedRoot],
    /// The repository around the project, and where the project lies in it.
    pub(super) enclosing_repository: Option<(Arc<Folder>, RelPath)>,
}

/// Mounts the roots of a call by an agent. Without a project there is no workspace either.
pub(super) fn mount_roots(
    context: &Context,
    agent: &AgentName,
    configured: ConfiguredMounts<'_>,
) -> io::Result<(Vec<MountedRoot>, HiddenFolders)> {
    let ConfiguredMounts { mods, enclosing_repository } = configured;
    let mut hidden = context.environment.private_identities()?;
    let mut roots = Vec::new();
    if let Ok(project) = context.project() {
        let workspaces = workspaces(project)?;
        hidden.extend(workspaces.as_ref().map(Folder::identity));
        // The workspace is reached without following a link: a repository must not be able to
        // redirect an agent's writes.
        let workspace = match &workspaces {
            Some(folder) => folder.subfolder(agent.as_str())?.map(Arc::new),
            None => None,
        };
        let project = mount(Root::Project, Some(Arc::clone(project)));
        roots.push(MountedRoot { enclosing_repository, ..project });
        roots.push(mount(Root::Workspace, workspace));
    }
    let user = context.environment.user_space()?;
    if let Some(user) = &user {
        hidden.extend(user.subfolder(WORKSPACES_FOLDER)?.as_ref().map(Folder::identity));
    }
    roots.extend([mount(Root::User, user), mount(Root::Registry, None)]);
    roots.extend(mods.iter().cloned());
    // The workspaces of other projects' agents are hidden too.
    for folder in mods.iter().filter_map(|one| one.folder.as_ref()) {
        hidden.extend(self::workspaces(folder)?.as_ref().map(Folder::identity));
    }
    Ok((roots, HiddenFolders::new(hidden)))
}

/// Makes a root with one name.
pub(super) fn mount(root: Root, folder: Option<Arc<Folder>>) -> MountedRoot {
    MountedRoot { root, id: None, folder, enclosing_repository: None }
}

/// Returns the folder of a project's workspaces, if there is one.
fn workspaces(project: &Folder) -> io::Result<Option<Folder>> {
    project.subfolder(&format!("{SPACE_FOLDER}/{WORKSPACES_FOLDER}"))
}
