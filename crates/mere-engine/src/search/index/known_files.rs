//! The files that the index knows, each with its stamp.
//!
//! A stamp is stored only if a later change of the file is sure to alter it, so an equal stamp
//! means an unchanged file.

use std::collections::HashMap;

use jiff::Timestamp;
use rusqlite::OptionalExtension;

use super::{CorpusId, SearchIndex};
use mere_host::FileStamp;

/// What the index knows of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct KnownFile {
    pub(crate) item: u32,
    /// None if the file may have changed since without a different stamp.
    pub(crate) stamp: Option<FileStamp>,
}

impl SearchIndex {
    /// Returns every known file in a folder of a corpus and below, by its path.
    pub(crate) fn known_files_below(
        &self,
        corpus: CorpusId,
        folder: &str,
    ) -> rusqlite::Result<HashMap<String, KnownFile>> {
        // Every path begins with the empty prefix, and every path in a folder with the folder and a
        // slash.
        let start = if folder.is_empty() { String::new() } else { format!("{folder}/") };
        let end = format!("{start}\u{10ffff}");
        let mut all = self.connection.prepare_cached(
            "SELECT path, id, stamp FROM item WHERE corpus = ? AND path >= ? AND path < ?",
        )?;
        let rows = all.query_map((corpus, start, end), |row| {
            Ok((
                row.get(0)?,
                KnownFile {
                    item: row.get(1)?,
                    stamp: decode_stamp(row.get_ref(2)?.as_blob().ok()),
                },
            ))
        })?;
        rows.collect()
    }

    /// Returns what is known of one file.
    pub(crate) fn known_file(
        &self,
        corpus: CorpusId,
        path: &str,
    ) -> rusqlite::Result<Option<KnownFile>> {
        let mut one = self
            .connection
            .prepare_cached("SELECT id, stamp FROM item WHERE corpus = ? AND path = ?")?;
        let known = one.query_row((corpus, path), |row| {
            Ok(KnownFile { item: row.get(0)?, stamp: decode_stamp(row.get_ref(1)?.as_blob().ok()) })
        });
        known.optional()
    }

    /// Returns the corpus of an item and its path there.
    pub(crate) fn item_path(&self, item: u32) -> rusqlite::Result<Option<(CorpusId, String)>> {
        let mut one =
            self.connection.prepare_cached("SELECT corpus, path FROM item WHERE id = ?")?;
        one.query_row([item], |row| Ok((row.get(0)?, row.get(1)?))).optional()
    }

    /// Returns the time when the file of an item was modified.
    pub(crate) fn modified_at(&self, item: u32) -> rusqlite::Result<Option<Timestamp>> {
        let mut one = self.connection.prepare_cached("SELECT modified FROM item WHERE id = ?")?;
        let at = one.query_row([item], |row| row.get::<_, i64>(0)).optional()?;
        Ok(at.and_then(|at| Timestamp::from_nanosecond(i128::from(at)).ok()))
    }

    /// Returns the items that have expired at a time, in nanoseconds since 1970.
    pub(crate) fn expired_items(&self, now: i64) -> rusqlite::Result<Vec<u32>> {
        let mut all = self.connection.prepare_cached("SELECT id FROM item WHERE expires <= ?")?;
        all.query_map([now], |row| row.get(0))?.collect()
    }
}

pub(super) fn encode_stamp(stamp: FileStamp) -> [u8; 32] {
    let (inode, size, modified, changed) = stamp.into();
    let mut bytes = [0; 32];
    let parts =
        [inode.to_le_bytes(), size.to_le_bytes(), modified.to_le_bytes(), changed.to_le_bytes()];
    bytes.copy_from_slice(parts.as_flattened());
    bytes
}

fn decode_stamp(bytes: Option<&[u8]>) -> Option<FileStamp> {
    let (parts, []) = bytes?.as_chunks::<8>() else { return None };
    let [inode, size, modified, changed] = parts else { return None };
    let (inode, size) = (u64::from_le_bytes(*inode), u64::from_le_bytes(*size));
    Some(FileStamp::from((
        inode,
        size,
        i64::from_le_bytes(*modified),
        i64::from_le_bytes(*changed),
    )))
}
