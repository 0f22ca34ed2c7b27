//! Everything that a call can find items in: the spaces as they are now, their catalogs, and the
//! stores of memories.

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath};

use crate::memory::MemorySource;
use crate::space::{Catalog, CatalogEntry, OrphanedSidecar, Space};
use mere_host::reset_poisoned;

/// The catalogs of a session. Each is opened when it is first needed.
#[derive(Default)]
pub(crate) struct Catalogs {
    open_catalogs: Mutex<Vec<Catalog>>,
    is_watching: AtomicBool,
}

impl Catalogs {
    /// Lets every catalog that is opened from now on watch its files for changes, since the session
    /// will last.
    pub(crate) fn enable_watching(&self) {
        self.is_watching.store(true, Ordering::Relaxed);
    }

    /// Rewrites the index files for which that is worthwhile. A failure is left for the next
    /// attempt.
    pub(crate) fn rewrite_stale_indexes(&self) {
        for catalog in self.lock().iter_mut() {
            if let Err(error) = catalog.rewrite_if_worthwhile() {
                tracing::debug!(%error, "an index file could not be rewritten");
            }
        }
    }

    /// Returns a number that changes whenever items of a space that is in use may have changed.
    pub(crate) fn revision(&self) -> u64 {
        self.lock().iter().map(Catalog::revision).sum()
    }

    fn with_catalog<T>(
        &self,
        space: &Space,
        ask: impl FnOnce(&mut Catalog) -> io::Result<T>,
    ) -> io::Result<T> {
        let mut open = self.lock();
        if let Some(catalog) = open.iter_mut().find(|catalog| catalog.belongs_to(space)) {
            return ask(catalog);
        }
        let mut catalog = Catalog::open(space.clone())?;
        if self.is_watching.load(Ordering::Relaxed) {
            catalog.start_watching()?;
        }
        open.retain(|one| one.scope() != space.scope);
        let answer = ask(&mut catalog);
        catalog.expire_check();
        open.push(catalog);
        answer
    }

    /// Locks the catalogs. Those that a call was changing when it panicked are read again.
    fn lock(&self) -> MutexGuard<'_, Vec<Catalog>> {
        let open = self.open_catalogs.lock();
        open.unwrap_or_else(|poisoned| reset_poisoned(&self.open_catalogs, poisoned))
    }
}

/// The spaces of one call, in order of precedence, and the stores in which memories are found.
pub(crate) struct ItemSources<'a> {
    spaces: Vec<Space>,
    catalogs: &'a Catalogs,
    memory_sources: Vec<MemorySource<'a>>,
    /// The sidecars without an item, as they were when this call first asked for them.
    orphans: Mutex<Vec<(Scope, Arc<[OrphanedSidecar]>)>>,
}

impl<'a> ItemSources<'a> {
    pub(crate) fn new(
        spaces: Vec<Space>,
        catalogs: &'a Catalogs,
        memory_sources: Vec<MemorySource<'a>>,
    ) -> Self {
        Self { spaces, catalogs, memory_sources, orphans: Mutex::default() }
    }

    pub(crate) fn spaces(&self) -> &[Space] {
        &self.spaces
    }

    /// Returns the folders whose items are used in place, relative to the project.
    pub(crate) fn in_place_folders(&self) -> Vec<String> {
        let spaces = self.spaces.iter();
        spaces.flat_map(|space| space.in_place().map(ToString::to_string)).collect()
    }

    /// Returns the space of a scope.
    pub(crate) fn space(&self, scope: Scope) -> Option<&Space> {
        self.spaces.iter().find(|space| space.scope == scope)
    }

    /// Returns every item in one scope that a reference can mean.
    pub(crate) fn candidates(
        &self,
        scope: Scope,
        kind: ItemType,
        item: &ItemRef,
    ) -> io::Result<Vec<ScopedPath>> {
        if kind == ItemType::Memory {
            let own = self.memory_source(scope).filter(|_| item.version.is_none());
            return own.map_or(Ok(Vec::new()), |own| own.candidates(item));
        }
        let Some(space) = self.space(scope) else { return Ok(Vec::new()) };
        let mut found = match &item.category {
            Some(category) => space.find_in_category(kind, category, item)?,
            None => {
                self.catalogs.with_catalog(space, |catalog| catalog.find(kind, Some(&item.id)))?
            }
        };
        if let Some(version) = &item.version {
            found.retain(|place| place.version.as_ref() == Some(version));
        }
        Ok(found)
    }

    /// Returns whether there is an item at a place.
    pub(crate) fn exists(&self, place: &ScopedPath) -> io::Result<bool> {
        let category = Some(place.category.clone());
        let item = ItemRef { category, id: place.id.clone(), version: place.version.clone() };
        Ok(self.candidates(place.scope, place.kind, &item)?.contains(place))
    }

    /// Returns every item of a type in one scope. Memories are not indexed.
    pub(crate) fn items_of_type(
        &self,
        scope: Scope,
        kind: ItemType,
    ) -> io::Result<Vec<ScopedPath>> {
        let found = self.with_catalog_of(scope, |catalog| catalog.find(kind, None))?;
        Ok(found.unwrap_or_default())
    }

    /// Returns every memory in the store of this scope, if it has one in which memories are found.
    pub(crate) fn memories(&self, scope: Scope) -> io::Result<Vec<ScopedPath>> {
        self.memory_source(scope).map_or(Ok(Vec::new()), MemorySource::all)
    }

    /// Returns the store in which memories of a scope are found.
    pub(crate) fn memory_source(&self, scope: Scope) -> Option<&MemorySource<'a>> {
        self.memory_sources.iter().find(|own| own.scope() == scope)
    }

    /// Returns the stores in which memories are found.
    pub(crate) fn memory_sources(&self) -> &[MemorySource<'a>] {
        &self.memory_sources
    }

    /// Returns about how many items the catalogs of the project and the user know. A catalog that
    /// cannot be read counts nothing.
    pub(crate) fn estimate_count(&self) -> u64 {
        let estimate = |catalog: &mut Catalog| Ok(catalog.estimate_count());
        let count = |scope| self.with_catalog_of(scope, estimate).ok().flatten();
        [Scope::Project, Scope::User].into_iter().filter_map(count).sum()
    }

    /// Returns every indexed item of a scope, in the order of the index.
    pub(crate) fn indexed_items(&self, scope: Scope) -> io::Result<Vec<CatalogEntry>> {
        let Some(space) = self.space(scope) else { return Ok(Vec::new()) };
        self.catalogs.with_catalog(space, Catalog::all)
    }

    /// Returns the sidecars of a scope whose item is missing, in the order of their paths. A call
    /// looks for them once, however many items it reads.
    pub(crate) fn orphans(&self, scope: Scope) -> io::Result<Arc<[OrphanedSidecar]>> {
        let mut known = self.orphans.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, orphans)) = known.iter().find(|(one, _)| *one == scope) {
            return Ok(Arc::clone(orphans));
        }
        let orphans = self.with_catalog_of(scope, Catalog::orphans)?.unwrap_or_default();
        let orphans = Arc::from(orphans);
        known.push((scope, Arc::clone(&orphans)));
        Ok(orphans)
    }

    /// Runs a query on the catalog of a scope. Returns `None` if there is no such space.
    pub(crate) fn with_catalog_of<T>(
        &self,
        scope: Scope,
        ask: impl FnOnce(&mut Catalog) -> io::Result<T>,
    ) -> io::Result<Option<T>> {
        self.space(scope).map(|space| self.catalogs.with_catalog(space, ask)).transpose()
    }
}
