//! Sweeping: files that were sent and never published are removed, and so are those that a server
//! stored and did not record before it died.
//!
//! A publish and a sweep exclude each other: both change rows under the one lock of writers, and a
//! publish looks for its files there once more. A file is marked as swept before its bytes are
//! removed, and whoever sends a file that is marked puts the bytes again under the same lock. So no
//! version can name a file whose bytes a sweep has removed, whenever the two are interrupted.

use std::slice;

use jiff::Timestamp;
use mere_core::digest::Sha256;

use super::record_check::RecordCheck;
use crate::accounts::{Actor, record_event};
use crate::blobs::ListedBlob;
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
    fn add(&mut self, size: u64) {
        self.files += 1;
        self.bytes += size;
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
        let mut check = RecordCheck::default();
        self.database.read(|connection| check.check_newer(connection))?;
        let time = Value::from(clock::format(before));
        let sql =
            format!("SELECT namespace, sha256, size FROM namespace_blobs WHERE {UNPUBLISHED}");
        let found =
            self.database.read(|connection| connection.query(&sql, slice::from_ref(&time)))?;
        let found = found.iter().map(SentBlob::read).collect::<Result<Vec<_>, _>>()?;
        let mut report = SweepReport::default();
        match mode {
            SweepMode::Count => found.iter().for_each(|blob| report.add(blob.size)),
            SweepMode::Remove => {
                for blobs in found.chunks(BATCH) {
                    let swept = self.database.write(|connection| {
                        check.check_newer(connection)?;
                        mark_swept(connection, blobs, &time)
                    })?;
                    for blob in swept {
                        report.add(blob.size);
                    }
                }
                self.database.write(|connection| forget_senders(connection, &time))?;
                self.remove_all_marked()?;
            }
        }
        self.sweep_orphans(before, mode, &mut report)?;
        Ok(report)
    }

    /// Finds the files in the store that were stored before this time and that no row names, and
    /// removes them.
    fn sweep_orphans(
        &self,
        before: Timestamp,
        mode: SweepMode,
        report: &mut SweepReport,
    ) -> Result<(), RegistryError> {
        let is_empty = self.database.read(|connection| {
            let sql = "SELECT 1 FROM namespace_blobs LIMIT 1";
            Ok::<_, DatabaseError>(connection.query_one(sql, &[])?.is_none())
        })?;
        // To a database without files every store looks full of orphans: it may be the wrong one.
        if is_empty {
            return Ok(());
        }
        self.blobs.visit_pages(|mut page| {
            page.retain(|blob| blob.stored < before);
            for blobs in page.chunks(BATCH) {
                let orphans = match mode {
                    SweepMode::Count => {
                        self.database.read(|connection| find_orphans(connection, blobs))?
                    }
                    SweepMode::Remove => {
                        self.database.write(|connection| mark_orphans(connection, blobs))?
                    }
                };
                for blob in orphans {
                    report.add(blob.size);
                }
            }
            match mode {
                SweepMode::Count => Ok(()),
                SweepMode::Remove => self.remove_all_marked(),
            }
        })
    }

    fn remove_all_marked(&self) -> Result<(), RegistryError> {
        while self.database.write(|connection| self.remove_marked(connection))? > 0 {}
        Ok(())
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

/// Forgets that these files were sent, unless they were published or sent again meanwhile, and marks
/// those that no namespace has. Returns those that were forgotten.
fn mark_swept<'a>(
    connection: &mut Connection,
    blobs: &'a [SentBlob],
    before: &Value,
) -> Result<Vec<&'a SentBlob>, RegistryError> {
    let delete = format!(
        "DELETE FROM namespace_blobs WHERE {UNPUBLISHED} AND namespace = $2 AND sha256 = $3"
    );
    let mut swept = Vec::new();
    for blob in blobs {
        let SentBlob { namespace, digest, .. } = blob;
        let values = [before.clone(), namespace.into(), digest.into()];
        if connection.execute(&delete, &values)? == 0 {
            continue;
        }
        swept.push(blob);
        if !is_named(connection, digest)? {
            mark_for_removal(connection, digest)?;
        }
    }
    record_sweep(connection, swept.len())?;
    Ok(swept)
}

/// Returns those of these files that no row names.
fn find_orphans(
    connection: &mut Connection,
    blobs: &[ListedBlob],
) -> Result<Vec<ListedBlob>, RegistryError> {
    let mut orphans = Vec::new();
    for blob in blobs {
        if !is_named(connection, &blob.digest.to_string())? {
            orphans.push(*blob);
        }
    }
    Ok(orphans)
}

/// Marks those of these files that no row names, and returns them.
fn mark_orphans(
    connection: &mut Connection,
    blobs: &[ListedBlob],
) -> Result<Vec<ListedBlob>, RegistryError> {
    let orphans = find_orphans(connection, blobs)?;
    for blob in &orphans {
        mark_for_removal(connection, &blob.digest.to_string())?;
    }
    record_sweep(connection, orphans.len())?;
    Ok(orphans)
}

/// Reports whether a file was sent to a namespace, or belongs to an item.
fn is_named(connection: &mut Connection, digest: &str) -> Result<bool, DatabaseError> {
    for table in ["namespace_blobs", "published_blobs"] {
        let sql = format!(
            "SELECT 1 FROM namespaces n JOIN {table} b ON b.namespace = n.name \
             WHERE b.sha256 = $1 LIMIT 1"
        );
        if connection.query_one(&sql, &[digest.into()])?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn mark_for_removal(connection: &mut Connection, digest: &str) -> Result<(), DatabaseError> {
    let sql = "INSERT INTO swept_blobs (sha256, swept_at) VALUES ($1, $2) \
               ON CONFLICT (sha256) DO UPDATE SET swept_at = EXCLUDED.swept_at, removed_at = NULL";
    connection.execute(sql, &[digest.into(), clock::format(clock::now()).into()])?;
    Ok(())
}

fn record_sweep(connection: &mut Connection, count: usize) -> Result<(), RegistryError> {
    if count > 0 {
        record_event(connection, &Actor::Operator, "blob.sweep", &format!("{count} files"))?;
    }
    Ok(())
}
