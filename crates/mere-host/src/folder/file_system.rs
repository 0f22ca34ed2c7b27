//! What kind of file system a folder is on, as far as it changes what this program can promise.

use std::io;

use cap_fs_ext::MetadataExt;
use cap_std::fs::Dir;

use crate::Folder;

/// How many entries are looked at to learn whether upper and lower case differ.
const MAX_PROBED: usize = 256;

/// Who else can change a file system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sharing {
    /// Other machines, and the hosts of virtual machines.
    Network,
    /// A program that answers for the kernel, which may stand for anything.
    Fuse,
}

/// Whether two names that differ in case are two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameCase {
    /// They are.
    Sensitive,
    /// They are one file.
    Insensitive,
}

/// The file system of a folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileSystem {
    /// The name of a file system that can change without this kernel's knowledge, and who changes
    /// it.
    pub shared: Option<(&'static str, Sharing)>,
    /// Whether nothing can be written.
    pub is_read_only: bool,
    /// Whether case matters; `None` if nothing in the folder tells.
    pub case: Option<NameCase>,
}

/// File systems that can change without this kernel's knowledge, by their magic numbers.
const SHARED_FILE_SYSTEMS: [(&str, u64, Sharing); 18] = [
    ("nfs", 0x6969, Sharing::Network),
    ("smb", 0x517B, Sharing::Network),
    ("cifs", 0xFF53_4D42, Sharing::Network),
    ("smb2", 0xFE53_4D42, Sharing::Network),
    ("fuse", 0x6573_5546, Sharing::Fuse),
    ("9p", 0x0102_1997, Sharing::Network),
    ("ceph", 0x00C3_6400, Sharing::Network),
    ("afs", 0x5346_414F, Sharing::Network),
    ("kafs", 0x6B41_4653, Sharing::Network),
    ("vboxsf", 0x786F_4256, Sharing::Network),
    ("vmhgfs", 0xBACB_ACBC, Sharing::Network),
    ("prl_fs", 0x7C7C_6673, Sharing::Network),
    ("lustre", 0x0BD0_0BD0, Sharing::Network),
    ("gpfs", 0x4750_4653, Sharing::Network),
    ("gfs2", 0x0116_1970, Sharing::Network),
    ("ocfs2", 0x7461_636F, Sharing::Network),
    ("beegfs", 0x1983_0326, Sharing::Network),
    ("coda", 0x7375_7245, Sharing::Network),
];

/// Returns the name of a file system that can change without this kernel's knowledge.
pub(crate) fn shared_file_system(magic: u64) -> Option<(&'static str, Sharing)> {
    let found = SHARED_FILE_SYSTEMS.iter().find(|(_, number, _)| *number == magic);
    found.map(|(name, _, sharing)| (*name, *sharing))
}

impl Folder {
    /// Examines the file system that the folder is on. Nothing is written.
    pub fn file_system(&self) -> io::Result<FileSystem> {
        Ok(FileSystem {
            shared: shared_file_system(magic_number(self.dir())?),
            is_read_only: is_read_only(self.dir())?,
            case: probe_case(self.dir())?,
        })
    }
}

#[cfg(target_os = "linux")]
fn magic_number(dir: &Dir) -> io::Result<u64> {
    Ok(u64::try_from(rustix::fs::fstatfs(dir)?.f_type).unwrap_or_default())
}

/// Other systems number their file systems in their own way.
#[cfg(not(target_os = "linux"))]
fn magic_number(_: &Dir) -> io::Result<u64> {
    Ok(0)
}

#[cfg(unix)]
fn is_read_only(dir: &Dir) -> io::Result<bool> {
    let flags = rustix::fs::fstatvfs(dir)?.f_flag;
    Ok(flags.contains(rustix::fs::StatVfsMountFlags::RDONLY))
}

#[cfg(not(unix))]
fn is_read_only(dir: &Dir) -> io::Result<bool> {
    Ok(dir.dir_metadata()?.permissions().readonly())
}

/// Asks for existing names in another spelling. One that is there, and is not an entry of its own,
/// is the same file under both.
fn probe_case(dir: &Dir) -> io::Result<Option<NameCase>> {
    let mut names = Vec::new();
    for entry in dir.entries()?.take(MAX_PROBED) {
        names.extend(entry?.file_name().into_string().ok());
    }
    for name in &names {
        let other = swap_case(name);
        if other == *name || names.contains(&other) {
            continue;
        }
        let (Ok(own), other) = (dir.symlink_metadata(name), dir.symlink_metadata(&other)) else {
            continue;
        };
        match other {
            Ok(other) if (own.dev(), own.ino()) == (other.dev(), other.ino()) => {
                return Ok(Some(NameCase::Insensitive));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Ok(Some(NameCase::Sensitive));
            }
            _ => {}
        }
    }
    Ok(None)
}

fn swap_case(name: &str) -> String {
    let swap = |letter: char| {
        if letter.is_ascii_lowercase() {
            letter.to_ascii_uppercase()
        } else {
            letter.to_ascii_lowercase()
        }
    };
    name.chars().map(swap).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ordinary_folder_is_local_and_tells_cases_apart() {
        let base = tempfile::tempdir().expect("a folder");
        let folder = Folder::open(base.path()).expect("opened");
        assert_eq!(folder.file_system().expect("examined").case, None, "an empty folder");
        std::fs::write(base.path().join("1"), "").expect("a file");
        std::fs::write(base.path().join("a.txt"), "").expect("a file");
        let found = folder.file_system().expect("examined");
        assert_eq!((found.shared, found.is_read_only), (None, false));
        assert_eq!(found.case, Some(NameCase::Sensitive));
    }

    #[test]
    fn two_names_of_one_file_are_not_taken_for_one() {
        let base = tempfile::tempdir().expect("a folder");
        std::fs::write(base.path().join("a"), "").expect("a file");
        std::fs::hard_link(base.path().join("a"), base.path().join("A")).expect("a link");
        let folder = Folder::open(base.path()).expect("opened");
        assert_eq!(folder.file_system().expect("examined").case, None);
    }

    #[test]
    fn shared_file_systems_are_known_by_number() {
        assert_eq!(shared_file_system(0x6969), Some(("nfs", Sharing::Network)));
        assert_eq!(shared_file_system(0x6573_5546), Some(("fuse", Sharing::Fuse)));
        assert_eq!(shared_file_system(0xEF53), None, "ext4");
    }
}
