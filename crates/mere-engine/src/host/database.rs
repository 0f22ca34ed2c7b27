//! The file of an embedded database in the user's cache. It can be made again.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::Cache;

/// How long a change waits for another process's.
const PATIENCE: Duration = Duration::from_secs(10);

/// Where a database lies; nowhere if it is in memory.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Database(Option<PathBuf>);

impl Database {
    pub(super) fn at(path: PathBuf) -> Self {
        Self(Some(path))
    }

    /// One that ends with the process: there is no cache.
    pub(crate) fn in_memory() -> Self {
        Self(None)
    }

    /// Opens it, and makes it if it is not there.
    pub(crate) fn open(&self) -> io::Result<Connection> {
        let Some(path) = &self.0 else {
            return Connection::open_in_memory().map_err(io::Error::other);
        };
        if let Some(folder) = path.parent() {
            super::durable::make_private(folder)?;
        }
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_CREATE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags).map_err(io::Error::other)?;
        settle(&connection).map_err(io::Error::other)?;
        Ok(connection)
    }

    /// Removes it with all that belongs to it.
    pub(crate) fn remove(&self) -> io::Result<()> {
        let Some(path) = &self.0 else { return Ok(()) };
        for ending in ["", "-wal", "-shm"] {
            match fs::remove_file(with_ending(path, ending)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    /// The lock for work on it that takes long; none while another process has it. It ends with the
    /// process.
    pub(crate) fn try_lock(&self) -> io::Result<Option<Held>> {
        let Some(path) = &self.0 else { return Ok(Some(Held { _lock: None })) };
        let file = File::options().create(true).append(true).open(with_ending(path, "-lock"))?;
        match file.try_lock() {
            Ok(()) => Ok(Some(Held { _lock: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

/// A lock that is held.
pub(crate) struct Held {
    _lock: Option<File>,
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

fn settle(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(PATIENCE)?;
    // A statement is planned once, whatever it is asked about.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // What a power cut takes is made again; the file stays sound.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    connection.pragma_update(None, "cache_size", -8192)?;
    connection.pragma_update(None, "temp_store", "memory")
}

impl Cache {
    /// A database of this name.
    pub(crate) fn database(&self, name: &str) -> Database {
        Database::at(self.path().join(name))
    }
}
