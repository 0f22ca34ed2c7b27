//! A connection to `PostgreSQL`.
//!
//! Whoever writes takes the registry's advisory lock first, so that writers of all servers come one
//! after another.

use std::collections::HashMap;
use std::error::Error;

use postgres::config::SslMode;
use postgres::types::private::BytesMut;
use postgres::types::{FromSql, IsNull, ToSql, Type, to_sql_checked};
use postgres::{Client, Config, NoTls, Statement};

use super::postgres_tls::VerifiedTls;
use super::{DatabaseError, Row, Value};

/// The number of the advisory lock: "mere" and 1.
const WRITER_LOCK: &str = "BEGIN; SELECT pg_advisory_xact_lock(1835365989, 1)";
/// The settings of every connection: what is committed is on the disk, plans are short, and of the
/// items with a word that is everywhere only some are looked at.
const SETTINGS: &str = "SET synchronous_commit = on; SET jit = off; \
                        SET gin_fuzzy_search_limit = 10000";
/// How many statements a connection keeps prepared.
const MAX_PREPARED: usize = 256;

/// The connection.
pub(crate) struct PostgresConnection {
    /// It is there until the connection is dropped.
    client: Option<Client>,
    prepared: HashMap<String, Statement>,
}

impl From<postgres::Error> for DatabaseError {
    fn from(error: postgres::Error) -> Self {
        let source = error.source().map(|source| format!(": {source}")).unwrap_or_default();
        Self::Failed(format!("{error}{source}"))
    }
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Integer(number) => number.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
            Self::Bytes(bytes) => bytes.to_sql(kind, out),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, raw).map(Self::Integer),
            Type::INT4 => i32::from_sql(kind, raw).map(|number| Self::Integer(number.into())),
            Type::BYTEA => Vec::<u8>::from_sql(kind, raw).map(Self::Bytes),
            _ => String::from_sql(kind, raw).map(Self::Text),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self::Null)
    }

    fn accepts(_: &Type) -> bool {
        true
    }
}

impl PostgresConnection {
    pub(super) fn open(url: &str) -> Result<Self, DatabaseError> {
        let config = url.parse::<Config>()?;
        let mut client = match config.get_ssl_mode() {
            SslMode::Require => config.connect(VerifiedTls::new()?)?,
            _ => config.connect(NoTls)?,
        };
        client.batch_execute(SETTINGS)?;
        Ok(Self { client: Some(client), prepared: HashMap::new() })
    }

    pub(super) fn is_open(&self) -> bool {
        self.client.as_ref().is_some_and(|client| !client.is_closed())
    }

    pub(super) fn begin(&mut self) -> Result<(), DatabaseError> {
        self.run_script(WRITER_LOCK)
    }

    pub(super) fn run_script(&mut self, script: &str) -> Result<(), DatabaseError> {
        Ok(self.client()?.batch_execute(script)?)
    }

    pub(super) fn execute(&mut self, sql: &str, values: &[Value]) -> Result<u64, DatabaseError> {
        let statement = self.prepare(sql)?;
        let values = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect::<Vec<_>>();
        Ok(self.client()?.execute(&statement, &values)?)
    }

    pub(super) fn query(&mut self, sql: &str, values: &[Value]) -> Result<Vec<Row>, DatabaseError> {
        let statement = self.prepare(sql)?;
        let values = values.iter().map(|value| value as &(dyn ToSql + Sync)).collect::<Vec<_>>();
        let found = self.client()?.query(&statement, &values)?;
        let rows = found.iter().map(|row| {
            let values = (0..row.len()).map(|column| row.try_get::<_, Value>(column));
            values.collect::<Result<_, _>>().map(Row)
        });
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn client(&mut self) -> Result<&mut Client, DatabaseError> {
        self.client.as_mut().ok_or(DatabaseError::Shape)
    }

    fn prepare(&mut self, sql: &str) -> Result<Statement, DatabaseError> {
        if let Some(statement) = self.prepared.get(sql) {
            return Ok(statement.clone());
        }
        let statement = self.client()?.prepare(sql)?;
        if self.prepared.len() >= MAX_PREPARED {
            self.prepared.clear();
        }
        self.prepared.insert(sql.to_owned(), statement.clone());
        Ok(statement)
    }
}

impl Drop for PostgresConnection {
    /// The client waits for its connection to close, which it may not do on a thread that serves
    /// requests.
    fn drop(&mut self) {
        if let Some(client) = self.client.take() {
            let _ = std::thread::spawn(move || drop(client)).join();
        }
    }
}
