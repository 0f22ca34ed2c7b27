//! The detector of differences between the files and the index.
//!
//! Where the operating system reports changes, only what changed is compared. Elsewhere, and at
//! first, folders are scanned and every file's stamp is compared with the one in the index.
//! Reported changes count only after a complete scan was applied.

use std::collections::HashMap;
use std::io;

use mere_core::item::{Category, ScopedPath};

use super::file_comparison::FileComparison;
use super::watch_gaps::{WatchGap, WatchGaps};
use crate::search::error::SearchError;
use crate::search::index::corpus::Corpus;
use crate::search::index::{CorpusId, SearchIndex};
use crate::space::{
    FolderState, ItemTree, ScanDepth, ScanOptions, is_category_inside_an_item, join_path, scan_from,
};
use mere_host::{
    FileStamp, FolderChange, FolderIdentity, FolderWatcher, Interest, OpenFolder, WatchOutcome,
    WatchReport,
};

/// How often newly created folders are looked for while the others are being watched.
const MAX_WATCH_ROUNDS: usize = 4;

/// The corpora of a session and the state of watching them.
pub(crate) struct ChangeDetector {
    pub(crate) corpora: Vec<Corpus>,
    /// The number of each corpus in the index; empty until the index was asked.
    pub(crate) corpus_ids: Vec<CorpusId>,
    watch: FolderWatcher,
    /// What the watches may not have told since the last complete scan.
    gaps: WatchGaps,
    /// Whether a change may have been missed, so that everything must be scanned.
    must_rescan: bool,
    /// The folders that the current full scan has watched, with their names.
    watched_in_scan: Option<HashMap<FolderIdentity, String>>,
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
    /// How many files and folders may not be read.
    pub(crate) unreadable: u64,
}

/// A folder of an item tree.
pub(super) struct TreeFolder {
    pub(super) corpus: usize,
    pub(super) tree: usize,
    path: String,
}

