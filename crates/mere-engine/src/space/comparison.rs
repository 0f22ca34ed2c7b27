//! Compares the index on disk with a fresh scan.
//!
//! It only reports differences and writes nothing.

use std::collections::BTreeMap;
use std::io;

use super::Space;
use super::bare_script::BareScript;
use super::entry::CatalogEntry;
use super::index::IndexFile;
use super::index_record::IndexRecord;
use super::scan::{Stray, scan};
use super::scan_options::ScanDepth;

/// The differences between an index and the disk.
pub(crate) struct IndexComparison {
    /// The state of the index file, in words.
    pub(crate) state: &'static str,
    /// Items that are missing from the index.
    pub(crate) missing: Vec<String>,
    /// Items whose main file differs from what the index says.
    pub(crate) changed: Vec<String>,
    /// Items in the index that are not on disk.
    pub(crate) gone: Vec<String>,
    /// Files and folders that seem to be meant as items but are not.
    pub(crate) strays: Vec<Stray>,
    /// Scripts that belong to no tool.
    pub(crate) bare_scripts: Vec<BareScript>,
    is_sound: bool,
}

impl IndexComparison {
    /// Compares the index of a space. Returns `None` if there is no space.
    pub(crate) fn compare(space: &Space) -> io::Result<Option<Self>> {
        let Some(folder) = space.folder() else { return Ok(None) };
        let scan_result = scan(space, ScanDepth::Digests)?;
        let mut index = IndexFile::open(folder, space.scope);
        let record = IndexRecord::read(space);
        let is_recorded = index.as_mut().zip(record).is_some_and(|(index, record)| {
            index.integrity = record.integrity;
            index.stamp == record.index_stamp && index.check_unchanged().is_ok()
        });
        let listed = index.as_mut().and_then(|index| index.all().ok());
        let (state, sound) = match (&index, &listed, is_recorded) {
            (None, ..) if scan_result.entries.is_empty() => ("not needed", true),
            (None, ..) => ("there is none", false),
            (_, None, _) => ("corrupt", false),
            (_, _, false) => {
                ("not written by this program on this machine, so it is not used", false)
            }
            (_, _, true) => ("up to date", true),
        };
        let mut old = map_by_path(listed.unwrap_or_default());
        let mut comparison = Self {
            state,
            missing: Vec::new(),
            changed: Vec::new(),
            gone: Vec::new(),
            strays: scan_result.strays,
            bare_scripts: scan_result.bare_scripts,
            is_sound: sound,
        };
        for (path, entry) in map_by_path(scan_result.entries) {
            match old.remove(&path) {
                None => comparison.missing.push(path),
                Some(old) if old.sha256 != entry.sha256 => comparison.changed.push(path),
                Some(_) => {}
            }
        }
        comparison.gone = old.into_keys().collect();
        if comparison.is_sound && comparison.count_differences() > 0 {
            comparison.state = "out of date";
        }
        Ok(Some(comparison))
    }

    /// Returns how many differences there are; at least one if the index itself is unusable.
    pub(crate) fn count_differences(&self) -> usize {
        let listed = self.missing.len() + self.changed.len() + self.gone.len();
        if self.is_sound { listed } else { listed.max(1) }
    }
}

fn map_by_path(entries: Vec<CatalogEntry>) -> BTreeMap<String, CatalogEntry> {
    entries.into_iter().filter_map(|entry| Some((entry.path()?, entry))).collect()
}
