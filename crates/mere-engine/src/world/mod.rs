//! The set of roots that one call can see, and the only way from a spoken path to a handle.
//!
//! Only [`World::resolve`] makes a [`VisibilityRef`]. It walks by directory handles, one component
//! at a time, so what was checked is what is opened; see `docs/adr/0001-visibility-ref.md`.

mod context;
mod error;
mod find;
mod grep;
mod hidden;
mod ignore;
mod key_watch;
mod list;
mod no_project;
mod omitted;
mod open_error;
mod operator_choice;
mod project_survey;
mod sensitivity;
mod sweep;
mod twin_memory;
mod twins;
mod visibility;
mod walk;

use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, ModName, RelPath, Root, Spoken};

use crate::policy::{RunLimits, RunPermit};
pub(crate) use context::Context;
pub(crate) use error::WorldError;
pub(crate) use find::SweepBounds;
pub(crate) use grep::{Case, GrepQuery, LineContext, LineMatch, LineRenderer, ShownLine};
pub(crate) use hidden::HiddenFolders;
pub(crate) use key_watch::PrivateKeyContext;
pub(crate) use list::{DirEntry, Listing, TraversalError, check_active};
use mere_host::Folder;
pub(crate) use no_project::NoProject;
pub(crate) use omitted::Omitted;
pub use open_error::OpenError;
pub use operator_choice::Mods;
pub(crate) use operator_choice::OperatorChoice;
pub(crate) use project_survey::SurveyError;
pub(crate) use sensitivity::SensitivityRules;
use sensitivity::VisibilityRules;
pub(crate) use sweep::{Position, SweepPage, Weight, join_path};
pub(crate) use twin_memory::SettledTwins;
use twin_memory::TwinMemory;
pub(crate) use twins::TwinNames;
pub use visibility::{PathKind, VisibilityRef};
use walk::{Landing, Limits};

/// Why a path could not be resolved.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// The path is outside, missing, or hidden: there is one answer for all three.
    #[error("no such path in the visible world")]
    NotVisible,
    /// The operating system failed. The cause is for the log.
    #[error("a path could not be resolved")]
    Io(#[source] std::io::Error),
}

/// A root that is part of this world.
#[derive(Clone)]
pub(crate) struct MountedRoot {
    /// The root as replies print it.
    pub(crate) root: Root,
    /// The other name by which it can be addressed.
    pub(crate) id: Option<ModName>,
    /// The folder behind it. A root without a folder reads as empty.
    pub(crate) folder: Option<Arc<Folder>>,
    /// The repository it lies in, and its path there: ignore files above the root count too.
    pub(crate) enclosing_repository: Option<(Arc<Folder>, RelPath)>,
}

impl MountedRoot {
    /// Checks whether `root` names this root, by its name or its id.
    pub(crate) fn has_name(&self, root: &Root) -> bool {
        let by_id = matches!((root, &self.id), (Root::Mod(root), Some(id)) if root == id);
        self.root == *root || by_id
    }
}

/// The roots that are visible in one call.
pub struct World {
    roots: Vec<MountedRoot>,
    hidden: HiddenFolders,
    sensitivity: Arc<SensitivityRules>,
    /// The address that the person has confirmed for this call alone.
    confirmed_once: Option<Address>,
    twins: TwinMemory,
    run: RunScope,
}

/// What the run of a directive shows of a world.
#[derive(Default)]
struct RunScope {
    /// The limits of what the call sees.
    reads: Option<Arc<RunLimits>>,
    /// The limits of what a tool sees of the project and may propose to change.
    tools: Option<Arc<RunLimits>>,
}

impl World {
    pub(crate) fn new(
        roots: Vec<MountedRoot>,
        hidden: HiddenFolders,
        sensitivity: Arc<SensitivityRules>,
    ) -> Self {
        let (twins, run) = (TwinMemory::default(), RunScope::default());
        Self { roots, hidden, sensitivity, confirmed_once: None, twins, run }
    }

    /// Returns what of this world a call may see.
    #[must_use]
    pub(crate) fn within_run(self, permit: &RunPermit) -> Self {
        let run =
            RunScope { reads: permit.read_limits().cloned(), tools: permit.tool_limits().cloned() };
        Self { run, ..self }
    }

    /// Uses what earlier calls of the session learned about names that look alike.
    #[must_use]
    pub(crate) fn with_settled_twins(self, settled: Arc<SettledTwins>) -> Self {
        Self { twins: TwinMemory::new(settled), ..self }
    }

    /// Returns this world with one more path confirmed by the person.
    pub(crate) fn with_confirmed(self, address: Address) -> Self {
        Self { confirmed_once: Some(address), ..self }
    }

