//! A connection to `SQLite`.
//!
//! What is committed is on the disk: the journal is a write-ahead log that is synced at every
//! commit.

use std::time::Duration;

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{ToSql, params_from_iter};

use super::{DatabaseError, Row, Value};

/// How long a writer waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(30);
/// How many statements a connection keeps prepared.
const MAX_PREPARED: usize = 128;

/// The settings of every connection.
const SETTINGS: &str = "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; \
                        PRAGMA foreign_keys = ON; PRAGMA cache_size = -4096; \
                        PRAGMA mmap_size = 268435456; \
                        PRAGMA trusted_schema = OFF;";

/// The connection.
pub(crate) struct SqliteConnection(rusqlite::Connection);

impl From<rusqlite::Error> for DatabaseError {
    fn from(error: rusqlite::Error) -> Self {
        Self::Failed(error.to_string())
    }
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Integer(number) => ValueRef::Integer(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

impl SqliteConnection {
    pub(super) fn open(path: &str) -> Result<Self, DatabaseError> {
        let connection = rusqlite::Connection::open(path)?;
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(MAX_PREPARED);
        connection.execute_batch(SETTINGS)?;
        Ok(Self(connection))
    }

    pub(super) fn run_script(&mut self, script: &str) -> Result<(), DatabaseError> {
        Ok(self.0.execute_batch(script)?)
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, DatabaseError> {
        let mut statement = self.0.prepare_cached(sql)?;
        Ok(statement.execute(params_from_iter(values))? as u64)
    }

    pub(super) fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, DatabaseError> {
        let mut statement = self.0.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut found = statement.query(params_from_iter(values))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            let values = (0..columns).map(|column| read_value(row.get_ref(column)?));
            rows.push(Row(values.collect::<Result<_, DatabaseError>>()?));
        }
        Ok(rows)
    }
}

fn read_value(value: ValueRef<'_>) -> Result<Value, DatabaseError> {
    Ok(match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Text(text) => {
            Value::Text(String::from_utf8(text.to_vec()).map_err(|_| DatabaseError::Shape)?)
        }
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_vec()),
        ValueRef::Real(_) => return Err(DatabaseError::Shape),
    })
}
