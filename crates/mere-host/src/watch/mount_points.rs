//! The places where other file systems or folders are mounted, as this process sees them.
//!
//! A mount hides what lies below it without any notification, so whoever relies on notifications
//! asks whether anything is mounted there. The system says cheaply whether that can have changed.

use std::ffi::OsString;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

use cap_std::fs::Dir;
use rustix::event::{PollFd, PollFlags, Timespec, poll};

/// The table of mount points, open to be asked whether it changes.
pub struct MountTable(File);

impl MountTable {
    /// Opens the table.
    pub fn open() -> io::Result<Self> {
        File::open("/proc/self/mountinfo").map(Self)
    }

    /// Checks whether anything was mounted or unmounted since the last call, or since the table was
    /// opened.
    pub fn has_changed(&self) -> bool {
        let mut asked = [PollFd::new(&self.0, PollFlags::PRI)];
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        // What cannot be asked may have changed.
        poll(&mut asked, Some(&now)).map_or(true, |events| events > 0)
    }
}

/// The mount points of this process.
pub struct MountPoints(Vec<PathBuf>);

impl MountPoints {
    /// Reads the mount points as they are now.
    pub fn read() -> io::Result<Self> {
        let table = std::fs::read("/proc/self/mountinfo")?;
        let lines = table.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
        // The fifth field is the mount point.
        let points = lines.map(|line| line.split(|byte| *byte == b' ').nth(4).map(unescape));
        let points = points.collect::<Option<Vec<_>>>();
        Ok(Self(points.ok_or(io::ErrorKind::InvalidData)?))
    }

    /// Checks whether anything is mounted below a folder, or at it unless it is the handle's own.
    /// `path` leads from the handle to the folder.
    pub fn has_any_below(&self, handle: &Dir, path: &str) -> io::Result<bool> {
        let top = path_of(handle)?;
        let folder = if path.is_empty() { top.clone() } else { top.join(path) };
        Ok(self.0.iter().any(|point| point.starts_with(&folder) && *point != top))
    }
}

/// Returns the path under which the system knows an open folder.
#[cfg(unix)]
fn path_of(handle: &Dir) -> io::Result<PathBuf> {
    use std::os::fd::AsRawFd;
    std::fs::read_link(Path::new("/proc/self/fd").join(handle.as_raw_fd().to_string()))
}

#[cfg(not(unix))]
fn path_of(_: &Dir) -> io::Result<PathBuf> {
    Err(io::ErrorKind::Unsupported.into())
}

/// Decodes a field of the table, in which white space and backslashes are written in octal.
fn unescape(field: &[u8]) -> PathBuf {
    let (mut bytes, mut rest) = (Vec::new(), field);
    while let Some((first, after)) = rest.split_first() {
        let octal = after.get(..3).filter(|_| *first == b'\\');
        let octal =
            octal.and_then(|digits| u8::from_str_radix(str::from_utf8(digits).ok()?, 8).ok());
        bytes.push(octal.unwrap_or(*first));
        rest = if octal.is_some() { &after[3..] } else { after };
    }
    to_path(bytes)
}

#[cfg(unix)]
fn to_path(bytes: Vec<u8>) -> PathBuf {
    <OsString as std::os::unix::ffi::OsStringExt>::from_vec(bytes).into()
}

#[cfg(not(unix))]
fn to_path(bytes: Vec<u8>) -> PathBuf {
    OsString::from(String::from_utf8_lossy(&bytes).into_owned()).into()
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use cap_std::ambient_authority;

    use super::*;

    #[test]
    fn spaces_and_backslashes_are_decoded() {
        assert_eq!(unescape(br"/a\040b\134c"), Path::new(r"/a b\c"));
        assert_eq!(unescape(br"/a\04"), Path::new(r"/a\04"));
    }

    #[test]
    fn a_mount_counts_at_a_path_and_below_it() {
        let base = tempfile::tempdir().expect("a folder");
        let handle = Dir::open_ambient_dir(base.path(), ambient_authority()).expect("opened");
        let top = base.path().canonicalize().expect("a path");
        let check = |point: &str, path: &str| {
            let points = MountPoints(vec![top.join(point), PathBuf::from("/")]);
            points.has_any_below(&handle, path).expect("checked")
        };
        assert!(check("a", "a") && check("a/b", "a") && check("a", ""));
        assert!(!check("ab", "a") && !check("b", "a") && !check("", ""));
    }

    #[test]
    fn a_table_that_was_just_opened_has_not_changed() {
        let table = MountTable::open().expect("opened");
        assert!(!table.has_changed());
    }

    #[test]
    fn the_table_of_this_process_is_read() {
        let points = MountPoints::read().expect("read");
        assert!(points.0.iter().any(|point| point == Path::new("/")), "{:?}", points.0);
    }
}
