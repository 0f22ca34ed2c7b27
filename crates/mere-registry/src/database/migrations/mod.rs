//! The tables, as numbered scripts. Each is applied once, in order, in one transaction with the
//! record that it was.

use super::{Connection, DatabaseError, Dialect, Value};

/// The scripts for `SQLite`.
const SQLITE: [&str; 1] = [include_str!("sqlite/0001_registry.sql")];
/// The scripts for `PostgreSQL`.
#[cfg(feature = "postgres")]
const POSTGRES: [&str; 1] = [include_str!("postgres/0001_registry.sql")];

const TABLE: &str = "CREATE TABLE IF NOT EXISTS schema_migrations (number BIGINT PRIMARY KEY)";

/// Applies every script that was not applied yet. Another process that starts at the same time
/// waits.
pub(super) fn apply(connection: &mut Connection) -> Result<(), DatabaseError> {
    let scripts: &[&str] = match connection.dialect() {
        Dialect::Sqlite => &SQLITE,
        #[cfg(feature = "postgres")]
        Dialect::Postgres => &POSTGRES,
    };
    connection.begin()?;
    match apply_missing(connection, scripts) {
        Ok(()) => connection.run_script("COMMIT"),
        Err(error) => {
            connection.run_script("ROLLBACK")?;
            Err(error)
        }
    }
}

fn apply_missing(connection: &mut Connection, scripts: &[&str]) -> Result<(), DatabaseError> {
    connection.run_script(TABLE)?;
    let row =
        connection.query_one("SELECT COALESCE(MAX(number), 0) FROM schema_migrations", &[])?;
    let applied = row.ok_or(DatabaseError::Shape)?.number(0)?;
    let applied = usize::try_from(applied).unwrap_or(usize::MAX);
    if applied > scripts.len() {
        return Err(DatabaseError::Newer);
    }
    for (index, script) in scripts.iter().enumerate().skip(applied) {
        connection.run_script(script)?;
        let number = Value::from(index + 1);
        connection.execute("INSERT INTO schema_migrations (number) VALUES ($1)", &[number])?;
    }
    Ok(())
}
