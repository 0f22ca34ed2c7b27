//! Where the items of a space lie, as the disk is now.
//!
//! The base is the index, or a census where no index can be kept. Folders that have changed since
//! are read again and laid over it, so an answer is always that of a fresh scan, at the price of
//! the folders that changed. When they become many the index is written anew.

use std::collections::{HashMap, HashSet};
use std::io;

use mere_core::item::{ItemId, ItemType, Scope, ScopedPath};

use super::entry::{self, Entry};
use super::index::Index;
use super::scan::{Census, Content, Known, Looks, Stray, scan, scan_from};
use super::seal::Seal;
use super::{Plot, Space};
use mere_host::{FolderWatcher, Interest, OpenFolder, now_nanoseconds};

/// How many folders may be laid over the index before it is written anew.
const MANY: usize = 64;
/// An index of so few items is written in no time.
const FEW: u64 = 2_000;
/// How long a few may be, in nanoseconds.
const LONG: i64 = 60_000_000_000;

/// The catalog of one space.
pub(crate) struct Catalog {
    space: Space,
    plots: Vec<Plot>,
    base: Base,
    /// What every folder looked like when it was last read.
    folders: HashMap<String, Looks>,
    /// What lies in the folders that are not as the base has them.
    fresh: HashMap<String, Vec<Entry>>,
    watch: FolderWatcher,
}

enum Base {
    /// With how many items it has.
    Index(Index, u64),
    Census(Vec<Entry>),
}

impl Base {
    /// The entries of an id; none if the base cannot be believed any more.
    fn find(&mut self, kind: ItemType, id: &ItemId) -> Option<Vec<Entry>> {
        match self {
            Self::Index(index, _) => index.find(kind, id.as_str()).ok(),
            Self::Census(entries) => Some(among(entries, kind, id).cloned().collect()),
        }
    }

    /// All entries; none if the base cannot be believed any more.
    fn all(&mut self) -> Option<Vec<Entry>> {
        match self {
            Self::Index(index, _) => index.all().ok(),
            Self::Census(entries) => Some(entries.clone()),
        }
    }
}

impl Catalog {
    /// Opens the catalog of a space.
    pub(crate) fn open(space: Space) -> io::Result<Self> {
        let (base, folders) = match sealed(&space) {
            Some(sealed) => sealed,
            None => build(&space, scan(&space, Content::Read)?),
        };
        let (plots, fresh, watch) = (space.plots(), HashMap::new(), FolderWatcher::new_disabled());
        let mut catalog = Self { space, plots, base, folders, fresh, watch };
        catalog.look_again()?;
        Ok(catalog)
    }

    pub(crate) fn scope(&self) -> Scope {
        self.space.scope
    }

    /// Whether it is the catalog of exactly these folders.
    pub(crate) fn is_of(&self, space: &Space) -> bool {
        self.space.is_same(space)
    }

    /// Lets the system tell of changes from now on, where it can.
    pub(crate) fn watch(&mut self) -> io::Result<()> {
        self.watch = FolderWatcher::new(Interest::Names);
        if let Some(folder) = self.space.folder() {
            self.watch.add(folder.dir(), "");
        }
        self.watch_all();
        // What changed before the watch began.
        self.look_again()
    }

    /// The items a bare id can mean.
    pub(crate) fn find(&mut self, kind: ItemType, id: &ItemId) -> io::Result<Vec<ScopedPath>> {
        self.refresh()?;
        let mut found = self.base.find(kind, id);
        if found.is_none() {
            self.heal()?;
            found = self.base.find(kind, id);
        }
        if found.is_none() {
            self.do_without()?;
            found = self.base.find(kind, id);
        }
        let found = found.unwrap_or_default();
        let fresh = self.fresh.values().flat_map(|entries| among(entries, kind, id)).cloned();
        let found = found.into_iter().filter(|entry| self.is_unchanged(entry)).chain(fresh);
        let mut found = found.map(|entry| entry.place).collect::<Vec<_>>();
        found.sort();
        Ok(found)
    }

    /// Every item, in the order of the index.
    pub(crate) fn all(&mut self) -> io::Result<Vec<Entry>> {
        self.refresh()?;
        let mut all = self.base.all();
        if all.is_none() {
            self.heal()?;
            all = self.base.all();
        }
        if all.is_none() {
            self.do_without()?;
            all = self.base.all();
        }
        let mut all = all.unwrap_or_default();
        if !self.fresh.is_empty() {
            all.retain(|entry| self.is_unchanged(entry));
            all.extend(self.fresh.values().flatten().cloned());
            entry::sort(&mut all);
        }
        Ok(all)
    }

