//! One connection to either database.

#[cfg(feature = "postgres")]
use super::postgres_connection::PostgresConnection;
use super::sqlite_connection::SqliteConnection;
use super::{DatabaseError, DatabaseLocation, Row, Value};

/// Which database it is, where the two differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    #[cfg(feature = "postgres")]
    Postgres,
}

/// A connection.
pub(crate) enum Connection {
    Sqlite(SqliteConnection),
    #[cfg(feature = "postgres")]
    Postgres(Box<PostgresConnection>),
}

impl Connection {
    /// Connects.
    pub(super) fn open(location: &DatabaseLocation) -> Result<Self, DatabaseError> {
        match location {
            DatabaseLocation::Sqlite(path) => SqliteConnection::open(path).map(Self::Sqlite),
            #[cfg(feature = "postgres")]
            DatabaseLocation::Postgres(url) => {
                PostgresConnection::open(url).map(Box::new).map(Self::Postgres)
            }
            #[cfg(not(feature = "postgres"))]
            DatabaseLocation::Postgres(_) => Err(DatabaseError::NoPostgres),
        }
    }

    /// Returns which database it is.
    pub(crate) fn dialect(&self) -> Dialect {
        match self {
            Self::Sqlite(_) => Dialect::Sqlite,
            #[cfg(feature = "postgres")]
            Self::Postgres(_) => Dialect::Postgres,
        }
    }

    /// Reports whether the connection is still open.
    pub(super) fn is_usable(&self) -> bool {
        match self {
            Self::Sqlite(_) => true,
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.is_open(),
        }
    }

    /// Begins a transaction, and waits until nobody else writes.
    pub(super) fn begin(&mut self) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite(connection) => connection.run_script("BEGIN IMMEDIATE"),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.begin(),
        }
    }

    /// Runs a script of statements without values.
    pub(super) fn run_script(&mut self, script: &str) -> Result<(), DatabaseError> {
        match self {
            Self::Sqlite(connection) => connection.run_script(script),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.run_script(script),
        }
    }

    /// Runs a statement, and returns how many rows it has changed.
    pub(crate) fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, DatabaseError> {
        match self {
            Self::Sqlite(connection) => connection.execute(sql, values),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.execute(sql, values),
        }
    }

    /// Returns the rows that a statement finds.
    pub(crate) fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, DatabaseError> {
        match self {
            Self::Sqlite(connection) => connection.query(sql, values),
            #[cfg(feature = "postgres")]
            Self::Postgres(connection) => connection.query(sql, values),
        }
    }

    /// Returns the only row that a statement finds, if there is one.
    pub(crate) fn query_one(
        &mut self,
        sql: &str,
        values: &[Value],
    ) -> Result<Option<Row>, DatabaseError> {
        Ok(self.query(sql, values)?.into_iter().next())
    }
}
