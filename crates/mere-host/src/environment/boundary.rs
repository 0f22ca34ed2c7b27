//! Tells where a path that a person typed lies.
//!
//! A path lies in a folder if the folder's canonical path is a prefix of its own by whole
//! components.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use mere_core::address::{Address, AgentName, RelPath, Root, Segment};

use super::SPACE_FOLDER;
use super::system_folders::{is_in_system_folder, is_in_windows_system_folder, is_windows_path};
use crate::{Environment, Folder, TypedPath};

/// The side of the project's boundaries on which a path lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Boundary {
    /// Inside the agent's own workspace.
    Workspace,
    /// Inside the project.
    Project,
    /// In a folder that belongs to the system.
    System,
    /// Anywhere else.
    Outside,
}

/// A person's path with its address, if it has one, and its boundary.
pub struct LocatedPath {
    pub address: Option<Address>,
    pub boundary: Boundary,
}

impl Boundary {
    /// Returns its name in replies.
    pub fn name(self) -> &'static str {
        match self {
            Self::Workspace => "agent_workspace",
            Self::Project => "user_project",
            Self::System => "system_restricted",
            Self::Outside => "outside_boundaries",
        }
    }
}

impl Environment {
    /// Locates what a person typed. A relative path starts at the working directory. It may contain
    /// `..`: what counts is where it ends.
    pub fn locate_typed_path(
        &self,
        typed: &TypedPath,
        project: Option<&Folder>,
        agent: &AgentName,
        extra: &[(Root, Arc<Folder>)],
    ) -> LocatedPath {
        if let Some(address) = typed.parse_address() {
            let boundary = match address.root() {
                Root::Workspace => Boundary::Workspace,
                Root::Project => Boundary::Project,
                Root::User | Root::Registry | Root::Mod(_) => Boundary::Outside,
            };
            return LocatedPath { address: Some(address), boundary };
        }
        let Some(path) = typed
            .resolve_from(self.working_directory())
            .ok()
            .and_then(|path| weakly_canonicalize(&path))
        else {
            return LocatedPath { address: None, boundary: Boundary::Outside };
        };
        if let Some(boundary) = self.windows_boundary(typed) {
            return LocatedPath { address: None, boundary };
        }
        let project = project.map(Folder::path);
        let workspace =
            project.map(|path| path.join(SPACE_FOLDER).join("workspaces").join(agent.as_str()));
        let user = self.user_space_path().and_then(|space| space.canonicalize().ok());
        let roots = [
            (workspace, Root::Workspace, Boundary::Workspace),
            (project.map(Path::to_owned), Root::Project, Boundary::Project),
            (user, Root::User, Boundary::Outside),
        ];
        let extra = extra.iter().map(|(root, folder)| {
            (Some(folder.path().to_owned()), root.clone(), Boundary::Outside)
        });
        for (folder, root, boundary) in roots.into_iter().chain(extra) {
            let below =
                folder.and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
            if let Some(below) = below {
                let address = address(root, &below, &path);
                return LocatedPath { address, boundary };
            }
        }
        let is_system = is_in_system_folder(&path);
        let boundary = if is_system { Boundary::System } else { Boundary::Outside };
        LocatedPath { address: None, boundary }
    }

    /// Returns the boundary of a path of Windows that was typed elsewhere, unless it is by accident
    /// the name of a file here.
    fn windows_boundary(&self, typed: &TypedPath) -> Option<Boundary> {
        if cfg!(windows) {
            return None;
        }
        let text = typed.display_text();
        let here = typed.resolve_from(self.working_directory());
        if !is_windows_path(&text) || here.is_ok_and(|path| path.symlink_metadata().is_ok()) {
            return None;
        }
        let is_system = is_in_windows_system_folder(&text);
        Some(if is_system { Boundary::System } else { Boundary::Outside })
    }
}

/// Returns the canonical path, even of something that does not exist yet: the deepest existing
/// folder is resolved, and the rest must be plain names.
pub(crate) fn weakly_canonicalize(path: &Path) -> Option<PathBuf> {
    let (existing, there) = path
        .ancestors()
        .find_map(|folder| folder.canonicalize().ok().map(|canonical| (folder, canonical)))?;
    let rest = path.strip_prefix(existing).ok()?;
    let plain = rest.components().all(|part| matches!(part, Component::Normal(_)));
    plain.then(|| if rest.as_os_str().is_empty() { there } else { there.join(rest) })
}

/// Returns the address of the file or folder at `path`, which lies `below` the root.
fn address(root: Root, below: &Path, path: &Path) -> Option<Address> {
    let names = below.iter().map(|name| name.to_str()?.parse::<Segment>().ok());
    let inside = names.collect::<Option<RelPath>>()?;
    let address =
        if path.is_dir() { Address::directory(root, inside) } else { Address::file(root, inside) };
    address.is_within_length_limit().then_some(address)
}