    /// How many items there are.
    pub(crate) fn count(&mut self) -> io::Result<u64> {
        match &self.base {
            Base::Index(_, count) if self.fresh.is_empty() => Ok(*count),
            _ => Ok(self.all()?.len() as u64),
        }
    }

    /// Whether there is an index on disk that counts.
    pub(crate) fn is_kept(&self) -> bool {
        matches!(self.base, Base::Index(..))
    }

    /// Writes the index anew if that is worthwhile: much has changed, or something long ago, or
    /// writing is quick and what changed has come to rest.
    pub(crate) fn tend(&mut self) -> io::Result<()> {
        self.refresh()?;
        let (quick, old) = match &self.base {
            Base::Index(index, items) => {
                (*items <= FEW, now_nanoseconds() - index.stamp.modified > LONG)
            }
            Base::Census(_) => (false, false),
        };
        let at_rest = || self.folders.values().all(|looks| *looks != Looks::Unsettled);
        let worthwhile = self.fresh.len() >= MANY || old || (quick && at_rest());
        if worthwhile && !self.fresh.is_empty() { self.renew() } else { Ok(()) }
    }

    /// Reads again what has changed, content and all, and writes the index.
    pub(crate) fn renew(&mut self) -> io::Result<()> {
        self.refresh()?;
        if self.fresh.is_empty()
            && let Base::Index(index, _) = &mut self.base
            && index.check().is_ok()
        {
            return Ok(());
        }
        let Some(base) = self.base.all() else { return self.rescan().map(|_| ()) };
        let starts = self.fresh.keys().filter_map(|label| self.start(label)).collect();
        let has = |label: &str| self.folders.contains_key(label);
        let known = Known { content: Content::Read, has: &has };
        let mut census = scan_from(self.space.scope, &self.plots, starts, &known)?;
        let read = census.folders.iter().map(|(label, _)| label.clone()).collect::<HashSet<_>>();
        let kept = self.folders.iter().filter(|(label, _)| !read.contains(*label));
        census.folders.extend(kept.map(|(label, stamp)| (label.clone(), *stamp)));
        census.entries.extend(base.into_iter().filter(|entry| self.is_unchanged(entry)));
        entry::sort(&mut census.entries);
        self.settle(census)
    }

    /// Reads everything again, writes the index, and says what is no item.
    pub(crate) fn rescan(&mut self) -> io::Result<Vec<Stray>> {
        let mut census = scan(&self.space, Content::Read)?;
        let strays = std::mem::take(&mut census.strays);
        self.settle(census)?;
        Ok(strays)
    }

    /// Takes the index that another process wrote, or makes one.
    fn heal(&mut self) -> io::Result<()> {
        let Some((base, folders)) = sealed(&self.space) else {
            return self.rescan().map(|_| ());
        };
        (self.base, self.folders) = (base, folders);
        self.fresh.clear();
        self.watch_all();
        self.look_again()
    }

    fn settle(&mut self, census: Census) -> io::Result<()> {
        (self.base, self.folders) = build(&self.space, census);
        self.fresh.clear();
        self.watch_all();
        self.look_again()
    }

    /// Watches every folder that is known, if anything is watched.
    fn watch_all(&mut self) {
        if self.watch.is_active() {
            self.watch_folders(&self.folders.keys().cloned().collect::<Vec<_>>());
        }
    }

    /// Keeps everything in memory: someone else writes the index all the time.
    fn do_without(&mut self) -> io::Result<()> {
        let census = scan(&self.space, Content::Unread)?;
        self.folders = census.folders.into_iter().collect();
        self.base = Base::Census(census.entries);
        self.fresh.clear();
        self.watch_all();
        self.look_again()
    }

    /// Sees what has changed on disk since the last look.
    fn refresh(&mut self) -> io::Result<()> {
        if self.watch.is_unchanged() { Ok(()) } else { self.look_again() }
    }

    /// Looks at every folder, and reads those that are not as they were.
    fn look_again(&mut self) -> io::Result<()> {
        let mut suspects = Vec::new();
        for (label, known) in &self.folders {
            let Some((plot, below)) = self.start(label) else { continue };
            let plot = &self.plots[plot];
            let now = OpenFolder::stat(&plot.dir, &plot.path(&below))?;
            if !known.still_holds(now) {
                suspects.push(label.clone());
            }
        }
        while !suspects.is_empty() {
            // Watched first, then read: what changes in between is seen by one of the two. It may be
            // another folder than the one that was watched by this name.
            self.watch_folders(&suspects);
            suspects = self.read_again(&suspects)?;
        }
        Ok(())
    }

