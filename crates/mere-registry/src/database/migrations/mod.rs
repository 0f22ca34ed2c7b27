//! The tables, as numbered scripts. Each is applied once, in order, in one transaction with the
//! record that it was.

mod key_changes;
mod published_blobs;

use super::{Connection, DatabaseError, Dialect, Value};

/// A function that fills a new table from what is there.
type Fill = fn(&mut Connection) -> Result<(), DatabaseError>;

/// A step from one state of the tables to the next.
struct Migration {
    script: &'static str,
    /// What a script cannot do.
    fill: Option<Fill>,
}

/// The steps for `SQLite`.
const SQLITE: [Migration; 4] = [
    Migration { script: include_str!("sqlite/0001_registry.sql"), fill: None },
    Migration {
        script: include_str!("sqlite/0002_published_blobs.sql"),
        fill: Some(published_blobs::fill),
    },
    Migration {
        script: include_str!("sqlite/0003_key_changes.sql"),
        fill: Some(key_changes::fill),
    },
    Migration { script: include_str!("sqlite/0004_blob_senders.sql"), fill: None },
];
/// The steps for `PostgreSQL`.
#[cfg(feature = "postgres")]
const POSTGRES: [Migration; 4] = [
    Migration { script: include_str!("postgres/0001_registry.sql"), fill: None },
    Migration {
        script: include_str!("postgres/0002_published_blobs.sql"),
        fill: Some(published_blobs::fill),
    },
    Migration {
        script: include_str!("postgres/0003_key_changes.sql"),
        fill: Some(key_changes::fill),
    },
    Migration { script: include_str!("postgres/0004_blob_senders.sql"), fill: None },
];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY)";

/// Applies every step that was not applied yet. Another process that starts at the same time
/// waits.
pub(super) fn apply(connection: &mut Connection) -> Result<(), DatabaseError> {
    let steps: &[Migration] = match connection.dialect() {
        Dialect::Sqlite => &SQLITE,
        #[cfg(feature = "postgres")]
        Dialect::Postgres => &POSTGRES,
    };
    connection.begin()?;
    match apply_missing(connection, steps) {
        Ok(()) => connection.run_script("COMMIT"),
        Err(error) => {
            connection.run_script("ROLLBACK")?;
            Err(error)
        }
    }
}

fn apply_missing(connection: &mut Connection, steps: &[Migration]) -> Result<(), DatabaseError> {
    connection.run_script(TABLE)?;
    let row =
        connection.query_one("SELECT COALESCE(MAX(number), 0) FROM schema_migrations", &[])?;
    let applied = row.ok_or(DatabaseError::Shape)?.number(0)?;
    let applied = usize::try_from(applied).unwrap_or(usize::MAX);
    if applied > steps.len() {
        return Err(DatabaseError::Newer);
    }
    for (index, step) in steps.iter().enumerate().skip(applied) {
        connection.run_script(step.script)?;
        if let Some(fill) = step.fill {
            fill(connection)?;
        }
        let number = Value::from(index + 1);
        connection.execute("INSERT INTO schema_migrations (number) VALUES ($1)", &[number])?;
    }
    Ok(())
}
