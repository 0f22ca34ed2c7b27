//! The root file system of a cell: what a tool sees instead of the machine.
//!
//! Everything is read-only but `/work`. The system's programs and libraries are shown as they are;
//! the tool's own files are written here, from the bytes that were verified. The machine's own
//! mounts are detached.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use rustix::mount::{
    MountFlags, MountPropagationFlags, UnmountFlags, mount, mount_bind_recursive, mount_change,
    mount_remount, unmount,
};
use rustix::process::pivot_root;

use super::network::CERTIFICATE_PATHS;
use super::program::SYSTEM_PATHS;
use super::protocol::{Access, BindMount, CellNetwork};

/// A folder that every machine has, on which the new root is mounted for a moment.
const PIVOT_POINT: &str = "/proc";
/// Where the machine's root is until it is detached.
const OLD_ROOT: &str = "/old";
/// Where the tool's own files are.
const TOOL_FOLDER: &str = "/tool";
/// The settings of the system that are shown.
const SYSTEM_SETTINGS: [&str; 2] = ["etc/ld.so.cache", "etc/alternatives"];
/// Mounts that belong to the cell itself or are devices.
const CELL_MOUNTS: [&str; 3] = [OLD_ROOT, "/proc", "/dev"];
/// The devices and the access to them. `zero` is read-only, because a shared writable mapping of it
/// would be memory that is not accounted for.
const DEVICES: [(&str, Access); 5] = [
    ("null", Access::Write),
    ("full", Access::Write),
    ("zero", Access::Read),
    ("random", Access::Read),
    ("urandom", Access::Read),
];
const DESCRIPTOR_LINKS: [(&str, &str); 4] = [
    ("fd", "/proc/self/fd"),
    ("stdin", "/proc/self/fd/0"),
    ("stdout", "/proc/self/fd/1"),
    ("stderr", "/proc/self/fd/2"),
];
const ETC_FILES: [(&str, &str); 4] = [
    ("etc/passwd", "tool:x:1000:1000::/work:/bin/sh\n"),
    ("etc/group", "tool:x:1000:\n"),
    ("etc/hosts", "127.0.0.1 localhost\n"),
    ("etc/nsswitch.conf", "passwd: files\ngroup: files\nhosts: files\n"),
];

/// Whether a tool can see the processes of its cell in `/proc`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ProcVisibility {
    Shown,
    Hidden,
}

/// Replaces the machine's root by a new one for this cell, and shows the system in it.
///
/// What the machine mounts later still appears below the old root, until [`show_folders`]: the order
/// may name it.
pub(super) fn enter_system() -> io::Result<()> {
    mount_change("/", MountPropagationFlags::DOWNSTREAM | MountPropagationFlags::REC)?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", PIVOT_POINT, "tmpfs", plain, c"mode=0755,size=80m,nr_inodes=8k")?;
    let old = format!("{PIVOT_POINT}{OLD_ROOT}");
    fs::create_dir(&old)?;
    pivot_root(PIVOT_POINT, old.as_str())?;
    std::env::set_current_dir("/")?;
    fs::create_dir("/proc")?;
    mount("proc", "/proc", "proc", plain | MountFlags::NOEXEC, c"subset=pid")?;
    for path in SYSTEM_PATHS {
        bind_system_path(path.trim_start_matches('/'))?;
    }
    bind_devices()?;
    for (name, text) in ETC_FILES {
        write_file(&Path::new("/").join(name), text.as_bytes())?;
    }
    Ok(())
}

/// Shows what the order names, and restricts every mount of the machine that is shown.
pub(super) fn show_folders(
    binds: &[BindMount],
    processes: ProcVisibility,
    network: CellNetwork,
) -> io::Result<()> {
    mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC)?;
    // A file is shown as it is now: its folder may have another one since the system was shown.
    let certificates = CERTIFICATE_PATHS.into_iter().filter(|_| network == CellNetwork::Proxy);
    for name in SYSTEM_SETTINGS.into_iter().chain(certificates) {
        bind_system_path(name)?;
    }
    for bind in binds {
        bind_folder(bind)?;
    }
    restrict_mounts(binds)?;
    if processes == ProcVisibility::Hidden {
        unmount("/proc", UnmountFlags::DETACH)?;
    }
    Ok(())
}

/// Writes the tool's files, whose contents are read from `bytes`.
pub(super) fn write_tool_files(files: &[(String, u64)], mut bytes: impl Read) -> io::Result<()> {
    fs::create_dir(TOOL_FOLDER)?;
    for (name, size) in files {
        let mut text = vec![0; usize::try_from(*size).map_err(io::Error::other)?];
        bytes.read_exact(&mut text)?;
        let path = Path::new(TOOL_FOLDER).join(name);
        write_file(&path, &text)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o555))?;
    }
    Ok(())
}

/// Detaches the machine's root and makes the new root read-only.
pub(super) fn detach_old_root() -> io::Result<()> {
    unmount(OLD_ROOT, UnmountFlags::DETACH)?;
    fs::remove_dir(OLD_ROOT)?;
    let flags = MountFlags::BIND | MountFlags::RDONLY | MountFlags::NOSUID | MountFlags::NODEV;
    Ok(mount_remount("/", flags, "")?)
}

