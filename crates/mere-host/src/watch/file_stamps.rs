//! Stamps of files, which tell whether they have changed without reading them.
//!
//! A stamp that was taken too soon after a change proves nothing; see [`FileStamp::is_racy`].

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use serde::{Deserialize, Serialize};

/// Files whose stamps are compared again and again, grouped by folder: a folder is looked up once
/// for all its files, and if it does not exist, none of them is looked up.
#[derive(Default)]
pub struct WatchedFiles(Vec<(PathBuf, Vec<OsString>)>);

/// The stamps of all watched files at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileStamps(Vec<Option<FileStamp>>);

/// The state of a file or folder at one moment: its inode, size and times. The change time is set
/// by the system, and a program cannot set it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, i64, i64)", into = "(u64, u64, i64, i64)")]
pub struct FileStamp {
    inode: u64,
    /// The size of the file in bytes.
    pub size: u64,
    /// Nanoseconds since 1970, like `changed`.
    pub modified: i64,
    changed: i64,
}

/// How long after a change another change may still leave the same stamp: file systems store time
/// in steps, the coarsest of two seconds.
const COARSEST_TIME_STEP: i64 = 2_000_000_000;

impl FileStamp {
    #[cfg(all(target_os = "linux", not(mere_portable)))]
    pub(crate) fn from_stat(stat: &rustix::fs::Stat) -> Self {
        let part = |nanoseconds| i64::try_from(nanoseconds).unwrap_or_default();
        Self {
            inode: stat.st_ino,
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: total_nanoseconds(stat.st_mtime, part(stat.st_mtime_nsec)),
            changed: total_nanoseconds(stat.st_ctime, part(stat.st_ctime_nsec)),
        }
    }

    /// Reads the stamp out of a file's metadata.
    pub fn from_metadata(metadata: &Metadata) -> Self {
        #[cfg(unix)]
        let (modified, changed) = {
            use cap_std::fs::MetadataExt as _;
            (
                total_nanoseconds(metadata.mtime(), metadata.mtime_nsec()),
                total_nanoseconds(metadata.ctime(), metadata.ctime_nsec()),
            )
        };
        #[cfg(not(unix))]
        let (modified, changed) = {
            let modified = metadata.modified().ok().map(cap_std::time::SystemTime::into_std);
            (modified.map_or(0, nanoseconds_since_epoch), 0)
        };
        Self { inode: MetadataExt::ino(metadata), size: metadata.len(), modified, changed }
    }

    /// Checks whether the file changed so shortly before `now` that another change could leave the
    /// same stamp.
    pub fn is_racy(&self, now: i64) -> bool {
        self.modified.max(self.changed).saturating_add(COARSEST_TIME_STEP) >= now
    }
}

impl From<(u64, u64, i64, i64)> for FileStamp {
    fn from((inode, size, modified, changed): (u64, u64, i64, i64)) -> Self {
        Self { inode, size, modified, changed }
    }
}

impl From<FileStamp> for (u64, u64, i64, i64) {
    fn from(stamp: FileStamp) -> Self {
        (stamp.inode, stamp.size, stamp.modified, stamp.changed)
    }
}

/// Makes an id that sorts by the time it was made. A clock before 1970 counts as 1970.
pub fn new_sortable_id() -> uuid::Uuid {
    let milliseconds = u64::try_from(now_nanoseconds() / 1_000_000).unwrap_or_default();
    let mut random = [0; 10];
    random.copy_from_slice(&uuid::Uuid::new_v4().as_bytes()[..10]);
    uuid::Builder::from_unix_timestamp_millis(milliseconds, &random).into_uuid()
}

/// Returns the machine's clock in the unit of stamps.
pub fn now_nanoseconds() -> i64 {
    nanoseconds_since_epoch(std::time::SystemTime::now())
}

fn nanoseconds_since_epoch(time: std::time::SystemTime) -> i64 {
    let since = time.duration_since(std::time::UNIX_EPOCH);
    since.map_or(0, |since| i64::try_from(since.as_nanos()).unwrap_or(i64::MAX))
}

fn total_nanoseconds(seconds: i64, part: i64) -> i64 {
    seconds.saturating_mul(1_000_000_000).saturating_add(part)
}

impl WatchedFiles {
    /// Adds a file, whether or not it exists.
    pub(crate) fn add(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = path.file_name().unwrap_or_default().to_owned();
        match self.0.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(name),
            None => self.0.push((folder, vec![name])),
        }
    }

    /// Returns the current stamps. A missing file is recorded as missing.
    pub fn read_stamps(&self) -> FileStamps {
        let mut stamps = Vec::new();
        for (folder, names) in &self.0 {
            stamp_files_in(folder, names, &mut stamps);
        }
        FileStamps(stamps)
    }
}

#[cfg(all(target_os = "linux", not(mere_portable)))]
fn stamp_files_in(folder: &Path, names: &[OsString], stamps: &mut Vec<Option<FileStamp>>) {
    use rustix::fs::{AtFlags, Mode, OFlags, open, statat};
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let folder = open(folder, flags, Mode::empty()).ok();
    stamps.extend(names.iter().map(|name| {
        let stat = statat(folder.as_ref()?, name, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        Some(FileStamp::from_stat(&stat))
    }));
}

#[cfg(not(all(target_os = "linux", not(mere_portable))))]
fn stamp_files_in(folder: &Path, names: &[OsString], stamps: &mut Vec<Option<FileStamp>>) {
    stamps.extend(names.iter().map(|name| {
        let metadata = folder.join(name).symlink_metadata().ok()?;
        Some(FileStamp::from_metadata(&Metadata::from_just_metadata(metadata)))
    }));
}
