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
const PATIENCE: Duration = Duration::from_secs(3);

/// A database that nobody opened for so long is removed.
const UNUSED: Duration = Duration::from_hours(60 * 24);
/// How often it is noted that one is used.
const DAY: Duration = Duration::from_hours(24);

/// Where a database lies.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    /// In the cache.
    At(PathBuf),
    /// In memory, and what does not fit there in a file without a name: it ends with the process.
    Passing,
    /// In memory alone.
    InMemory,
}

impl Database {
    /// Where it can be instead, if it cannot be here.
    pub fn elsewhere(&self) -> Self {
        match self {
            Self::At(_) => Self::Passing,
            Self::Passing | Self::InMemory => Self::InMemory,
        }
    }

    /// Whether there is one to be opened.
    pub fn is_there(&self) -> bool {
        matches!(self, Self::At(path) if path.exists())
    }

    /// Opens it, and makes it if it is not there.
    pub fn open(&self) -> io::Result<Connection> {
        let connection = match self {
            Self::At(path) => open(path)?,
            Self::Passing => Connection::open("").map_err(io::Error::other)?,
            Self::InMemory => Connection::open_in_memory().map_err(io::Error::other)?,
        };
        settle(&connection).map_err(io::Error::other)?;
        Ok(connection)
    }

    /// Removes it with all that belongs to it.
    pub fn remove(&self) -> io::Result<()> {
        match self {
            Self::At(path) => remove(path),
            Self::Passing | Self::InMemory => Ok(()),
        }
    }

    /// The lock for work on it that takes long; none while another process has it. It ends with the
    /// process.
    pub fn try_lock(&self) -> io::Result<Option<Held>> {
        let Self::At(path) = self else { return Ok(Some(Held { _lock: None })) };
        let (folder, name) = split(path)?;
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        let options = OpenOptions::new().create(true).append(true).clone();
        let file = match folder.open_with(with_ending(Path::new(name), "-lock"), &options) {
            Ok(file) => file.into_std(),
            // It spares work, and nothing more.
            Err(_) => return Ok(Some(Held { _lock: None })),
        };
        match file.try_lock() {
            Ok(()) => Ok(Some(Held { _lock: Some(file) })),
            Err(fs::TryLockError::WouldBlock) => Ok(None),
            Err(fs::TryLockError::Error(error)) => Err(error),
        }
    }
}

fn open(path: &Path) -> io::Result<Connection> {
    let (folder, name) = split(path)?;
    super::durable::make_private(folder)?;
    // The cache may be a link; what lies in it may not.
    let path = &folder.canonicalize()?.join(name);
    note_use(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags).map_err(io::Error::other)
}

/// The folder of a database, and its name there.
fn split(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
}

/// Removes a database with all that belongs to it.
fn remove(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        match fs::remove_file(with_ending(path, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Notes that a database is used. Before a new one is made, those go that were not for long: of
/// projects that are gone, for example. What fails is left for the next time.
fn note_use(path: &Path) {
    let age = |path: &Path| fs::symlink_metadata(path).ok()?.modified().ok()?.elapsed().ok();
    if path.exists() {
        if age(path).is_some_and(|age| age > DAY) {
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
            && age(&own).is_some_and(|age| age > UNUSED)
        {
            let _ = remove(&own).and_then(|()| fs::remove_file(with_ending(&own, "-lock")));
        }
    }
}

/// A lock that is held.
pub struct Held {
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
    connection.pragma_update(None, "cache_size", -4096)?;
    connection.pragma_update(None, "temp_store", "memory")
}

impl Cache {
    /// A database of this name.
    pub fn database(&self, name: &str) -> Database {
        Database::At(self.path().join(name))
    }
}
