//! The detector of differences between the files and the index.
//!
//! Where the operating system reports changes, only what changed is compared. Elsewhere, and at
//! first, folders are scanned and every file's stamp is compared with the one in the index.
//! Reported changes count only after a complete scan was applied.

use std::collections::HashSet;
use std::io;

use mere_core::item::{Category, ScopedPath};

use crate::search::error::SearchError;
use crate::search::index::corpus::Corpus;
use crate::search::index::{CorpusId, SearchIndex};
use crate::space::{
    ItemTree, ScanDepth, ScanOptions, is_category_inside_an_item, join_path, scan_from,
};
use mere_host::{
    FileStamp, FolderChange, FolderWatcher, Interest, OpenFolder, WatchReport, is_symlink_error,
    none_if_missing,
};

/// How often newly created folders are looked for while the others are being watched.
const MAX_WATCH_ROUNDS: usize = 4;

/// The corpora of a session and the state of watching them.
pub(crate) struct ChangeDetector {
    pub(crate) corpora: Vec<Corpus>,
    /// The number of each corpus in the index; empty until the index was asked.
    pub(crate) corpus_ids: Vec<CorpusId>,
    watch: FolderWatcher,
    /// The folders that are watched.
    watched_folders: HashSet<String>,
    /// Whether a change may have been missed, so that everything must be scanned.
    must_rescan: bool,
}

/// How changes of the files are noticed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WatchMode {
    /// The operating system reports them.
    Watch,
    /// The files are scanned before each query.
    ScanOnly,
}

/// A file that must be read into the index.
pub(crate) struct PendingRead {
    pub(crate) corpus: usize,
    /// The path in the corpus. There may be very many, so nothing that follows from the path is
    /// stored.
    pub(crate) path: String,
    /// The item that the index has at this path.
    pub(crate) indexed_item: Option<u32>,
}

/// The changes that bring the index up to date.
#[derive(Default)]
pub(crate) struct IndexChanges {
    pub(crate) to_read: Vec<PendingRead>,
    pub(crate) removed: Vec<u32>,
}

/// A folder of an item tree.
struct TreeFolder {
    corpus: usize,
    tree: usize,
    path: String,
}

/// The index that files are compared with, and the visibility of items.
pub(crate) struct DetectionContext<'a> {
    pub(crate) index: &'a SearchIndex,
    pub(crate) is_visible: &'a dyn Fn(&ScopedPath) -> bool,
}

impl ChangeDetector {
    pub(crate) fn new(corpora: Vec<Corpus>, watch_mode: WatchMode) -> Self {
        let watch = match watch_mode {
            WatchMode::Watch => FolderWatcher::new(Interest::Contents),
            WatchMode::ScanOnly => FolderWatcher::new_disabled(),
        };
        Self {
            corpora,
            corpus_ids: Vec::new(),
            watch,
            watched_folders: HashSet::new(),
            must_rescan: true,
        }
    }

    /// Looks up the numbers of the corpora in the index.
    pub(crate) fn assign_corpus_ids(&mut self, index: &mut SearchIndex) -> Result<(), SearchError> {
        if self.corpus_ids.len() != self.corpora.len() {
            let numbers = self.corpora.iter().map(|ground| index.register_corpus(ground));
            self.corpus_ids = numbers.collect::<rusqlite::Result<_>>()?;
        }
        Ok(())
    }

    /// Checks whether these are exactly its corpora.
    pub(crate) fn has_corpora(&self, grounds: &[Corpus]) -> bool {
        self.corpora.len() == grounds.len()
            && self.corpora.iter().zip(grounds).all(|(own, other)| own.is_same(other))
    }

    /// Records that the detected changes were applied, so that reported changes suffice from now
    /// on.
    pub(crate) fn mark_scanned(&mut self) {
        self.must_rescan = false;
    }

    /// Requires a full scan.
    pub(crate) fn require_rescan(&mut self) {
        self.must_rescan = true;
    }

