//! Sweeping: files that were sent and never published are removed.
//!
//! A publish and a sweep exclude each other: both change rows under the one lock of writers, and a
//! publish looks for its files there once more. A file is marked as swept before its bytes are
//! removed, and whoever sends a file that is marked puts the bytes again under the same lock. So no
//! version can name a file whose bytes a sweep has removed, whenever the two are interrupted.

use std::slice;

use jiff::Timestamp;
use mere_core::digest::Sha256;
use mere_core::registry::RegistryType;

use super::item_table::ItemTable;
use crate::accounts::{Actor, record_event};
use crate::clock;
use crate::database::{Connection, DatabaseError, Row, Value};
use crate::error::RegistryError;
use crate::registry::Registry;

/// How many files are removed while others wait to write.
const BATCH: usize = 100;

/// Whether a sweep removes what it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepMode {
    /// It only counts.
    Count,
    /// It removes.
    Remove,
}

/// What a sweep found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SweepReport {
    /// How many files.
    pub files: u64,
    /// How many bytes they have.
    pub bytes: u64,
}

impl SweepReport {
    fn add(&mut self, blob: &SentBlob) {
        self.files += 1;
        self.bytes += blob.size;
    }
}

/// A file that was sent to a namespace.
struct SentBlob {
    namespace: String,
    digest: String,
    size: u64,
}

impl SentBlob {
    fn read(row: &Row) -> Result<Self, DatabaseError> {
        Ok(Self { namespace: row.text(0)?, digest: row.text(1)?, size: row.number(2)? })
    }
}

/// The condition on a row of `namespace_blobs`, of which `$1` is the time.
const UNPUBLISHED: &str = "created_at < $1 AND NOT EXISTS (SELECT 1 FROM published_blobs p WHERE \
     p.namespace = namespace_blobs.namespace AND p.sha256 = namespace_blobs.sha256)";

impl Registry {
    /// Finds the files that were sent before this time and that no version has, and removes them.
    pub fn sweep_blobs(
        &self,
        before: Timestamp,
        mode: SweepMode,
    ) -> Result<SweepReport, RegistryError> {
        let before = Value::from(clock::format(before));
        let sql =
            format!("SELECT namespace, sha256, size FROM namespace_blobs WHERE {UNPUBLISHED}");
        let found =
            self.database.read(|connection| connection.query(&sql, slice::from_ref(&before)))?;
        let found = found.iter().map(SentBlob::read).collect::<Result<Vec<_>, _>>()?;
        let mut report = SweepReport::default();
        match mode {
            SweepMode::Count => found.iter().for_each(|blob| report.add(blob)),
            SweepMode::Remove => {
                for blobs in found.chunks(BATCH) {
                    let write = |connection: &mut _| mark_swept(connection, blobs, &before);
                    self.database.write(write)?.into_iter().for_each(|blob| report.add(blob));
                }
                self.database.write(|connection| forget_senders(connection, &before))?;
                while self.database.write(|connection| self.remove_marked(connection))? > 0 {}
            }
        }
        Ok(report)
    }

    /// Removes the bytes of some files that are marked. Returns of how many.
    fn remove_marked(&self, connection: &mut Connection) -> Result<usize, RegistryError> {
        let sql = format!("SELECT sha256 FROM swept_blobs WHERE removed_at IS NULL LIMIT {BATCH}");
        let rows = connection.query(&sql, &[])?;
        let now = clock::format(clock::now());
        for row in &rows {
            let digest = row.text(0)?;
            let parsed = digest.parse::<Sha256>().map_err(|_| DatabaseError::Shape)?;
            self.blobs.remove(&parsed)?;
            let sql = "UPDATE swept_blobs SET removed_at = $1 WHERE sha256 = $2";
            connection.execute(sql, &[(&now).into(), digest.into()])?;
        }
        Ok(rows.len())
    }
}

/// Forgets who sent files before this time. Whoever publishes one of them sends it again.
fn forget_senders(connection: &mut Connection, before: &Value) -> Result<(), RegistryError> {
    let sql = "DELETE FROM blob_senders WHERE sent_at < $1";
    connection.execute(sql, slice::from_ref(before))?;
    Ok(())
}

/// Checks that the files of every version are recorded. A server of an older version, which may still
/// run, does not record them, and what it published must not be swept.
fn check_records(connection: &mut Connection) -> Result<(), RegistryError> {
    for kind in RegistryType::ALL {
        let versions = ItemTable::of(kind).versions;
        let sql = format!(
            "SELECT 1 FROM {versions} v WHERE NOT EXISTS (SELECT 1 FROM published_blobs p WHERE \
             p.namespace = v.namespace AND p.sha256 = v.content_hash) LIMIT 1"
        );
        if connection.query_one(&sql, &[])?.is_some() {
            return Err(RegistryError::Unrecorded);
        }
    }
    Ok(())
}

/// Forgets that these files were sent, unless they were published or sent again meanwhile, and marks
/// those that no namespace has. Returns those that were forgotten.
fn mark_swept<'a>(
    connection: &mut Connection,
    blobs: &'a [SentBlob],
    before: &Value,
) -> Result<Vec<&'a SentBlob>, RegistryError> {
    check_records(connection)?;
    let delete = format!(
        "DELETE FROM namespace_blobs WHERE {UNPUBLISHED} AND namespace = $2 AND sha256 = $3"
    );
    let elsewhere = "SELECT 1 FROM namespaces n JOIN namespace_blobs b ON b.namespace = n.name \
                     WHERE b.sha256 = $1 LIMIT 1";
    let mark = "INSERT INTO swept_blobs (sha256, swept_at) VALUES ($1, $2) \
                ON CONFLICT (sha256) DO UPDATE SET swept_at = EXCLUDED.swept_at, removed_at = NULL";
    let now = clock::format(clock::now());
    let mut swept = Vec::new();
    for blob in blobs {
        let SentBlob { namespace, digest, .. } = blob;
        let values = [before.clone(), namespace.into(), digest.into()];
        if connection.execute(&delete, &values)? == 0 {
            continue;
        }
        swept.push(blob);
        if connection.query_one(elsewhere, &[digest.into()])?.is_none() {
            connection.execute(mark, &[digest.into(), (&now).into()])?;
        }
    }
    if !swept.is_empty() {
        let subject = format!("{} files", swept.len());
        record_event(connection, &Actor::Operator, "blob.sweep", &subject)?;
    }
    Ok(swept)
}