/// The index that files are compared with, and the visibility of items.
pub(crate) struct DetectionContext<'a> {
    pub(crate) index: &'a SearchIndex,
    pub(crate) is_visible: &'a (dyn Fn(&ScopedPath) -> bool + Sync),
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
            gaps: WatchGaps::default(),
            must_rescan: true,
            watched_in_scan: None,
        }
    }

    /// Looks up the numbers of the corpora in the index.
    pub(crate) fn assign_corpus_ids(&mut self, index: &mut SearchIndex) -> Result<(), SearchError> {
        if self.corpus_ids.len() != self.corpora.len() {
            let numbers = self.corpora.iter().map(|corpus| index.register_corpus(corpus));
            self.corpus_ids = numbers.collect::<rusqlite::Result<_>>()?;
        }
        Ok(())
    }

    /// Checks whether these are exactly its corpora.
    pub(crate) fn has_corpora(&self, corpora: &[Corpus]) -> bool {
        self.corpora.len() == corpora.len()
            && self.corpora.iter().zip(corpora).all(|(own, other)| own.is_same(other))
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

    /// Returns whether everything must be scanned.
    pub(crate) fn must_rescan(&self) -> bool {
        self.must_rescan
    }

    /// Returns why a change of the files may have been missed since the last full scan, if it may.
    pub(super) fn watch_gap(&self) -> Option<WatchGap> {
        if self.must_rescan {
            Some(WatchGap::NotScanned)
        } else if !self.watch.reports_everything() {
            Some(WatchGap::NotReported)
        } else {
            self.gaps.find()
        }
    }

    /// Returns the current differences. A full scan stays required until [`Self::mark_scanned`] is
    /// called.
    pub(crate) fn detect(
        &mut self,
        against: &DetectionContext<'_>,
    ) -> Result<IndexChanges, SearchError> {
        let report = match self.watch.take_changes() {
            _ if self.gaps.has_shared_folder() => WatchReport::Unknown,
            report => report,
        };
        let mut changes = IndexChanges::default();
        if self.watch.is_active() {
            self.gaps.recheck_mounts(&self.corpora, &report);
        }
        match report {
            WatchReport::Unchanged if !self.must_rescan => {}
            WatchReport::Changed(events) if !self.must_rescan => {
                self.must_rescan = true;
                for event in &events {
                    self.check_event(event, against, &mut changes)?;
                }
            }
            _ => {
                self.must_rescan = true;
                self.gaps = WatchGaps::at_full_scan(&self.corpora);
                self.watched_in_scan = Some(HashMap::new());
                self.watch_space_folders();
                for corpus_index in 0..self.corpora.len() {
                    for tree_index in 0..self.corpora[corpus_index].trees.len() {
                        let folder = TreeFolder {
                            corpus: corpus_index,
                            tree: tree_index,
                            path: String::new(),
                        };
                        self.scan_folder(&folder, against, &mut changes)?;
                    }
                }
                self.watched_in_scan = None;
            }
        }
        Ok(changes)
    }

    fn watch_space_folders(&mut self) {
        let tops = self.corpora.iter().enumerate().filter_map(|(number, corpus)| {
            Some((number, OpenFolder::open(corpus.space_folder.as_ref()?, "")))
        });
        for (number, opened) in tops.collect::<Vec<_>>() {
            match opened {
                Ok(folder) => {
                    self.watch_folder(&folder, &watch_name(number, ""));
                }
                Err(_) => self.gaps.add(WatchGap::Unwatched),
            }
        }
    }

    /// Watches a folder, and notes whether it is reached by two paths: the system reports its
    /// changes under one of them only.
    fn watch_folder(&mut self, folder: &OpenFolder, name: &str) -> WatchOutcome {
        let outcome = self.watch.add_open_folder(folder, name);
        if let (Some(watched), Ok(identity)) = (&mut self.watched_in_scan, folder.identity())
            && watched.insert(identity, name.to_owned()).is_some_and(|other| other != name)
        {
            self.gaps.add(WatchGap::SharedFolder);
        }
        outcome
    }

    /// Compares the files that a reported change affects.
    fn check_event(
        &mut self,
        event: &FolderChange,
        against: &DetectionContext<'_>,
        changes: &mut IndexChanges,
    ) -> Result<(), SearchError> {
        let Some((corpus_index, label)) = parse_watch_name(&event.folder) else { return Ok(()) };
        let Some(corpus) = self.corpora.get(corpus_index) else { return Ok(()) };
        let name = event.name.as_deref();
        if name.is_some_and(|name| name.starts_with('.')) {
            return Ok(());
        }
        // In the `.ai` folder itself, only the tops of item trees matter.
        let is_top = label.is_empty() && corpus.space_folder.is_some();
        let inner = join_path(label, name.unwrap_or_default());
        let Some((tree_index, below)) = corpus.find_tree(if is_top { &inner } else { label })
        else {
            return Ok(());
        };
        let main = corpus.trees[tree_index].kind.folder_main_file();
        let folder = |below: &str| TreeFolder {
            corpus: corpus_index,
            tree: tree_index,
            path: below.to_owned(),
        };
        match name {
            _ if is_top => self.scan_folder(&folder(below), against, changes),
            None => self.scan_folder(&folder(below), against, changes),
            Some(name) if event.is_folder => {
                self.scan_folder(&folder(&join_path(below, name)), against, changes)
            }
            Some(name) if Some(name) == main => self.scan_folder(&folder(below), against, changes),
            Some(_) => self.check_file(corpus_index, &inner, against, changes),
        }
    }

    /// Checks whether the file of an item is unchanged since it was indexed.
    pub(crate) fn is_current(
        &self,
        index: &SearchIndex,
        place: &ScopedPath,
    ) -> Result<bool, SearchError> {
        for (corpus, corpus_id) in self.corpora.iter().zip(&self.corpus_ids) {
            for (tree_index, tree) in corpus.trees.iter().enumerate() {
                let path = corpus.item_path(tree_index, place);
                let path =
                    path.filter(|path| corpus.item_at(path).is_some_and(|(_, at)| at == *place));
                if let Some(path) = path
                    && let Some(known) = index.known_file(*corpus_id, &path)?
                {
                    let stamp = file_stamp(tree, place)?;
                    return Ok(stamp.is_some() && known.stamp == stamp);
                }
            }
        }
        Ok(false)
    }

    /// Compares one file with the index.
    fn check_file(
        &mut self,
        corpus_index: usize,
        path: &str,
        against: &DetectionContext<'_>,
        changes: &mut IndexChanges,
    ) -> Result<(), SearchError> {
        let (corpus, corpus_id) = (&self.corpora[corpus_index], self.corpus_ids[corpus_index]);
        let Some((tree_index, place)) = corpus.item_at(path) else { return Ok(()) };
        let known = against.index.known_file(corpus_id, path)?;
        let tree = &corpus.trees[tree_index];
        let (stamp, is_shared) = file_stamp_and_sharing(tree, &place)?.unzip();
        if is_shared == Some(true) {
            self.gaps.add(WatchGap::SharedFile);
        }
        let (folder, _) = place.folder_and_file().unwrap_or_default();
        let category = folder.parse::<Category>().unwrap_or_default();
        let counts = stamp.is_some()
            && (against.is_visible)(&place)
            && !is_category_inside_an_item(tree, &category)?;
        match (counts, known) {
            (true, Some(known)) if known.stamp.is_some() && known.stamp == stamp => {}
            (true, known) => {
                let known = known.map(|known| known.item);
                changes.to_read.push(PendingRead {
                    corpus: corpus_index,
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
        folder: &TreeFolder,
        against: &DetectionContext<'_>,
        changes: &mut IndexChanges,
    ) -> Result<(), SearchError> {
        self.watch_folders_below(folder)?;
        let (corpus, corpus_id) = (&self.corpora[folder.corpus], self.corpus_ids[folder.corpus]);
        let start = vec![(folder.tree, folder.path.clone())];
        let known = ScanOptions { depth: ScanDepth::Stamps, is_known: &|_| false };
        let scan_result = scan_from(corpus.scope, &corpus.trees, start, &known)?;
        changes.unreadable += scan_result.unreadable;
        if scan_result.has_shared_file {
            self.gaps.add(WatchGap::SharedFile);
        }
        let label = corpus.trees[folder.tree].index_label(&folder.path);
        let known = against.index.known_files_below(corpus_id, &label)?;
        let comparison = FileComparison { corpus, folder, known, is_visible: against.is_visible };
        comparison.compare_all(&scan_result.entries, changes);
        Ok(())
    }

    /// Watches every folder below the given one before any of them is read.
    fn watch_folders_below(&mut self, top: &TreeFolder) -> Result<(), SearchError> {
        if !self.watch.is_active() {
            return Ok(());
        }
        for _ in 0..MAX_WATCH_ROUNDS {
            let corpus = &self.corpora[top.corpus];
            let start = vec![(top.tree, top.path.clone())];
            let known = ScanOptions { depth: ScanDepth::Folders, is_known: &|_| false };
            let scan_result = scan_from(corpus.scope, &corpus.trees, start, &known)?;
            let mut is_new = false;
            for (label, state) in scan_result.folders {
                // The next folder of this name is reported by its parent.
                if state == FolderState::Gone {
                    continue;
                }
                let corpus = &self.corpora[top.corpus];
                let Some((tree_index, below)) = corpus.find_tree(&label) else { continue };
                let tree = &corpus.trees[tree_index];
                let opened = OpenFolder::open(tree.dir(), &tree.path_from_handle(below));
                is_new |= opened.map_or(true, |folder| {
                    let name = watch_name(top.corpus, &label);
                    self.watch_folder(&folder, &name) == WatchOutcome::Added
                });
            }
            if !is_new {
                return Ok(());
            }
        }
        self.gaps.add(WatchGap::Unwatched);
        Ok(())
    }
}

/// Returns the stamp of an item's file; none if there is no such file.
fn file_stamp(tree: &ItemTree, place: &ScopedPath) -> io::Result<Option<FileStamp>> {
    Ok(file_stamp_and_sharing(tree, place)?.map(|(stamp, _)| stamp))
}

/// Returns the same stamp, and whether the file has other names.
fn file_stamp_and_sharing(
    tree: &ItemTree,
    place: &ScopedPath,
) -> io::Result<Option<(FileStamp, bool)>> {
    let (folder, name) = place.folder_and_file().unwrap_or_default();
    let opened = OpenFolder::find(tree.dir(), &tree.path_from_handle(&folder))?;
    let stamp = opened.map(|folder| folder.file_stamp_and_sharing(&name)).transpose();
    Ok(stamp.ok().flatten().flatten())
}

/// Returns the name under which a folder is watched.
fn watch_name(corpus_index: usize, label: &str) -> String {
    format!("{corpus_index}|{label}")
}

fn parse_watch_name(name: &str) -> Option<(usize, &str)> {
    let (corpus_index, label) = name.split_once('|')?;
    Some((corpus_index.parse().ok()?, label))
}