    /// Returns the current differences. A full scan stays required until [`Self::mark_scanned`] is
    /// called.
    pub(crate) fn detect(
        &mut self,
        against: &DetectionContext<'_>,
    ) -> Result<IndexChanges, SearchError> {
        let news = self.watch.take_changes();
        let mut changes = IndexChanges::default();
        match news {
            WatchReport::Unchanged if !self.must_rescan => {}
            WatchReport::Changed(news) if !self.must_rescan => {
                self.must_rescan = true;
                for one in &news {
                    self.check_event(one, against, &mut changes)?;
                }
            }
            _ => {
                self.must_rescan = true;
                self.watch_space_folders();
                for ground in 0..self.corpora.len() {
                    for plot in 0..self.corpora[ground].trees.len() {
                        let spot = TreeFolder { corpus: ground, tree: plot, path: String::new() };
                        self.scan_folder(&spot, against, &mut changes)?;
                    }
                }
            }
        }
        Ok(changes)
    }

    fn watch_space_folders(&mut self) {
        for (number, ground) in self.corpora.iter().enumerate() {
            if let Some(top) = &ground.space_folder
                && let Ok(folder) = OpenFolder::open(top, "")
            {
                self.watch.add_open_folder(&folder, &watch_name(number, ""));
            }
        }
    }

    /// Compares the files that a reported change affects.
    fn check_event(
        &mut self,
        news: &FolderChange,
        against: &DetectionContext<'_>,
        changes: &mut IndexChanges,
    ) -> Result<(), SearchError> {
        let Some((ground, label)) = parse_watch_name(&news.folder) else { return Ok(()) };
        let Some(own) = self.corpora.get(ground) else { return Ok(()) };
        let name = news.name.as_deref();
        if name.is_some_and(|name| name.starts_with('.')) {
            return Ok(());
        }
        // In the `.ai` folder itself, only the tops of item trees matter.
        let is_top = label.is_empty() && own.space_folder.is_some();
        let inner = join_path(label, name.unwrap_or_default());
        let Some((plot, below)) = own.find_tree(if is_top { &inner } else { label }) else {
            return Ok(());
        };
        let main = own.trees[plot].kind.folder_main_file();
        let spot = |below: &str| TreeFolder { corpus: ground, tree: plot, path: below.to_owned() };
        match name {
            _ if is_top => self.scan_folder(&spot(below), against, changes),
            None => self.scan_folder(&spot(below), against, changes),
            Some(name) if news.is_folder => {
                self.scan_folder(&spot(&join_path(below, name)), against, changes)
            }
            Some(name) if Some(name) == main => self.scan_folder(&spot(below), against, changes),
            Some(_) => self.check_file(ground, &inner, against, changes),
        }
    }

    /// Checks whether the file of an item is unchanged since it was indexed.
    pub(crate) fn is_current(
        &self,
        index: &SearchIndex,
        place: &ScopedPath,
    ) -> Result<bool, SearchError> {
        for (own, number) in self.corpora.iter().zip(&self.corpus_ids) {
            for (plot, plot_of) in own.trees.iter().enumerate() {
                let path = own.item_path(plot, place);
                let path =
                    path.filter(|path| own.item_at(path).is_some_and(|(_, at)| at == *place));
                if let Some(path) = path
                    && let Some(known) = index.known_file(*number, &path)?
                {
                    let looks = file_stamp(plot_of, place)?;
                    return Ok(looks.is_some() && known.stamp == looks);
                }
            }
        }
        Ok(false)
    }