    /// Resolves a spoken path to the proof that it exists and may be seen.
    pub fn resolve(&self, path: &Spoken, home: &Root) -> Result<VisibilityRef, ResolveError> {
        let address = path.address(home);
        if !address.is_within_length_limit() {
            return Err(ResolveError::NotVisible);
        }
        let mounted = self.find_root(address.root()).ok_or(ResolveError::NotVisible)?;
        let root = mounted.root.clone();
        let Some(folder) = &mounted.folder else {
            let is_root = address.path().is_root();
            return if is_root {
                Ok(VisibilityRef::empty(root))
            } else {
                Err(ResolveError::NotVisible)
            };
        };
        if self.hidden.contains(folder.identity()) {
            return Err(ResolveError::NotVisible);
        }
        match walk::walk(folder.dir(), address.path(), self.limits(&root))? {
            Landing::Directory(dir) => {
                let address = Address::directory(root, address.path().clone());
                Ok(VisibilityRef::directory(address, dir, Arc::clone(folder.dir())))
            }
            Landing::File { parent, name, path } if !address.is_directory() => {
                let address = Address::file(root, address.path().clone());
                Ok(VisibilityRef::file(address, path, parent, name))
            }
            Landing::File { .. } => Err(ResolveError::NotVisible),
        }
    }

    /// Returns the address that a spoken path means, with the root's printed name; `None` if there
    /// is no such root. Does not touch the disk.
    pub(crate) fn address(&self, path: &Spoken, home: &Root) -> Option<Address> {
        let address = path.address(home);
        let root = self.find_root(address.root())?.root.clone();
        Some(address.with_root(root))
    }

    /// Returns the roots that have a folder.
    pub(crate) fn mounted_folders(&self) -> impl Iterator<Item = (&Root, &Folder)> {
        self.roots.iter().filter_map(|one| Some((&one.root, one.folder.as_deref()?)))
    }

    /// Checks whether the calling agent has a workspace yet.
    pub(crate) fn has_workspace(&self) -> bool {
        self.find_root(&Root::Workspace).is_some_and(|mounted| mounted.folder.is_some())
    }

    /// Checks whether an agent may know of something at this address, whether or not it exists.
    pub(crate) fn may_show(&self, address: &Address) -> bool {
        let visibility =
            self.limits(address.root()).visibility.path_visibility(address.path().as_str());
        address.is_within_length_limit() && visibility.is_shown()
    }

    /// Checks the same as [`Self::may_show`] for an agent that no run limits, for what is kept for
    /// later calls.
    pub(crate) fn may_show_outside_runs(&self, address: &Address) -> bool {
        let limits = self.limits(address.root());
        let rules = VisibilityRules { run: None, ..limits.visibility };
        address.is_within_length_limit()
            && rules.path_visibility(address.path().as_str()).is_shown()
    }

    /// Checks whether an agent would see more of a file at the path `to` of a root than at `from`.
    pub(crate) fn shows_more(&self, root: &Root, from: &str, to: &str) -> bool {
        let rules = self.limits(root).visibility;
        let is_shown = |path: &str| rules.path_visibility(path).is_shown();
        is_shown(to) && !is_shown(from) || rules.is_confirmed(to) && !rules.is_confirmed(from)
    }

    /// Checks whether a person has confirmed that what lies at `below` from a target may be shown
    /// without masking.
    pub(crate) fn is_confirmed(&self, target: &VisibilityRef, below: &str) -> bool {
        let rules = self.limits(target.address().root()).visibility;
        let real = target.real_path().as_str();
        let slash = if real.is_empty() || below.is_empty() { "" } else { "/" };
        rules.is_confirmed(&[real, slash, below].concat())
    }

    /// Checks the same for an address as it is spoken. Links on the way are not followed, so use it
    /// only where the path has none.
    pub(crate) fn is_confirmed_at(&self, address: &Address) -> bool {
        self.limits(address.root()).visibility.is_confirmed(address.path().as_str())
    }

    fn limits<'a>(&'a self, root: &'a Root) -> Limits<'a> {
        let visibility = VisibilityRules {
            sensitivity: &self.sensitivity,
            confirmed_once: self.confirmed_once.as_ref(),
            run: self.run.reads.as_deref(),
            root,
        };
        // A tool can make links in the workspace, so there they must not confirm a guess.
        let link_base = (*root != Root::Workspace).then(|| self.find_root(root)).flatten();
        let link_base = link_base.and_then(|mounted| mounted.folder.as_deref());
        Limits { hidden: &self.hidden, visibility, twins: &self.twins, link_base }
    }

    /// Returns the limits of what a tool may see of the project.
    fn tool_limits<'a>(&'a self, root: &'a Root) -> Limits<'a> {
        let limits = self.limits(root);
        let run = self.run.tools.as_deref();
        Limits { visibility: VisibilityRules { run, ..limits.visibility }, ..limits }
    }

    fn enclosing_repository(&self, root: &Root) -> Option<(&Dir, &RelPath)> {
        let (folder, path) = self.find_root(root)?.enclosing_repository.as_ref()?;
        Some((folder.dir(), path))
    }

    fn find_root(&self, root: &Root) -> Option<&MountedRoot> {
        self.roots.iter().find(|mounted| mounted.has_name(root))
    }
}
