//! Checks the folders of a session: whether there is a project, and what the file systems that the
//! folders are on cannot do.

use mere_core::address::{Address, RelPath};

use super::{Finding, FindingState};
use crate::world::{Context, World};
use mere_host::{Folder, NameCase, Sharing};

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
