//! Whether files have changed since they were looked at, without reading them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cap_fs_ext::MetadataExt;
use cap_std::fs::Metadata;
use serde::{Deserialize, Serialize};

/// Files that are looked at again and again, folder by folder: a folder that is not there, or that
/// is found once, spares a look for each of its files.
#[derive(Default)]
pub struct WatchedFiles(Vec<(PathBuf, Vec<OsString>)>);

/// What they looked like at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct FileStamps(Vec<Option<FileStamp>>);

/// What a file or a folder looked like: which one it is, and when it last changed. The time of
/// change is the system's own, and a program cannot set it back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64, i64, i64)", into = "(u64, u64, i64, i64)")]
pub struct FileStamp {
    inode: u64,
    pub size: u64,
    /// In nanoseconds since 1970, like the next.
    pub modified: i64,
    changed: i64,
}

/// How long after a change another one may still leave the same stamp: file systems count time in
/// steps, the coarsest of two seconds.
const COARSEST_TIME_STEP: i64 = 2_000_000_000;

impl FileStamp {
    #[cfg(all(target_os = "linux", not(mere_portable)))]
    pub(super) fn from_stat(stat: &rustix::fs::Stat) -> Self {
        let part = |nanoseconds| i64::try_from(nanoseconds).unwrap_or_default();
        Self {
            inode: stat.st_ino,
            size: u64::try_from(stat.st_size).unwrap_or_default(),
            modified: total_nanoseconds(stat.st_mtime, part(stat.st_mtime_nsec)),
            changed: total_nanoseconds(stat.st_ctime, part(stat.st_ctime_nsec)),
        }
    }

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

    /// Whether something that changed just before `now` could look the same.
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

/// The machine's clock, as stamps have it.
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
    /// Adds a file, whether or not it is there.
    pub(super) fn add(&mut self, path: &Path) {
        let folder = path.parent().unwrap_or(Path::new("")).to_owned();
        let name = path.file_name().unwrap_or_default().to_owned();
        match self.0.iter_mut().find(|(known, _)| *known == folder) {
            Some((_, names)) => names.push(name),
            None => self.0.push((folder, vec![name])),
        }
    }

    /// What they look like now; that one is not there is a stamp too.
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
fn look_in(folder: &Path, names: &[OsString], stamps: &mut Vec<Option<FileStamp>>) {
    stamps.extend(names.iter().map(|name| {
        let metadata = folder.join(name).symlink_metadata().ok()?;
        Some(FileStamp::of(&Metadata::from_just_metadata(metadata)))
    }));
}
