//! The file of an embedded database in the user's cache.
//!
//! Its content can be made again, so it may be lost, and databases that nobody opens any more are
//! removed.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use cap_fs_ext::MetadataExt;
use cap_std::ambient_authority;
use cap_std::fs::{Dir, OpenOptions};
#[cfg(all(target_os = "linux", not(mere_portable)))]
use mere_core::digest::Sha256;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use crate::{Cache, none_if_missing};

/// How long a write waits for another process.
const BUSY_TIMEOUT: Duration = Duration::from_secs(3);

/// A database that nobody has opened for this long is removed.
const UNUSED_AFTER: Duration = Duration::from_hours(60 * 24);
/// How often the use of a database is recorded.
const USE_RECORD_INTERVAL: Duration = Duration::from_hours(24);

/// Where a database lies.
#[derive(Clone, PartialEq, Eq)]
pub enum Database {
    /// In the cache.
    InCache(PathBuf),
    /// In memory, overflowing into an unnamed temporary file; it ends with the process.
    Temporary,
    /// In memory alone.
    InMemory,
}

impl Database {
    /// Returns where the database can be instead, if it cannot be here.
    #[must_use]
    pub fn fallback(&self) -> Self {
        match self {
            Self::InCache(_) => Self::Temporary,
            Self::Temporary | Self::InMemory => Self::InMemory,
        }
    }

    /// Checks whether the database exists as a file.
    pub fn exists(&self) -> bool {
        matches!(self, Self::InCache(path) if path.exists())
    }

    /// Returns the device and inode of the file that has the database's name now; none if there is
    /// no such file.
    pub fn file_identity(&self) -> Option<(u64, u64)> {
        let Self::InCache(path) = self else { return None };
        let metadata = fs::symlink_metadata(path).ok()?;
        Some((MetadataExt::dev(&metadata), MetadataExt::ino(&metadata)))
    }

    /// Returns the folder in which sockets about this database lie, and how their names begin.
    #[cfg(all(target_os = "linux", not(mere_portable)))]
    pub(crate) fn socket_location(&self) -> Option<(&Path, String)> {
        let Self::InCache(path) = self else { return None };
        let (folder, name) = split_path(path).ok()?;
        let digest = Sha256::digest(name.as_encoded_bytes()).to_string();
        Some((folder, digest[..24].to_owned()))
    }

    /// Opens the database and creates it if needed.
    pub fn open(&self) -> io::Result<Connection> {
        let connection = match self {
            Self::InCache(path) => open_file(path)?,
            Self::Temporary => Connection::open("").map_err(io::Error::other)?,
            Self::InMemory => Connection::open_in_memory().map_err(io::Error::other)?,
        };
        configure(&connection).map_err(io::Error::other)?;
        Ok(connection)
    }

    /// Removes the database with its journal files.
    pub fn remove(&self) -> io::Result<()> {
        match self {
            Self::InCache(path) => remove_files(path),
            Self::Temporary | Self::InMemory => Ok(()),
        }
    }

    /// Takes the lock for long work on the database. Returns `None` while another process has it.
    /// The lock ends with the process at the latest.
    pub fn try_lock(&self) -> io::Result<Option<DatabaseLock>> {
        let Self::InCache(path) = self else { return Ok(Some(DatabaseLock { _lock: None })) };
        let (folder, name) = split_path(path)?;
        check_regular_file(&with_suffix(path, "-lock"))?;
        let folder = Dir::open_ambient_dir(folder, ambient_authority())?;
        let options = OpenOptions::new().create(true).append(true).clone();
        let file = match folder.open_with(with_suffix(Path::new(name), "-lock"), &options) {
            Ok(file) => file.into_std(),
            // The lock only saves duplicate work, so going on without it is safe.
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
    super::locked_folder::create_private_folder(folder)?;
    // The cache folder may be a symbolic link; what lies in it may not.
    let path = &folder.canonicalize()?.join(name);
    for ending in ["", "-wal", "-shm", "-journal"] {
        check_regular_file(&with_suffix(path, ending))?;
    }
    record_use(path);
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_CREATE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Connection::open_with_flags(path, flags).map_err(io::Error::other)
}

/// Refuses what exists and is no regular file. Opening a pipe would wait for its other end.
fn check_regular_file(path: &Path) -> io::Result<()> {
    match none_if_missing(fs::symlink_metadata(path))? {
        Some(found) if !found.is_file() => {
            Err(io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file"))
        }
        _ => Ok(()),
    }
}

/// Splits the path of a database into its folder and its name.
fn split_path(path: &Path) -> io::Result<(&Path, &OsStr)> {
    path.parent().zip(path.file_name()).ok_or_else(|| io::ErrorKind::InvalidFilename.into())
}

/// Removes a database with its journal files.
fn remove_files(path: &Path) -> io::Result<()> {
    for ending in ["", "-wal", "-shm"] {
        match fs::remove_file(with_suffix(path, ending)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

/// Records that a database is in use, by its modification time. Before a new one is created,
/// databases of the same kind that have not been used for long are removed, for example those of
/// deleted projects. Failures are left for the next time.
fn record_use(path: &Path) {
    let age = |path: &Path| fs::symlink_metadata(path).ok()?.modified().ok()?.elapsed().ok();
    if path.exists() {
        if age(path).is_some_and(|age| age > USE_RECORD_INTERVAL) {
            let file = File::options().append(true).open(path);
            let _ = file.and_then(|file| file.set_modified(SystemTime::now()));
        }
        return;
    }
    let prefix =
        path.file_name().and_then(|name| name.to_str()).and_then(|name| name.split_once('-'));
    let (Some((prefix, _)), Some(folder)) = (prefix, path.parent()) else { return };
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        let parts = name.split('-').collect::<Vec<_>>();
        let own = entry.path();
        if matches!(&parts[..], [first, _] if *first == prefix)
            && age(&own).is_some_and(|age| age > UNUSED_AFTER)
        {
            let _ = remove_files(&own).and_then(|()| fs::remove_file(with_suffix(&own, "-lock")));
        }
    }
}

/// A lock on a database. It is released when this is dropped.
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
    // Makes query plans stable: a statement is planned the same way for every parameter.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "page_size", 8192)?;
    connection.pragma_update(None, "journal_mode", "wal")?;
    // What a power cut destroys is made again; the file itself stays consistent.
    connection.pragma_update(None, "synchronous", "normal")?;
    connection.pragma_update(None, "wal_autocheckpoint", 4000)?;
    connection.pragma_update(None, "cache_size", -4096)?;
    connection.pragma_update(None, "temp_store", "memory")
}

impl Cache {
    /// Returns the database of this name.
    pub fn database(&self, name: &str) -> Database {
        Database::InCache(self.path().join(name))
    }
}
