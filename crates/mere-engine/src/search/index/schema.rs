//! The tables of the index, and how they are created.
//!
//! Everything can be built again from the files. Tables that another version of this program wrote,
//! or that are damaged, are thrown away as a whole.

use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};

/// The version of the tables and of how texts are read into them.
const SCHEMA_VERSION: i32 = 8;

const TABLES: &str = "
    CREATE TABLE counter (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    INSERT INTO counter VALUES ('generation', 1), ('next', 1), ('vectors', 1), ('epoch', 1);
    CREATE TABLE corpus (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, trees TEXT NOT NULL);
    CREATE TABLE item (
        id INTEGER PRIMARY KEY,
        corpus INTEGER NOT NULL,
        path TEXT NOT NULL,
        stamp BLOB,
        kind INTEGER NOT NULL,
        name TEXT NOT NULL,
        category TEXT NOT NULL,
        expires INTEGER,
        modified INTEGER NOT NULL,
        title TEXT NOT NULL,
        entry_type TEXT,
        UNIQUE (corpus, path)
    );
    CREATE INDEX item_by_name ON item (name, kind);
    CREATE INDEX item_by_expiry ON item (expires) WHERE expires IS NOT NULL;
    CREATE TABLE link (item INTEGER NOT NULL, relation TEXT NOT NULL, target TEXT NOT NULL);
    CREATE INDEX link_by_item ON link (item);
    CREATE INDEX link_by_target ON link (target);
    CREATE TABLE segment (id INTEGER PRIMARY KEY, items BLOB NOT NULL, words BLOB NOT NULL);
    CREATE TABLE posting (
        segment INTEGER NOT NULL,
        word TEXT NOT NULL,
        items BLOB NOT NULL,
        positions BLOB NOT NULL,
        PRIMARY KEY (segment, word)
    ) WITHOUT ROWID;
    CREATE TABLE deleted_item (item INTEGER PRIMARY KEY);
    CREATE TABLE model (id INTEGER PRIMARY KEY, name TEXT NOT NULL, dimensions INTEGER NOT NULL,
        UNIQUE (name, dimensions));
    CREATE TABLE vector (item INTEGER PRIMARY KEY, model INTEGER NOT NULL, data BLOB NOT NULL,
        text INTEGER);
    CREATE INDEX vector_by_model ON vector (model);
";

/// Creates the tables, unless those of this version exist.
pub(super) fn ensure_tables(connection: &mut Connection) -> rusqlite::Result<()> {
    if schema_version(connection)? == SCHEMA_VERSION {
        return Ok(());
    }
    let change = begin_write(connection)?;
    // Another process may have created them in the meantime.
    if schema_version(&change)? != SCHEMA_VERSION {
        let names = {
            let mut tables = change.prepare(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
            )?;
            let names = tables.query_map([], |row| row.get::<_, String>(0))?;
            names.collect::<rusqlite::Result<Vec<_>>>()?
        };
        for name in names {
            change.execute_batch(&format!("DROP TABLE \"{}\"", name.replace('"', "\"\"")))?;
        }
        change.execute_batch(TABLES)?;
        change.pragma_update(None, "user_version", SCHEMA_VERSION)?;
    }
    change.commit()
}

/// Empties the tables. One empty segment stays, so that no later segment gets a number that was
/// used before.
pub(super) fn empty_tables(change: &Connection) -> rusqlite::Result<()> {
    change.execute_batch(
        "INSERT INTO segment (items, words) VALUES (x'', x'');
         DELETE FROM segment WHERE id < (SELECT max(id) FROM segment);
         DELETE FROM posting; DELETE FROM item; DELETE FROM link; DELETE FROM deleted_item;
         DELETE FROM vector;",
    )
}

/// Checks that items and segments agree: every item has one live slot.
pub(super) fn is_consistent(connection: &Connection, live: usize) -> rusqlite::Result<bool> {
    let items = connection.query_row("SELECT count(*) FROM item", [], |row| row.get::<_, i64>(0));
    Ok(items? == super::to_sql_integer(live))
}

fn schema_version(connection: &Connection) -> rusqlite::Result<i32> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}

/// Begins a write transaction; only one process at a time has one.
pub(super) fn begin_write(connection: &mut Connection) -> rusqlite::Result<Transaction<'_>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate)
}

/// Returns the error for a file whose parts contradict each other.
pub(crate) fn corruption_error() -> rusqlite::Error {
    let corrupt = rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_CORRUPT);
    rusqlite::Error::SqliteFailure(corrupt, Some("its parts are inconsistent".to_owned()))
}

/// How an index is recovered after an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IndexRecovery {
    /// It is damaged, and is created again.
    Recreate,
    /// It cannot be stored at its place, and is created elsewhere.
    Relocate,
}

impl IndexRecovery {
    pub(crate) fn for_error(error: &rusqlite::Error) -> Option<Self> {
        match error {
            rusqlite::Error::SqliteFailure(failure, _) => match failure.code {
                ErrorCode::DatabaseCorrupt
                | ErrorCode::NotADatabase
                | ErrorCode::ConstraintViolation
                | ErrorCode::TypeMismatch => Some(Self::Recreate),
                // A missing table or column.
                _ if failure.extended_code == rusqlite::ffi::SQLITE_ERROR => Some(Self::Recreate),
                ErrorCode::ReadOnly
                | ErrorCode::CannotOpen
                | ErrorCode::DiskFull
                | ErrorCode::SystemIoFailure
                | ErrorCode::PermissionDenied
                | ErrorCode::FileLockingProtocolFailed
                | ErrorCode::NoLargeFileSupport => Some(Self::Relocate),
                _ => None,
            },
            // A value whose type is not the one that was written.
            rusqlite::Error::InvalidColumnType(..)
            | rusqlite::Error::Utf8Error(..)
            | rusqlite::Error::FromSqlConversionFailure(..)
            | rusqlite::Error::IntegralValueOutOfRange(..)
            | rusqlite::Error::QueryReturnedNoRows => Some(Self::Recreate),
            _ => None,
        }
    }
}
