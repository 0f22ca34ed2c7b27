//! All stores of a session, and which of them is served.
//!
//! A store is served if calls about categories and memories are about it; there is at most one.

use std::io;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mere_core::address::{Address, ModName, RelPath, Root};
use mere_core::category::{CategoryMode, CategoryOwner, CategoryRules, Hierarchy};
use mere_core::item::{ItemType, Scope};

use super::sync::{category_address, create_categories};
use super::{FolderAccess, Store, StoreError};
use crate::world::{Context, MountedRoot};
use mere_host::SPACE_FOLDER;

/// Every store: first those of the project, then the user's, each in the order of its file.
pub(crate) struct Stores {
    all: Vec<Store>,
    /// The user's own notes, which are also searched where no store is configured.
    user_fallback: Store,
    served: ServedStore,
}

/// Which store is served.
#[derive(Clone, Debug)]
pub(crate) enum ServedStore {
    /// The first one.
    First,
    /// The one that a configuration or the operator names.
    Named(ModName),
    /// None, because the project's configuration would put a less strict store in the place of the
    /// one that was served before.
    Withheld(UnavailableStore),
}

/// Why no store is served.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoServedStore {
    #[error(transparent)]
    Unknown(#[from] UnknownStore),
    #[error(transparent)]
    Unavailable(#[from] UnavailableStore),
}

/// A store that the configuration names and that cannot be served now. No other store takes its
/// place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the store `{name}` {reason}")]
pub(crate) struct UnavailableStore {
    pub(crate) name: ModName,
    pub(crate) reason: UnavailableReason,
}

/// Why a store cannot be served.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum UnavailableReason {
    #[error("lies outside the project and awaits trust: `mere trust project` shows it")]
    AwaitsTrust,
    #[error("lies outside the project, and `--no-mods` switches it off")]
    SwitchedOff,
    #[error(
        "was served in '{0}' mode, and the project's config would serve a less strict store in its \
         place: `mere trust project` shows the change"
    )]
    Replaced(CategoryMode),
}

/// The requested store is not configured.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no store is called `{name}`")]
pub(crate) struct UnknownStore {
    pub(crate) name: ModName,
    /// The names of the stores that are configured.
    pub(crate) known: Vec<ModName>,
}

impl Default for Stores {
    fn default() -> Self {
        Self::new(Vec::new(), ServedStore::First)
    }
}

impl Stores {
    /// Takes all stores, and which one is served.
    pub(crate) fn new(all: Vec<Store>, served: ServedStore) -> Self {
        Self { all, user_fallback: unconfigured_store(Scope::User), served }
    }

    /// Returns the same stores, of which another one is served.
    #[must_use]
    pub(super) fn with_served(self, served: ServedStore) -> Self {
        Self { served, ..self }
    }

    /// Returns every configured store, also those that cannot be served.
    pub(crate) fn all(&self) -> &[Store] {
        &self.all
    }

    /// Returns the store that calls are about.
    pub(crate) fn served_store(&self) -> Result<&Store, NoServedStore> {
        let found = match &self.served {
            ServedStore::Withheld(store) => return Err(store.clone().into()),
            ServedStore::Named(name) => self.find(name),
            ServedStore::First => self.all.first(),
        };
        let store = found.ok_or_else(|| self.unknown_store())?;
        match store.unavailable_reason() {
            Some(reason) => Err(UnavailableStore { name: store.name.clone(), reason }.into()),
            None => Ok(store),
        }
    }

    /// Returns true if there is a store that calls can be about.
    pub(crate) fn can_serve(&self) -> bool {
        let is_there = |store: &Store| !matches!(store.folder_access, FolderAccess::Missing);
        self.served_store().is_ok_and(is_there)
    }

    /// Returns the store of a name. One that can be served comes before one that cannot.
    fn find(&self, name: &ModName) -> Option<&Store> {
        let named = || self.all.iter().filter(|store| store.name == *name);
        named().find(|store| store.unavailable_reason().is_none()).or_else(|| named().next())
    }

    fn unknown_store(&self) -> UnknownStore {
        let name = match &self.served {
            ServedStore::Named(name) => name.clone(),
            ServedStore::First | ServedStore::Withheld(_) => ModName::default_store(),
        };
        UnknownStore { name, known: self.available_names() }
    }

    /// Returns the names of the stores that can be served.
    pub(crate) fn available_names(&self) -> Vec<ModName> {
        let available = self.all.iter().filter(|store| store.unavailable_reason().is_none());
        available.map(|store| store.name.clone()).collect()
    }

