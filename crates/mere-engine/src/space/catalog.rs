//! Tells where the items of a space lie, always as the disk is now.
//!
//! The base is the index, or a scan held in memory where no index can be kept. Folders that have
//! changed since are read again and laid over the base. An answer therefore always equals that of a
//! fresh scan, but costs only the folders that changed. When they become many, the index is
//! rewritten.

use std::collections::{HashMap, HashSet};
use std::io;

use mere_core::item::{ItemId, ItemType, Scope, ScopedPath};

use super::catalog_base::{
    BaseOfFolders, CatalogBase, build_base, entries_with_id, find_tree, open_recorded_index,
    refresh_orphans,
};
use super::entry::{self, CatalogEntry};
use super::index_record::{OrphansByFolder, group_by_folder};
use super::orphan::{OrphanedSidecar, orphans_at_top};
use super::scan::{FolderState, ScanResult, Stray, scan, scan_from};
use super::scan_options::{ScanDepth, ScanOptions};
use super::{ItemTree, Space};
use mere_host::{FolderWatcher, Interest, OpenFolder, now_nanoseconds};

/// The most folders in the overlay before the index is rewritten.
const MAX_OVERLAY_FOLDERS: usize = 64;
/// The most items of an index that is so small that rewriting it takes almost no time.
const QUICK_INDEX_ITEMS: u64 = 2_000;
/// The age of the index, in nanoseconds, at which even a small overlay is written into it.
const MAX_INDEX_AGE: i64 = 60_000_000_000;

/// The catalog of one space.
pub(crate) struct Catalog {
    space: Space,
    trees: Vec<ItemTree>,
    base: CatalogBase,
    /// The state of every folder when it was last read.
    folders: HashMap<String, FolderState>,
    /// The items of the folders that differ from the base, by folder.
    overlay: HashMap<String, Vec<CatalogEntry>>,
    /// The sidecars without an item.
    orphans: OrphansByFolder,
    watch: FolderWatcher,
    /// Whether the last check failed. Each change is reported only once, so everything must then be
    /// checked again.
    must_check: bool,
    /// Whether everything was checked just now, for the first question after the catalog is opened.
    was_just_checked: bool,
    /// Counts how often folders were found changed.
    revision: u64,
}

impl Catalog {
    /// Opens the catalog of a space.
    pub(crate) fn open(space: Space) -> io::Result<Self> {
        // Without a cache no index is kept, so nobody would see the digests.
        let depth = if space.cache.is_some() { ScanDepth::Digests } else { ScanDepth::Names };
        let BaseOfFolders { base, folders, orphans } = match open_recorded_index(&space) {
            Some(recorded) => recorded,
            None => build_base(&space, scan(&space, depth)?),
        };
        let (trees, overlay, watch) =
            (space.indexed_trees(), HashMap::new(), FolderWatcher::new_disabled());
        let mut catalog = Self {
            space,
            trees,
            base,
            folders,
            overlay,
            orphans,
            watch,
            must_check: true,
            was_just_checked: false,
            revision: 0,
        };
        catalog.check_folders()?;
        catalog.revision = 0;
        catalog.was_just_checked = true;
        Ok(catalog)
    }

