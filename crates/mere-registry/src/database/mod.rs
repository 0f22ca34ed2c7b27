//! The database of a registry: `SQLite` in a file, or `PostgreSQL`.
//!
//! Every statement has one text for both databases, with `$1`, `$2`, … in the order of their first
//! use. Whoever writes holds the one lock of the registry, so that the log has one order.

mod connection;
mod location;
mod migrations;
#[cfg(feature = "postgres")]
mod postgres_connection;
#[cfg(feature = "postgres")]
mod postgres_tls;
mod sqlite_connection;
mod value;

use std::sync::{Mutex, MutexGuard, PoisonError};

pub(crate) use connection::{Connection, Dialect};
pub use location::{DatabaseLocation, DatabaseLocationError};
pub(crate) use value::{Row, Value};

/// How many connections are kept for the next reader.
const MAX_IDLE: usize = 32;

/// A failure of the database.
#[derive(Debug, thiserror::Error)]
pub enum DatabaseError {
    /// The database refused a statement, or cannot be reached.
    #[error("the database failed: {0}")]
    Failed(String),
    /// A row does not have the columns that the statement asks for.
    #[error("the database returned a row of another shape")]
    Shape,
    /// A newer version of the program has changed the tables.
    #[error("the database was made by a newer version of mere")]
    Newer,
    /// This program was built without `PostgreSQL`.
    #[error("this program was built without PostgreSQL; build it with `--features postgres`")]
    NoPostgres,
}

/// A database, and its connections.
pub(crate) struct Database {
    location: DatabaseLocation,
    idle: Mutex<Vec<Connection>>,
    writer: Mutex<()>,
}

impl Database {
    /// Opens the database and brings its tables up to date.
    pub(crate) fn open(location: DatabaseLocation) -> Result<Self, DatabaseError> {
        let mut connection = Connection::open(&location)?;
        migrations::apply(&mut connection)?;
        Ok(Self { location, idle: Mutex::new(vec![connection]), writer: Mutex::new(()) })
    }

    /// Runs statements that only read.
    pub(crate) fn read<T, E: From<DatabaseError>>(
        &self,
        read: impl FnOnce(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut connection = self.take()?;
        let result = read(&mut connection);
        self.give_back(connection);
        result
    }

    /// Runs statements that belong together: all of them take effect, or none. Nobody else writes
    /// meanwhile, in this process or another.
    pub(crate) fn write<T, E: From<DatabaseError>>(
        &self,
        write: impl FnOnce(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let _writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let mut connection = self.take()?;
        connection.begin()?;
        match write(&mut connection) {
            Ok(result) => {
                connection.run_script("COMMIT")?;
                self.give_back(connection);
                Ok(result)
            }
            Err(error) => {
                // A connection that cannot roll back is dropped, which does the same.
                if connection.run_script("ROLLBACK").is_ok() {
                    self.give_back(connection);
                }
                Err(error)
            }
        }
    }

    fn take(&self) -> Result<Connection, DatabaseError> {
        let idle = self.idle().pop();
        match idle.filter(Connection::is_usable) {
            Some(connection) => Ok(connection),
            None => Connection::open(&self.location),
        }
    }

    fn give_back(&self, connection: Connection) {
        let mut idle = self.idle();
        if idle.len() < MAX_IDLE {
            idle.push(connection);
        }
    }

    fn idle(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
