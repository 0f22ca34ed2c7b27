//! Fills the table of the second script from the versions that were published before it. The names
//! of the tables are those of that time.

use mere_core::registry::VersionRecord;

use super::{Connection, DatabaseError, Value};

/// The type, the table of its versions, and the column of its id.
const TABLES: [(&str, &str, &str); 4] = [
    ("directive", "directive_versions", "directive_id"),
    ("tool", "tool_versions", "tool_id"),
    ("knowledge", "knowledge_versions", "zettel_id"),
    ("lockfile", "lockfile_versions", "lockfile_id"),
];
/// How many records are held at once.
const PAGE: usize = 500;

/// Fills the table.
pub(super) fn fill(connection: &mut Connection) -> Result<(), DatabaseError> {
    for (kind, versions, id) in TABLES {
        let sql = format!(
            "SELECT namespace, {id}, version, record FROM {versions} \
             WHERE (namespace, {id}, version) > ($1, $2, $3) ORDER BY namespace, {id}, version \
             LIMIT {PAGE}"
        );
        let mut last = [""; 3].map(Value::from);
        loop {
            let rows = connection.query(&sql, &last)?;
            for row in &rows {
                let (namespace, id) = (row.text(0)?, row.text(1)?);
                // What cannot be read is found by the audit, and serves no files.
                let record = VersionRecord::parse(row.text(3)?.as_bytes()).ok();
                let statement = record.and_then(|record| record.parse_statement().ok());
                for file in statement.into_iter().flat_map(|statement| statement.files) {
                    let digest = file.sha256.to_string();
                    let values = [(&namespace).into(), digest.into(), kind.into(), (&id).into()];
                    connection.execute(INSERT, &values)?;
                }
                last = [namespace.into(), id.into(), row.text(2)?.into()];
            }
            if rows.len() < PAGE {
                break;
            }
        }
    }
    Ok(())
}

const INSERT: &str = "INSERT INTO published_blobs (namespace, sha256, item_type, item_id) \
                      VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING";
