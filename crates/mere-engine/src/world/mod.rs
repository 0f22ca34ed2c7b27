//! The set of roots one call can see, and the only way from a spoken path to a handle.
//!
//! [`World::resolve`] is the one maker of a [`VisibilityRef`]. It walks by directory handles, one
//! component at a time, so what was checked is what is opened; see
//! `docs/adr/0001-visibility-ref.md`.

mod hidden;
mod list;
mod tree;
mod visibility;
mod walk;

use std::sync::Arc;

use mere_core::address::Address;
use mere_core::name::ModName;
use mere_core::root::Root;
use mere_core::spoken::Spoken;

use crate::host::Folder;
pub(crate) use hidden::Hidden;
pub(crate) use list::{Entry, Listing, LookError};
pub(crate) use tree::{Bounds, Branches};
pub use visibility::{Kind, VisibilityRef};
use walk::Landing;

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
}

impl World {
    pub(crate) fn new(standing: Vec<Standing>, hidden: Hidden) -> Self {
        Self { standing, hidden }
    }

    /// Turns a spoken path into the proof that it is there and may be seen.
    pub fn resolve(&self, path: &Spoken, home: &Root) -> Result<VisibilityRef, ResolveError> {
        let said = path.address(home);
        if !said.is_speakable() {
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
        match walk::walk(folder.dir(), said.path(), &self.hidden)? {
            Landing::Directory(dir) => {
                let address = Address::directory(root, said.path().clone());
                Ok(VisibilityRef::directory(address, dir, Arc::clone(folder.dir())))
            }
            Landing::File if !said.is_directory() => {
                Ok(VisibilityRef::file(Address::file(root, said.path().clone())))
            }
            Landing::File => Err(ResolveError::NotVisible),
        }
    }

    pub(crate) fn hidden(&self) -> &Hidden {
        &self.hidden
    }

    fn standing(&self, root: &Root) -> Option<&Standing> {
        self.standing.iter().find(|standing| standing.answers_to(root))
    }
}