    /// Compares one file with the index.
    fn check_file(
        &self,
        ground: usize,
        path: &str,
        against: &DetectionContext<'_>,
        changes: &mut IndexChanges,
    ) -> Result<(), SearchError> {
        let (own, number) = (&self.corpora[ground], self.corpus_ids[ground]);
        let Some((plot, place)) = own.item_at(path) else { return Ok(()) };
        let known = against.index.known_file(number, path)?;
        let plot_of = &own.trees[plot];
        let looks = file_stamp(plot_of, &place)?;
        let (folder, _) = place.folder_and_file().unwrap_or_default();
        let category = folder.parse::<Category>().unwrap_or_default();
        let counts = looks.is_some()
            && (against.is_visible)(&place)
            && !is_category_inside_an_item(plot_of, &category)?;
        match (counts, known) {
            (true, Some(known)) if known.stamp.is_some() && known.stamp == looks => {}
            (true, known) => {
                let known = known.map(|known| known.item);
                changes.to_read.push(PendingRead {
                    corpus: ground,
                    path: path.to_owned(),
                    indexed_item: known,
                });
            }
            (false, Some(known)) => changes.removed.push(known.item),
            (false, None) => {}
        }
        Ok(())
    }

    /// Compares a folder and everything below it with the index.
    fn scan_folder(
        &mut self,
        spot: &TreeFolder,
        against: &DetectionContext<'_>,
        changes: &mut IndexChanges,
    ) -> Result<(), SearchError> {
        self.watch_folders_below(spot)?;
        let (own, number) = (&self.corpora[spot.corpus], self.corpus_ids[spot.corpus]);
        let start = vec![(spot.tree, spot.path.clone())];
        let known = ScanOptions { depth: ScanDepth::Stamps, is_known: &|_| false };
        let census = scan_from(own.scope, &own.trees, start, &known)?;
        let label = own.trees[spot.tree].index_label(&spot.path);
        let mut known = against.index.known_files_below(number, &label)?;
        for entry in census.entries {
            let Some(path) = own.item_path(spot.tree, &entry.place) else { continue };
            if !(against.is_visible)(&entry.place) {
                continue;
            }
            let known = known.remove(&path);
            if known.is_none_or(|known| known.stamp.is_none() || known.stamp != entry.stamp) {
                let known = known.map(|known| known.item);
                changes.to_read.push(PendingRead {
                    corpus: spot.corpus,
                    path,
                    indexed_item: known,
                });
            }
        }
        changes.removed.extend(known.into_values().map(|known| known.item));
        Ok(())
    }

    /// Watches every folder below the given one before any of them is read.
    fn watch_folders_below(&mut self, spot: &TreeFolder) -> Result<(), SearchError> {
        if !self.watch.is_active() {
            return Ok(());
        }
        let own = &self.corpora[spot.corpus];
        for _ in 0..MAX_WATCH_ROUNDS {
            let start = vec![(spot.tree, spot.path.clone())];
            let known = ScanOptions { depth: ScanDepth::Names, is_known: &|_| false };
            let census = scan_from(own.scope, &own.trees, start, &known)?;
            let mut is_new = false;
            for (label, _) in census.folders {
                let Some((plot, below)) = own.find_tree(&label) else { continue };
                let plot = &own.trees[plot];
                let opened = OpenFolder::open(plot.dir(), &plot.path_from_handle(below));
                let Ok(folder) = opened else { continue };
                let name = watch_name(spot.corpus, &label);
                self.watch.add_open_folder(&folder, &name);
                is_new |= self.watched_folders.insert(name);
            }
            if !is_new {
                break;
            }
        }
        Ok(())
    }
}

/// Returns the stamp of an item's file; none if there is no such file.
fn file_stamp(plot: &ItemTree, place: &ScopedPath) -> io::Result<Option<FileStamp>> {
    let (folder, name) = place.folder_and_file().unwrap_or_default();
    let opened = match OpenFolder::open(plot.dir(), &plot.path_from_handle(&folder)) {
        Err(error) if is_symlink_error(&error) => None,
        opened => none_if_missing(opened)?,
    };
    let looks = opened.map(|folder| folder.file_stamp(&name)).transpose();
    Ok(looks.ok().flatten().flatten())
}

/// Returns the name under which a folder is watched.
fn watch_name(ground: usize, label: &str) -> String {
    format!("{ground}|{label}")
}

fn parse_watch_name(name: &str) -> Option<(usize, &str)> {
    let (ground, label) = name.split_once('|')?;
    Some((ground.parse().ok()?, label))
}
