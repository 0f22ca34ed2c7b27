//! The file of an embedded database in the user's cache. It can be made again.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::Cache;

/// How long a change waits for another process's.
const BUSY_TIMEOUT: Duration = Duration::from_secs(3);

/// A database that nobody opened for so long is removed.
const UNUSED_AFTER: Duration = Duration::from_hours(60 * 24);
/// How often it is noted that one is used.
const USE_RECORD_INTERVAL: Duration = Duration::from_hours(24);

/// Where a database lies.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    /// In the cache.
    InCache(PathBuf),
    /// In memory, and what does not fit there in a file without a name: it ends with the process.
    Temporary,
    /// In memory alone.
    InMemory,
}

impl Database {
    /// Where it can be instead, if it cannot be here.
    pub fn fallback(&self) -> Self {
        match self {
            Self::InCache(_) => Self::Temporary,
            Self::Temporary | Self::InMemory => Self::InMemory,
        }
    }

    /// Whether there is one to be opened.
    pub fn exists(&self) -> bool {
        matches!(self, Self::InCache(path) if path.exists())
    }

    /// Opens it, and makes it if it is not there.
    pub fn open(&self) -> io::Result<Connection> {
        let connection = match self {
            Self::InCache(path) => open_file(path)?,
            Self::Temporary => Connection::open("").map_err(io::Error::other)?,
            Self::InMemory => Connection::open_in_memory().map_err(io::Error::other)?,
        };
        configure(&connection).map_err(io::Error::other)?;
        Ok(connection)
    }

    /// Removes it with all that belongs to it.
    pub fn remove(&self) -> io::Result<()> {
        match self {
            Self::InCache(path) => remove_files(path),
            Self::Temporary | Self::InMemory => Ok(()),
        }
    }

    /// The lock for work on it that takes long; none while another process has it. It ends with the
    /// process.
    pub fn try_lock(&self) -> io::Result<Option<DatabaseLock>> {
        let Self::InCache(path) = self else { return Ok(Some(DatabaseLock { _lock: None })) };
        let (folder, name) = split_path(path)?;
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        let options = OpenOptions::new().create(true).append(true).clone();
        let file = match folder.open_with(with_suffix(Path::new(name), "-lock"), &options) {
            Ok(file) => file.into_std(),
            // It spares work, and nothing more.
            Err(_) => return Ok(Some(DatabaseLock { _lock: None })),
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(DatabaseLock { _lock: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

fn open_file(path: &Path) -> io::Result<Connection> {
    let (folder, name) = split_path(path)?;
    super::durable::create_private_folder(folder)?;
    // The cache may be a link; what lies in it may not.
    let path = &folder.canonicalize()?.join(name);
    record_use(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags).map_err(io::Error::other)
}

/// The folder of a database, and its name there.
fn split_path(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
}

/// Removes a database with all that belongs to it.
fn remove_files(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        match fs::remove_file(with_suffix(path, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Notes that a database is used. Before a new one is made, those go that were not for long: of
/// projects that are gone, for example. What fails is left for the next time.
fn record_use(path: &Path) {
    let age = |path: &Path| fs::symlink_metadata(path).ok()?.modified().ok()?.elapsed().ok();
    if path.exists() {
        if age(path).is_some_and(|age| age > USE_RECORD_INTERVAL) {
            let file = File::options().append(true).open(path);
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        }
        return;
    }
    let kin = path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('-'));
    let (Some((kin, _)), Some(folder)) = (kin, path.parent()) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let parts = name.split('-').collect::<Vec<_>>();
        let own = entry.path();
        if matches!(&parts[..], [first, _] if *first == kin)
            && age(&own).is_some_and(|age| age > UNUSED_AFTER)
        {
            let _ = remove_files(&own).and_then(|()| fs::remove_file(with_suffix(&own, "-lock")));
        }
    }
}

/// A lock that is held.
pub struct DatabaseLock {
    _lock: Option<File>,
}

fn with_suffix(path: &Path, ending: &str) -> PathBuf {
    let mut path = path.as_os_str().to_owned();
    path.push(ending);
    path.into()
}

fn configure(connection: &Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(BUSY_TIMEOUT)?;
    // A statement is planned once, whatever it is asked about.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // What a power cut takes is made again; the file stays sound.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    connection.pragma_update(None, "cache_size", -4096)?;
    connection.pragma_update(None, "temp_store", "memory")
}

impl Cache {
    /// A database of this name.
    pub fn database(&self, name: &str) -> Database {
        Database::InCache(self.path().join(name))
    }
}
