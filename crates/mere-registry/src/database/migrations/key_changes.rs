//! Fills the table of the third script from the log.

use mere_core::log::RegistryEvent;

use super::{Connection, DatabaseError};

/// How many entries are held at once.
const PAGE: u64 = 1_000;

/// Fills the table.
pub(super) fn fill(connection: &mut Connection) -> Result<(), DatabaseError> {
    let sql = "SELECT e.leaf_index, COALESCE(s.entry, e.entry) FROM log_entries e LEFT JOIN \
               sealed_entries s ON s.leaf_index = e.leaf_index WHERE e.leaf_index >= $1 AND \
               e.leaf_index < $2 ORDER BY e.leaf_index";
    let size = connection.query_one("SELECT COUNT(*) FROM log_entries", &[])?;
    let size = size.ok_or(DatabaseError::Shape)?.number(0)?;
    let mut first = 0;
    while first < size {
        for row in connection.query(sql, &[first.into(), (first + PAGE).into()])? {
            // What cannot be read is found by the audit.
            let event = RegistryEvent::parse(&row.bytes(1)?).ok();
            let is_key = |event: &RegistryEvent| {
                matches!(event, RegistryEvent::KeyAdd(_) | RegistryEvent::KeyRemove(_))
            };
            if let Some(event) = event.filter(is_key) {
                let insert = "INSERT INTO key_changes (namespace, leaf_index) VALUES ($1, $2)";
                let values = [event.namespace().as_str().into(), row.number(0)?.into()];
                connection.execute(insert, &values)?;
            }
        }
        first += PAGE;
    }
    Ok(())
}
