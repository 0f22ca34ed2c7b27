//! The comparison of the files of a folder with the index.

use std::collections::{HashMap, HashSet};

use mere_core::item::ScopedPath;

use super::change_detector::{IndexChanges, PendingRead, TreeFolder};
use crate::search::index::corpus::Corpus;
use crate::search::index::known_files::KnownFile;
use crate::space::CatalogEntry;
use mere_host::map_in_parallel;

/// How many files a thread compares before it takes more.
const COMPARED_AT_ONCE: usize = 1024;

/// The comparison of scanned files with what the index knows of them. There may be very many, so
/// several threads share it.
pub(super) struct FileComparison<'a> {
    pub(super) corpus: &'a Corpus,
    pub(super) folder: &'a TreeFolder,
    pub(super) known: HashMap<String, KnownFile>,
    pub(super) is_visible: &'a (dyn Fn(&ScopedPath) -> bool + Sync),
}

impl FileComparison<'_> {
    /// Adds what must be read and what is gone to the changes.
    pub(super) fn compare_all(self, entries: &[CatalogEntry], changes: &mut IndexChanges) {
        let parts = entries.chunks(COMPARED_AT_ONCE).collect::<Vec<_>>();
        let compared = map_in_parallel(&parts, usize::MAX, |part| self.compare(part));
        let count = compared.iter().map(|(count, _)| count).sum::<usize>();
        if count < self.known.len() {
            let found = entries.iter().filter_map(|entry| self.visible_path(entry));
            let found = found.collect::<HashSet<_>>();
            let gone = self.known.iter().filter(|(path, _)| !found.contains(*path));
            changes.removed.extend(gone.map(|(_, known)| known.item));
        }
        let mut to_read = compared.into_iter().flat_map(|(_, changed)| changed).collect::<Vec<_>>();
        to_read.sort_by(|left, right| left.path.cmp(&right.path));
        changes.to_read.extend(to_read);
    }

    /// Returns how many of the files are known, and those that must be read.
    fn compare(&self, entries: &[CatalogEntry]) -> (usize, Vec<PendingRead>) {
        let (mut count, mut changed) = (0, Vec::new());
        for entry in entries {
            let Some(path) = self.visible_path(entry) else { continue };
            let known = self.known.get(&path);
            count += usize::from(known.is_some());
            if known.is_none_or(|known| known.stamp.is_none() || known.stamp != entry.stamp) {
                let indexed_item = known.map(|known| known.item);
                changed.push(PendingRead { corpus: self.folder.corpus, path, indexed_item });
            }
        }
        (count, changed)
    }

    /// Returns the path of an item that may be known.
    fn visible_path(&self, entry: &CatalogEntry) -> Option<String> {
        let path = self.corpus.item_path(self.folder.tree, &entry.place)?;
        (self.is_visible)(&entry.place).then_some(path)
    }
}
