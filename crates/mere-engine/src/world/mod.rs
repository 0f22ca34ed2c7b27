//! The set of roots one call can see, and the only way from a spoken path to a handle.
//!
//! [`World::resolve`] is the one maker of a [`VisibilityRef`]. It walks by directory handles, one
//! component at a time, so what was checked is what is opened; see
//! `docs/adr/0001-visibility-ref.md`.

mod discretion;
mod find;
mod hidden;
mod ignored;
mod list;
mod search;
mod sweep;
mod visibility;
mod walk;

use std::sync::Arc;

use cap_std::fs::Dir;
use mere_core::address::{Address, RelPath};
use mere_core::name::ModName;
use mere_core::root::Root;
use mere_core::spoken::Spoken;

pub(crate) use discretion::Discretion;
use discretion::Eyes;
pub(crate) use find::Bounds;
pub(crate) use hidden::Hidden;
pub(crate) use list::{Entry, Listing, LookError, go_on};
use mere_host::Folder;
pub(crate) use search::{Case, Hit, Key, Lens, Line, Query};
pub(crate) use sweep::{Gathered, Position, Weight};
pub use visibility::{Kind, VisibilityRef};
use walk::{Landing, Limits};

/// Why a path led nowhere.
#[derive(Debug, thiserror::Error)]
pub enum ResolveError {
    /// Outside, missing, or not to be seen: one answer for all.
    #[error("no such path in the visible world")]
    NotVisible,
    /// The operating system failed. The cause is for the log.
    #[error("a path could not be resolved")]
    Broken(#[source] std::io::Error),
}

/// A root that stands in this world.
#[derive(Clone)]
pub(crate) struct Standing {
    /// The root as answers print it.
    pub(crate) root: Root,
    /// The other name it answers to.
    pub(crate) id: Option<ModName>,
    /// The folder behind it; `None` while there is none, which reads as empty.
    pub(crate) folder: Option<Arc<Folder>>,
    /// The repository it lies in, and where: ignore files above the root count too.
    pub(crate) around: Option<(Arc<Folder>, RelPath)>,
}

impl Standing {
    /// Whether `said` names this root, by its name or its id.
    pub(crate) fn answers_to(&self, said: &Root) -> bool {
        let by_id = matches!((said, &self.id), (Root::Mod(said), Some(id)) if said == id);
        self.root == *said || by_id
    }
}

/// The roots of one call.
pub struct World {
    standing: Vec<Standing>,
    hidden: Hidden,
    discretion: Arc<Discretion>,
    /// What the person has confirmed for this call alone.
    once: Option<Address>,
}

impl World {
    pub(crate) fn new(
        standing: Vec<Standing>,
        hidden: Hidden,
        discretion: Arc<Discretion>,
    ) -> Self {
        Self { standing, hidden, discretion, once: None }
    }

    /// This world, where the person has confirmed one more path.
    pub(crate) fn confirming(self, address: Address) -> Self {
        Self { once: Some(address), ..self }
    }

    /// Turns a spoken path into the proof that it is there and may be seen.
    pub fn resolve(&self, path: &Spoken, home: &Root) -> Result<VisibilityRef, ResolveError> {
        let said = path.address(home);
        if !said.is_within_length_limit() {
            return Err(ResolveError::NotVisible);
        }
        let standing = self.standing(said.root()).ok_or(ResolveError::NotVisible)?;
        let root = standing.root.clone();
        let Some(folder) = &standing.folder else {
            let is_root = said.path().is_root();
            return if is_root {
                Ok(VisibilityRef::empty(root))
            } else {
                Err(ResolveError::NotVisible)
            };
        };
        if self.hidden.contains(folder.identity()) {
            return Err(ResolveError::NotVisible);
        }
        match walk::walk(folder.dir(), said.path(), self.limits(&root))? {
            Landing::Directory(dir) => {
                let address = Address::directory(root, said.path().clone());
                Ok(VisibilityRef::directory(address, dir, Arc::clone(folder.dir())))
            }
            Landing::File { parent, name, path } if !said.is_directory() => {
                let address = Address::file(root, said.path().clone());
                Ok(VisibilityRef::file(address, path, parent, name))
            }
            Landing::File { .. } => Err(ResolveError::NotVisible),
        }
    }

    /// The address a spoken path means, by the root's printed name; `None` if there is no such
    /// root. Touches no disk.
    pub(crate) fn address(&self, path: &Spoken, home: &Root) -> Option<Address> {
        let said = path.address(home);
        let root = self.standing(said.root())?.root.clone();
        Some(said.with_root(root))
    }

    /// Whether the calling agent has a workspace yet.
    pub(crate) fn has_workspace(&self) -> bool {
        self.standing(&Root::Workspace).is_some_and(|standing| standing.folder.is_some())
    }

    /// Whether an agent may know of something at this address, whether or not it is there.
    pub(crate) fn shows(&self, address: &Address) -> bool {
        let sight = self.limits(address.root()).eyes.path(address.path().as_str());
        address.is_within_length_limit() && sight.is_shown()
    }

    /// Whether a person has confirmed that what lies at `below` from a target may be shown as it
    /// is.
    pub(crate) fn confirms(&self, target: &VisibilityRef, below: &str) -> bool {
        let eyes = self.limits(target.address().root()).eyes;
        let real = target.real_path().as_str();
        let slash = if real.is_empty() || below.is_empty() { "" } else { "/" };
        eyes.confirms(&[real, slash, below].concat())
    }

    /// The same for a file of the workspace, which is never reached through a link.
    pub(crate) fn confirms_at(&self, address: &Address) -> bool {
        self.limits(address.root()).eyes.confirms(address.path().as_str())
    }

    fn limits<'a>(&'a self, root: &'a Root) -> Limits<'a> {
        let eyes = Eyes { discretion: &self.discretion, once: self.once.as_ref(), root };
        Limits { hidden: &self.hidden, eyes }
    }

    fn around(&self, root: &Root) -> Option<(&Dir, &RelPath)> {
        let (folder, path) = self.standing(root)?.around.as_ref()?;
        Some((folder.dir(), path))
    }

    fn standing(&self, root: &Root) -> Option<&Standing> {
        self.standing.iter().find(|standing| standing.answers_to(root))
    }
}