    /// Returns a number that grows whenever items may have changed.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    pub(crate) fn scope(&self) -> Scope {
        self.space.scope
    }

    /// Returns true if it is the catalog of exactly these folders.
    pub(crate) fn belongs_to(&self, space: &Space) -> bool {
        self.space.has_same_folders(space)
    }

    /// Asks the system to report changes from now on, if it can.
    pub(crate) fn start_watching(&mut self) -> io::Result<()> {
        self.watch = FolderWatcher::new(Interest::Names);
        if let Some(folder) = self.space.folder() {
            self.watch.add(folder.dir(), "");
        }
        self.watch_all();
        // This finds what changed before the watch began.
        self.check_folders()
    }

    /// Returns the items that a bare id can mean, or without an id all of a type.
    pub(crate) fn find(
        &mut self,
        kind: ItemType,
        id: Option<&ItemId>,
    ) -> io::Result<Vec<ScopedPath>> {
        self.refresh()?;
        let mut found = self.base.find(kind, id);
        if found.is_none() {
            self.recover_index()?;
            found = self.base.find(kind, id);
        }
        if found.is_none() {
            self.fall_back_to_memory()?;
            found = self.base.find(kind, id);
        }
        let found = found.unwrap_or_default();
        let fresh =
            self.overlay.values().flat_map(|entries| entries_with_id(entries, kind, id)).cloned();
        let found = found.into_iter().filter(|entry| self.is_unchanged(entry)).chain(fresh);
        let mut found = found.map(|entry| entry.place).collect::<Vec<_>>();
        found.sort();
        Ok(found)
    }

    /// Returns every item, in the order of the index.
    pub(crate) fn all(&mut self) -> io::Result<Vec<CatalogEntry>> {
        self.refresh()?;
        let mut all = self.base.all();
        if all.is_none() {
            self.recover_index()?;
            all = self.base.all();
        }
        if all.is_none() {
            self.fall_back_to_memory()?;
            all = self.base.all();
        }
        let mut all = all.unwrap_or_default();
        if !self.overlay.is_empty() {
            all.retain(|entry| self.is_unchanged(entry));
            all.extend(self.overlay.values().flatten().cloned());
            entry::sort_entries(&mut all);
        }
        Ok(all)
    }

    /// Returns every sidecar without an item, and what it states.
    pub(crate) fn orphans(&mut self) -> io::Result<Vec<OrphanedSidecar>> {
        self.refresh()?;
        let mut found = refresh_orphans((self.space.scope, &self.trees), &mut self.orphans)?;
        found.extend(orphans_at_top(&self.space)?);
        Ok(found)
    }

    /// Lets the next question look at the disk, even if it is the first.
    pub(crate) fn expire_check(&mut self) {
        self.was_just_checked = false;
    }

    /// Returns about how many items there are, without looking at the disk.
    pub(crate) fn estimate_count(&self) -> u64 {
        let base = match &self.base {
            CatalogBase::Index(_, count) => *count,
            CatalogBase::InMemory(entries) => entries.len() as u64,
        };
        let overlay = self.overlay.values().map(Vec::len).sum::<usize>();
        base.saturating_add(overlay as u64)
    }

    /// Returns how many items there are.
    pub(crate) fn count(&mut self) -> io::Result<u64> {
        match &self.base {
            CatalogBase::Index(_, count) if self.overlay.is_empty() => Ok(*count),
            _ => Ok(self.all()?.len() as u64),
        }
    }

    /// Returns true if there is a valid index on disk.
    pub(crate) fn has_index(&self) -> bool {
        matches!(self.base, CatalogBase::Index(..))
    }

    /// Rewrites the index if that is worthwhile: if much has changed, if the index is old, or if it
    /// is small and no folder has changed just now.
    pub(crate) fn rewrite_if_worthwhile(&mut self) -> io::Result<()> {
        if self.overlay.is_empty() && !self.watch.is_active() {
            return Ok(());
        }
        self.refresh()?;
        let (is_small, old) = match &self.base {
            CatalogBase::Index(index, items) => (
                *items <= QUICK_INDEX_ITEMS,
                now_nanoseconds() - index.stamp.modified > MAX_INDEX_AGE,
            ),
            CatalogBase::InMemory(_) => (false, false),
        };
        let at_rest = || self.folders.values().all(|state| *state != FolderState::Unsettled);
        let is_worthwhile =
            self.overlay.len() >= MAX_OVERLAY_FOLDERS || old || (is_small && at_rest());
        if is_worthwhile && !self.overlay.is_empty() { self.rewrite_index() } else { Ok(()) }
    }

    /// Reads the changed folders again, with digests, and writes the index.
    pub(crate) fn rewrite_index(&mut self) -> io::Result<()> {
        self.refresh()?;
        if self.overlay.is_empty()
            && let CatalogBase::Index(index, _) = &mut self.base
            && index.check_unchanged().is_ok()
        {
            return Ok(());
        }
        let Some(base) = self.base.all() else { return self.rescan().map(|_| ()) };
        let starts = self.overlay.keys().filter_map(|label| self.find_tree(label)).collect();
        let has = |label: &str| self.folders.contains_key(label);
        let known = ScanOptions { depth: ScanDepth::Digests, is_known: &has };
        let mut scan_result = scan_from(self.space.scope, &self.trees, starts, &known)?;
        let read =
            scan_result.folders.iter().map(|(label, _)| label.clone()).collect::<HashSet<_>>();
        let kept = self.folders.iter().filter(|(label, _)| !read.contains(*label));
        scan_result.folders.extend(kept.map(|(label, stamp)| (label.clone(), *stamp)));
        scan_result.entries.extend(base.into_iter().filter(|entry| self.is_unchanged(entry)));
        let orphans = self.orphans.values().flatten();
        scan_result.orphans.extend(orphans.filter(|one| !read.contains(&one.folder)).cloned());
        entry::sort_entries(&mut scan_result.entries);
        self.adopt_scan(scan_result)
    }

    /// Scans everything again, writes the index, and returns the files and folders that are not
    /// items.
    pub(crate) fn rescan(&mut self) -> io::Result<Vec<Stray>> {
        let mut scan_result = scan(&self.space, ScanDepth::Digests)?;
        let strays = std::mem::take(&mut scan_result.strays);
        self.adopt_scan(scan_result)?;
        Ok(strays)
    }

    /// Opens the index that another process has written meanwhile, or else writes a new one.
    fn recover_index(&mut self) -> io::Result<()> {
        let Some(recorded) = open_recorded_index(&self.space) else {
            return self.rescan().map(|_| ());
        };
        self.adopt_base(recorded)
    }

    fn adopt_scan(&mut self, scan_result: ScanResult) -> io::Result<()> {
        self.adopt_base(build_base(&self.space, scan_result))
    }

    fn adopt_base(&mut self, based: BaseOfFolders) -> io::Result<()> {
        let BaseOfFolders { base, folders, orphans } = based;
        (self.base, self.folders, self.orphans) = (base, folders, orphans);
        self.overlay.clear();
        self.watch_all();
        self.check_folders()
    }

    /// Watches every known folder, if watching is on.
    fn watch_all(&mut self) {
        if self.watch.is_active() {
            self.watch_folders(&self.folders.keys().cloned().collect::<Vec<_>>());
        }
    }

    /// Keeps everything in memory, because someone else keeps rewriting the index.
    fn fall_back_to_memory(&mut self) -> io::Result<()> {
        let scan_result = scan(&self.space, ScanDepth::Names)?;
        let folders = scan_result.folders.into_iter().collect();
        let orphans = group_by_folder(scan_result.orphans);
        let base = CatalogBase::InMemory(scan_result.entries);
        self.adopt_base(BaseOfFolders { base, folders, orphans })
    }

    /// Brings the overlay up to date with the disk.
    fn refresh(&mut self) -> io::Result<()> {
        if std::mem::take(&mut self.was_just_checked) {
            return Ok(());
        }
        let is_unchanged = self.watch.is_unchanged();
        if is_unchanged && !self.must_check { Ok(()) } else { self.check_folders() }
    }

    /// Checks the stamp of every folder, and reads those that have changed.
    fn check_folders(&mut self) -> io::Result<()> {
        self.must_check = true;
        let mut changed = Vec::new();
        for (label, known) in &self.folders {
            let Some((tree, below)) = self.find_tree(label) else { continue };
            let tree = &self.trees[tree];
            let now = OpenFolder::stat(&tree.dir, &tree.path_from_handle(&below))?;
            if !known.is_unchanged(now) {
                changed.push(label.clone());
            }
        }
        while !changed.is_empty() {
            // Folders are watched before they are read, so a change in between is noticed by the
            // one or the other. The folder of this name may also be another one than the one that
            // was watched.
            self.watch_folders(&changed);
            changed = self.reread_folders(&changed)?;
        }
        self.must_check = false;
        Ok(())
    }

    /// Reads folders again. Returns newly found folders, which were not yet watched when they were
    /// read.
    fn reread_folders(&mut self, changed: &[String]) -> io::Result<Vec<String>> {
        self.revision += 1;
        let starts = changed.iter().filter_map(|label| self.find_tree(label)).collect();
        let has = |label: &str| self.folders.contains_key(label);
        let known = ScanOptions { depth: ScanDepth::Names, is_known: &has };
        let scan_result = scan_from(self.space.scope, &self.trees, starts, &known)?;
        // If a folder no longer exists, or has become an item, everything below it goes as well.
        let gone = scan_result.folders.iter().filter(|(_, state)| *state == FolderState::Gone);
        let ends = gone.map(|(label, _)| label).chain(&scan_result.item_folders);
        let ends = ends.cloned().collect::<HashSet<_>>();
        self.forget_below(&ends);
        let mut new = Vec::new();
        let folders =
            scan_result.folders.into_iter().filter(|(label, _)| !is_below_any(label, &ends));
        for (label, state) in folders {
            self.overlay.insert(label.clone(), Vec::new());
            self.orphans.remove(&label);
            self.folders.insert(label.clone(), state);
            if self.watch.is_active() && !changed.contains(&label) && state != FolderState::Gone {
                new.push(label);
            }
        }
        for entry in scan_result.entries {
            let folder = entry.parent_folder().unwrap_or_default();
            if let Some(entries) =
                self.overlay.get_mut(&folder).filter(|_| !is_below_any(&folder, &ends))
            {
                entries.push(entry);
            }
        }
        let orphans = scan_result.orphans.into_iter();
        let orphans = orphans.filter(|orphan| !is_below_any(&orphan.folder, &ends));
        self.orphans.extend(group_by_folder(orphans.collect()));
        Ok(new)
    }

    fn forget_below(&mut self, ends: &HashSet<String>) {
        let below = self.folders.keys().filter(|label| is_below_any(label, ends)).cloned();
        for label in below.collect::<Vec<_>>() {
            self.folders.remove(&label);
            self.orphans.remove(&label);
            self.overlay.insert(label, Vec::new());
        }
    }

    fn watch_folders(&mut self, labels: &[String]) {
        for label in labels {
            let Some((tree, below)) = self.find_tree(label) else { continue };
            let tree = &self.trees[tree];
            self.watch.add(&tree.dir, &tree.path_from_handle(&below));
        }
    }

    /// Returns the tree that a folder lies in, by its number, and the folder's path in it.
    fn find_tree(&self, label: &str) -> Option<(usize, String)> {
        find_tree(&self.trees, label)
    }

    fn is_unchanged(&self, entry: &CatalogEntry) -> bool {
        entry.parent_folder().is_some_and(|folder| !self.overlay.contains_key(&folder))
    }
}

/// Returns true if a folder lies below one of `ends`.
fn is_below_any(label: &str, ends: &HashSet<String>) -> bool {
    !ends.is_empty() && label.match_indices('/').any(|(at, _)| ends.contains(&label[..at]))
}
