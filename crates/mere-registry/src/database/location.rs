//! Where the database is: `sqlite:PATH`, or `postgres://…`.

use std::fmt;
use std::str::FromStr;

/// The location of a database.
#[derive(Clone, PartialEq, Eq)]
pub enum DatabaseLocation {
    /// A file.
    Sqlite(String),
    /// A server, by its URL, which may hold a password.
    Postgres(String),
}

/// A text that does not say where a database is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a database is `sqlite:PATH` or `postgres://USER@HOST/NAME`")]
pub struct DatabaseLocationError;

impl FromStr for DatabaseLocation {
    type Err = DatabaseLocationError;

    fn from_str(text: &str) -> Result<Self, DatabaseLocationError> {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            return Ok(Self::Postgres(text.to_owned()));
        }
        let path = text.strip_prefix("sqlite:").filter(|path| !path.is_empty());
        path.map(|path| Self::Sqlite(path.to_owned())).ok_or(DatabaseLocationError)
    }
}

impl fmt::Debug for DatabaseLocation {
    /// Leaves the URL of a server out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(path) => write!(f, "sqlite:{path}"),
            Self::Postgres(_) => f.write_str("postgres://…"),
        }
    }
}
