//! Checks the folders of a session: whether there is a project, and what the file systems that the
//! folders are on cannot do.

use mere_core::address::{Address, RelPath};

use super::{Finding, FindingState};
use crate::world::{Context, World};
use mere_host::{Folder, NameCase, Sharing, Workspace};

/// Says whether there is a project.
pub(super) fn check_project(context: &Context) -> Vec<Finding> {
    let Some(refusal) = context.refusal() else { return Vec::new() };
    let finding = Finding::new("project", FindingState::Note, "there is no project");
    vec![finding.with_fix(refusal)]
}

/// Names every folder on a file system that is shared, cannot be written, or ignores case.
pub(super) fn check_file_systems(world: &World, context: &Context) -> Vec<Finding> {
    let mut found = Vec::new();
    for (root, folder) in world.mounted_folders() {
        let address = Address::directory(root.clone(), RelPath::default());
        let findings = check_folder(folder).into_iter();
        found.extend(findings.map(|one| one.with_address(Some(address.clone()))));
    }
    if let Some(cache) = context.environment.cache_folder() {
        let shared = cache.file_system().ok().and_then(|found| found.shared);
        found.extend(shared.map(|(name, _)| {
            let what = format!(
                "your cache folder is on {name}: indexes there may be slow, or damaged by another \
                 machine; they are made again when that is noticed"
            );
            Finding::new("disk", FindingState::Note, what)
                .with_fix("Set `XDG_CACHE_HOME` to a folder on a local disk.")
        }));
    }
    found
}

/// Disarms the repositories in the workspaces, and names them.
pub(super) fn check_workspaces(context: &Context) -> Vec<Finding> {
    let Ok(base) = context.workspaces_base() else { return Vec::new() };
    let mut found = Vec::new();
    for agent in Workspace::list_agents(&base).unwrap_or_default() {
        let Ok(Some(folder)) = Workspace::folder_of(&base, &agent) else { continue };
        let report = Workspace::disarm(&folder);
        found.extend(report.disarmed.iter().map(|one| {
            let fate = match &one.to {
                Some(to) => format!("was renamed to `{to}`"),
                None => "was deleted".to_owned(),
            };
            let what = format!("`{}` of {agent} looked like a repository and {fate}", one.from);
            Finding::new("workspaces", FindingState::Fixed, what)
        }));
        found.extend(report.left.iter().map(|left| {
            let what = format!("`{left}` of {agent} may be a repository, and cannot be renamed");
            Finding::new("workspaces", FindingState::Wrong, what).with_fix(format!(
                "Run no git there; see who owns it, and delete it: {}",
                folder.display_path()
            ))
        }));
    }
    found
}

fn check_folder(folder: &Folder) -> Vec<Finding> {
    let note = |what: String| Finding::new("disk", FindingState::Note, what);
    let file_system = match folder.file_system() {
        Ok(file_system) => file_system,
        Err(cause) => return vec![note(format!("its file system cannot be examined: {cause}"))],
    };
    let mut found = Vec::new();
    if let Some((name, sharing)) = file_system.shared {
        let kind = match sharing {
            Sharing::Network => format!("is on a network file system ({name})"),
            Sharing::Fuse => "is on a FUSE file system".to_owned(),
        };
        found.push(note(format!(
            "{kind}: changes made elsewhere are not reported, so it is polled at every call \
             instead of watched, and locks may not hold against other machines"
        )));
    }
    if file_system.is_read_only {
        found.push(note(
            "is on a read-only file system: nothing in it can be written, signed or remembered"
                .to_owned(),
        ));
    }
    if file_system.case == Some(NameCase::Insensitive) {
        found.push(note(
            "is on a file system that ignores upper and lower case: two spellings are one file, \
             and names that differ only in case cannot be kept apart"
                .to_owned(),
        ));
    }
    found
}