/// Returns the paths of the system that a tool may access, and how.
pub(super) fn system_paths() -> impl Iterator<Item = (PathBuf, Access)> {
    let system = SYSTEM_PATHS.into_iter().chain(["/etc"]);
    let system = system.map(|place| (PathBuf::from(place), Access::Read));
    let devices = DEVICES.map(|(name, access)| (Path::new("/dev").join(name), access));
    system.chain(devices).filter(|(path, _)| path.exists())
}

/// Returns the paths of the order that a tool may access, and how.
pub(super) fn ordered_paths(binds: &[BindMount]) -> impl Iterator<Item = (PathBuf, Access)> {
    let shown = binds.iter().map(|bind| (PathBuf::from(&bind.target), bind.access));
    let tool = (PathBuf::from(TOOL_FOLDER), Access::Read);
    shown.chain([tool]).filter(|(path, _)| path.exists())
}

/// Shows a part of the system as it is: a symbolic link stays one.
fn bind_system_path(name: &str) -> io::Result<()> {
    let (source, target) = (Path::new(OLD_ROOT).join(name), Path::new("/").join(name));
    let metadata = match fs::symlink_metadata(&source) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if metadata.is_symlink() {
        target.parent().map_or(Ok(()), fs::create_dir_all)?;
        return symlink(fs::read_link(&source)?, &target);
    }
    if metadata.is_dir() {
        fs::create_dir_all(&target)?;
    } else {
        write_file(&target, b"")?;
    }
    Ok(mount_bind_recursive(&source, &target)?)
}

/// Shows a folder of the machine, if it is still the same folder that was planned.
pub(super) fn bind_folder(bind: &BindMount) -> io::Result<()> {
    let target = Path::new(&bind.target);
    let source = Path::new(OsStr::from_bytes(&bind.source));
    let source = Path::new(OLD_ROOT).join(source.strip_prefix("/").map_err(io::Error::other)?);
    fs::create_dir_all(target)?;
    mount_bind_recursive(&source, target)?;
    let shown = target.metadata()?;
    if bind.identity.is_some_and(|identity| identity != (shown.dev(), shown.ino())) {
        return Err(io::Error::other("a folder was replaced by another one"));
    }
    Ok(())
}

fn bind_devices() -> io::Result<()> {
    fs::create_dir("/dev")?;
    for (name, _) in DEVICES {
        let target = Path::new("/dev").join(name);
        write_file(&target, b"")?;
        mount_bind_recursive(Path::new(OLD_ROOT).join("dev").join(name), &target)?;
    }
    for (name, target) in DESCRIPTOR_LINKS {
        symlink(target, Path::new("/dev").join(name))?;
    }
    Ok(())
}

fn write_file(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create_new(path)?;
    io::Write::write_all(&mut file, bytes)
}

/// Removes rights from every mount of the machine that is shown: no set-user-id programs, no
/// devices, and no writing except in `/work`. Restrictions that the machine had set are kept.
fn restrict_mounts(binds: &[BindMount]) -> io::Result<()> {
    let is_own = |point: &Path| {
        point == Path::new("/") || CELL_MOUNTS.iter().any(|place| point.starts_with(place))
    };
    for (point, options) in read_mounts()?.into_iter().filter(|(point, _)| !is_own(point)) {
        let mut flags = options | MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV;
        let within = |bind: &&BindMount| point.starts_with(&bind.target);
        if binds.iter().find(within).is_none_or(|bind| bind.access == Access::Read) {
            flags |= MountFlags::RDONLY;
        }
        mount_remount(&point, flags, "")?;
    }
    Ok(())
}

/// Returns the mount points and their flags.
fn read_mounts() -> io::Result<Vec<(PathBuf, MountFlags)>> {
    let text = fs::read("/proc/self/mountinfo")?;
    let mounts = text.split(|byte| *byte == b'\n').filter_map(|line| {
        let mut words = line.split(|byte| *byte == b' ').skip(4);
        let point = PathBuf::from(OsStr::from_bytes(&unescape(words.next()?)));
        let options = words.next()?.split(|byte| *byte == b',');
        Some((point, options.map(mount_flag).fold(MountFlags::empty(), |all, one| all | one)))
    });
    Ok(mounts.collect())
}

fn mount_flag(option: &[u8]) -> MountFlags {
    match option {
        b"ro" => MountFlags::RDONLY,
        b"nosuid" => MountFlags::NOSUID,
        b"nodev" => MountFlags::NODEV,
        b"noexec" => MountFlags::NOEXEC,
        b"noatime" => MountFlags::NOATIME,
        b"nodiratime" => MountFlags::NODIRATIME,
        b"relatime" => MountFlags::RELATIME,
        _ => MountFlags::empty(),
    }
}

/// Decodes a mount point, in which the kernel writes blanks and backslashes as three octal digits.
fn unescape(word: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(word.len());
    let mut rest = word;
    while let [first, after @ ..] = rest {
        let digits = after.get(..3).and_then(|digits| std::str::from_utf8(digits).ok());
        let code = digits.and_then(|digits| u8::from_str_radix(digits, 8).ok());
        rest = if let Some(code) = code.filter(|_| *first == b'\\') {
            bytes.push(code);
            &after[3..]
        } else {
            bytes.push(*first);
            after
        };
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_in_mount_points_are_read() {
        for (written, expected) in [
            ("/a\\040b", "/a b"),
            ("/a\\134b", "/a\\b"),
            ("/a\\", "/a\\"),
            ("/a\\04", "/a\\04"),
            ("/plain", "/plain"),
        ] {
            assert_eq!(unescape(written.as_bytes()), expected.as_bytes());
        }
    }
}