    /// Returns the stores that lie outside the project and the user's space, as roots of the world.
    pub(crate) fn mounted_roots(&self) -> Vec<MountedRoot> {
        let elsewhere = self.all.iter().filter_map(|store| match &store.folder_access {
            FolderAccess::Outside(folder) => Some(MountedRoot {
                root: Root::Mod(store.name.clone()),
                id: None,
                folder: Some(Arc::clone(folder)),
                enclosing_repository: None,
            }),
            _ => None,
        });
        elsewhere.collect()
    }

    /// Returns the stores in which `load` finds memories: the served one and, where none is
    /// configured, also the user's own notes, like all of the user's items.
    pub(crate) fn stores_to_search(&self) -> Vec<&Store> {
        let Ok(served) = self.served_store() else { return Vec::new() };
        let own = (!served.is_configured && served.scope == Scope::Project)
            .then_some(&self.user_fallback);
        [served].into_iter().chain(own).collect()
    }

    /// Returns the category mode of the served store. If no store can be served, the answer is the
    /// strictest mode.
    pub(crate) fn served_mode(&self) -> CategoryMode {
        self.served_store().map_or(CategoryMode::Strict, |store| store.rules.mode())
    }
}

impl Stores {
    /// Creates the configured categories of every store, and returns those that were missing. A
    /// store that fails does not keep the others from getting their categories; the first error is
    /// returned.
    pub(crate) fn create_categories(&self, context: &Context) -> Result<Vec<Address>, StoreError> {
        let mut all = Vec::new();
        let mut failed = None;
        for store in self.all.iter().filter(|store| store.unavailable_reason().is_none()) {
            match store.create_categories(context) {
                Ok(made) => all.extend(made),
                Err(cause) => {
                    let name = store.name.clone();
                    failed = failed.or(Some(match (cause.kind(), &store.folder_access) {
                        (io::ErrorKind::TimedOut, _) => StoreError::LockTimeout(name),
                        (_, FolderAccess::Missing) => StoreError::NoFolder(name),
                        _ => StoreError::WriteFailed { store: name, cause },
                    }));
                }
            }
        }
        failed.map_or(Ok(all), Err)
    }
}

/// How long to wait for the lock of a store when the caller sets no limit.
const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// Returns a closure that tells whether [`LOCK_TIMEOUT`] has passed since this call.
pub(super) fn lock_timeout() -> impl Fn() -> bool {
    let began = Instant::now();
    move || began.elapsed() > LOCK_TIMEOUT
}

impl Store {
    /// Returns why the store cannot be served, if it cannot.
    pub(crate) fn unavailable_reason(&self) -> Option<UnavailableReason> {
        match self.folder_access {
            FolderAccess::AwaitsTrust => Some(UnavailableReason::AwaitsTrust),
            FolderAccess::SwitchedOff => Some(UnavailableReason::SwitchedOff),
            FolderAccess::Inside | FolderAccess::Outside(_) | FolderAccess::Missing => None,
        }
    }

    /// Creates the configured categories, and returns the addresses of those that were missing.
    pub(crate) fn create_categories(&self, context: &Context) -> io::Result<Vec<Address>> {
        if self.rules.hierarchy().is_empty() {
            return Ok(Vec::new());
        }
        let folder = self.make_folder(context)?;
        let made = create_categories(&folder, self.rules.hierarchy(), &lock_timeout())?;
        Ok(made.iter().filter_map(|category| category_address(&self.address, category)).collect())
    }
}

/// Returns the store that exists if none is configured.
pub(super) fn fallback_store(context: &Context) -> Store {
    let has_project_space = context.project().is_ok() && !context.is_home();
    unconfigured_store(if has_project_space { Scope::Project } else { Scope::User })
}

/// Returns the store of a scope for which there is no configuration.
fn unconfigured_store(scope: Scope) -> Store {
    let folder = ItemType::Memory.folder();
    let (root, path) = if scope == Scope::User {
        (Root::User, RelPath::default().child(folder))
    } else {
        let path = RelPath::default().child(SPACE_FOLDER).and_then(|space| space.child(folder));
        (Root::Project, path)
    };
    Store {
        name: ModName::default_store(),
        scope,
        description: String::new(),
        rules: CategoryRules::new(CategoryOwner::Store, CategoryMode::Free, Hierarchy::default()),
        address: Address::directory(root, path.unwrap_or_default()),
        folder_access: FolderAccess::Inside,
        is_configured: false,
    }
}