    /// Reads folders, and says which others were found that nobody watched when they were read.
    fn read_again(&mut self, suspects: &[String]) -> io::Result<Vec<String>> {
        let starts = suspects.iter().filter_map(|label| self.start(label)).collect();
        let has = |label: &str| self.folders.contains_key(label);
        let known = Known { content: Content::Unread, has: &has };
        let census = scan_from(self.space.scope, &self.plots, starts, &known)?;
        // A folder that is gone, or is an item by now, takes along all that lies below it.
        let gone = census.folders.iter().filter(|(_, looks)| *looks == Looks::Gone);
        let ends = gone.map(|(label, _)| label).chain(&census.ends);
        let ends = ends.cloned().collect::<HashSet<_>>();
        self.forget_below(&ends);
        let mut new = Vec::new();
        let folders = census.folders.into_iter().filter(|(label, _)| !lies_below(label, &ends));
        for (label, looks) in folders {
            self.fresh.insert(label.clone(), Vec::new());
            self.folders.insert(label.clone(), looks);
            if self.watch.is_active() && !suspects.contains(&label) && looks != Looks::Gone {
                new.push(label);
            }
        }
        for entry in census.entries {
            let folder = entry.folder().unwrap_or_default();
            if let Some(entries) =
                self.fresh.get_mut(&folder).filter(|_| !lies_below(&folder, &ends))
            {
                entries.push(entry);
            }
        }
        Ok(new)
    }

    fn forget_below(&mut self, ends: &HashSet<String>) {
        let below = self.folders.keys().filter(|label| lies_below(label, ends)).cloned();
        for label in below.collect::<Vec<_>>() {
            self.folders.remove(&label);
            self.fresh.insert(label, Vec::new());
        }
    }

    fn watch_folders(&mut self, labels: &[String]) {
        for label in labels {
            let Some((plot, below)) = self.start(label) else { continue };
            let plot = &self.plots[plot];
            self.watch.add(&plot.dir, &plot.path(&below));
        }
    }

    /// Which plot a folder lies in, and where.
    fn start(&self, label: &str) -> Option<(usize, String)> {
        let mut plots = self.plots.iter().enumerate();
        plots.find_map(|(number, plot)| Some((number, plot.below(label)?.to_owned())))
    }

    fn is_unchanged(&self, entry: &Entry) -> bool {
        entry.folder().is_some_and(|folder| !self.fresh.contains_key(&folder))
    }
}

/// Whether a folder lies below one of `ends`.
fn lies_below(label: &str, ends: &HashSet<String>) -> bool {
    !ends.is_empty() && label.match_indices('/').any(|(at, _)| ends.contains(&label[..at]))
}

/// The index of a space and the folders it was made of, if it is the one that was written here.
fn sealed(space: &Space) -> Option<(Base, HashMap<String, Looks>)> {
    let mut seal = Seal::read(space)?;
    let mut index = Index::open(space.folder()?, space.scope)?;
    index.belief = seal.belief;
    if index.stamp != seal.index || index.check().is_err() {
        return None;
    }
    if index.belief != seal.belief {
        seal.belief = index.belief;
        seal.write(space);
    }
    Some((Base::Index(index, seal.items), seal.folders))
}

/// Keeps a census: as an index where that can be done, else in memory.
fn build(space: &Space, census: Census) -> (Base, HashMap<String, Looks>) {
    let folders = census.folders.into_iter().collect::<HashMap<_, _>>();
    let index = space.folder().filter(|_| space.cache.is_some());
    let index = index.map(|folder| Index::write(folder, space.scope, &census.entries));
    match index {
        Some(Ok(index)) => {
            let items = census.entries.len() as u64;
            let seal = Seal { index: index.stamp, belief: index.belief, items, folders };
            seal.write(space);
            (Base::Index(index, items), seal.folders)
        }
        Some(Err(error)) => {
            tracing::debug!(%error, "the index could not be written");
            (Base::Census(census.entries), folders)
        }
        None => (Base::Census(census.entries), folders),
    }
}

fn among<'a>(
    entries: &'a [Entry],
    kind: ItemType,
    id: &'a ItemId,
) -> impl Iterator<Item = &'a Entry> {
    entries.iter().filter(move |entry| entry.place.kind == kind && entry.place.id == *id)
}
