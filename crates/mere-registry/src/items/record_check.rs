//! The check before a sweep that every file of every version is recorded.
//!
//! A server of an older version, which may still run, does not record the files, and what it
//! published must not be swept. Versions never change, so that each is read once.

use mere_core::registry::{RegistryType, VersionRecord};

use super::item_table::ItemTable;
use crate::database::{Connection, DatabaseError, Row, Value};
use crate::error::RegistryError;

/// How many records are held at once.
const PAGE: usize = 500;

/// Which versions were checked.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RecordCheck {
    /// The entry of the log before which all versions were checked.
    next: u64,
}

impl RecordCheck {
    /// Checks the versions that were not checked yet.
    pub(super) fn check_newer(&mut self, connection: &mut Connection) -> Result<(), RegistryError> {
        // Entries are added one after the other: below this index nothing is published any more.
        let size = connection.query_one("SELECT COUNT(*) FROM log_entries", &[])?;
        let end = size.ok_or(DatabaseError::Shape)?.number(0)?;
        for kind in RegistryType::ALL {
            let ItemTable { versions, id, .. } = ItemTable::of(kind);
            let sql = format!(
                "SELECT leaf_index, namespace, {id}, record FROM {versions} WHERE leaf_index >= $1 \
                 ORDER BY leaf_index LIMIT {PAGE}"
            );
            let mut first = self.next;
            loop {
                let rows = connection.query(&sql, &[first.into()])?;
                for row in &rows {
                    check_version(connection, kind, row)?;
                    first = row.number(0)? + 1;
                }
                if rows.len() < PAGE {
                    break;
                }
            }
        }
        self.next = end;
        Ok(())
    }
}

/// Checks that each file that was signed is recorded for the item. What cannot be read may have any
/// file.
fn check_version(
    connection: &mut Connection,
    kind: RegistryType,
    row: &Row,
) -> Result<(), RegistryError> {
    let sql = "SELECT 1 FROM published_blobs WHERE namespace = $1 AND sha256 = $2 AND \
               item_type = $3 AND item_id = $4";
    let (namespace, id) = (row.text(1)?, row.text(2)?);
    let record = VersionRecord::parse(row.text(3)?.as_bytes()).ok();
    let statement = record.and_then(|record| record.parse_statement().ok());
    for file in statement.ok_or(RegistryError::Unrecorded)?.files {
        let digest = file.sha256.to_string();
        let values = [(&namespace).into(), Value::from(digest), kind.name().into(), (&id).into()];
        if connection.query_one(sql, &values)?.is_none() {
            return Err(RegistryError::Unrecorded);
        }
    }
    Ok(())
}
