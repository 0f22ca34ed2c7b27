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
    /// Its address, if every name in it can be part of one.
    pub address: Option<Address>,
    /// The address of the deepest part of the path that exists.
    pub existing: Option<Address>,
    /// The side of the project's boundaries on which it lies.
    pub boundary: Boundary,
    /// Whether it lies in one of the roots, even if a name in it cannot be part of an address.
    pub is_in_root: bool,
}

impl LocatedPath {
    fn outside(boundary: Boundary) -> Self {
        Self { address: None, existing: None, boundary, is_in_root: false }
    }

    /// Returns the address, or why there is none.
    pub fn into_address(self) -> Result<Address, NoAddress> {
        let reason = if self.is_in_root { NoAddress::Unaddressable } else { NoAddress::Outside };
        self.address.ok_or(reason)
    }
}

/// Why what a person typed has no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAddress {
    /// It lies in none of the roots.
    #[error("the path is outside the project")]
    Outside,
    /// It lies in a root, but a name in it cannot be part of an address, or it is too long.
    #[error("a name in the path cannot be part of an address")]
    Unaddressable,
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
            let folder = self.root_path(address.root(), (project, agent), extra);
            let existing = folder.and_then(|folder| existing_part(&folder, &address));
            return LocatedPath { address: Some(address), existing, boundary, is_in_root: true };
        }
        let Some(path) = typed
            .resolve_from(self.working_directory())
            .ok()
            .and_then(|path| weakly_canonicalize(&path))
        else {
            return LocatedPath::outside(Boundary::Outside);
        };
        if let Some(boundary) = self.windows_boundary(typed) {
            return LocatedPath::outside(boundary);
        }
        let roots = [
            (Root::Workspace, Boundary::Workspace),
            (Root::Project, Boundary::Project),
            (Root::User, Boundary::Outside),
        ];
        let mods = extra.iter().map(|(root, _)| (root.clone(), Boundary::Outside));
        for (root, boundary) in roots.into_iter().chain(mods) {
            let folder = self.root_path(&root, (project, agent), extra);
            let below = folder.as_ref().and_then(|folder| path.strip_prefix(folder).ok());
            if let Some((folder, below)) = folder.as_ref().zip(below) {
                let address = address(root, below, &path);
                let existing = address.as_ref().and_then(|address| existing_part(folder, address));
                return LocatedPath { address, existing, boundary, is_in_root: true };
            }
        }
        let is_system = is_in_system_folder(&path);
        LocatedPath::outside(if is_system { Boundary::System } else { Boundary::Outside })
    }

    /// Returns the path of a root's folder, which need not exist.
    fn root_path(
        &self,
        root: &Root,
        (project, agent): (Option<&Folder>, &AgentName),
        extra: &[(Root, Arc<Folder>)],
    ) -> Option<PathBuf> {
        let project = project.map(Folder::path);
        match root {
            Root::Project => project.map(Path::to_owned),
            Root::Workspace => {
                let workspaces = project?.join(SPACE_FOLDER).join("workspaces");
                Some(workspaces.join(agent.as_str()))
            }
            Root::User => self.user_space_path().and_then(|space| space.canonicalize().ok()),
            Root::Registry => None,
            Root::Mod(_) => {
                let folder = extra.iter().find(|(one, _)| one == root);
                folder.map(|(_, folder)| folder.path().to_owned())
            }
        }
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

/// Returns the address of the deepest part of a path that exists. A link counts, wherever it leads.
fn existing_part(folder: &Path, whole: &Address) -> Option<Address> {
    let mut path = whole.path().clone();
    loop {
        let place = folder.join(path.as_str());
        if place.symlink_metadata().is_ok() {
            let root = whole.root().clone();
            let is_folder = place.is_dir();
            return Some(if is_folder {
                Address::directory(root, path)
            } else {
                Address::file(root, path)
            });
        }
        (path, _) = path.split_last()?;
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
