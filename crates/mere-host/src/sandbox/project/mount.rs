//! Mounts the project in a cell, before the machine's root is detached.
//!
//! This runs in the cell's own namespaces and for the last time with privileges there. The options
//! of the overlay name only paths of the cell, so the list of mounts reveals nothing.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::fs::{CWD, FileType, Gid, Mode, StatVfsMountFlags, Uid, chown, mknodat, statvfs};
use rustix::mount::{MountFlags, UnmountFlags, mount, mount_bind, mount_remount, unmount};

use super::view_scratch::{COPY, UPPER, WORK};
use crate::sandbox::private_root::bind_folder;
use crate::sandbox::protocol::{Access, CellReport, ProjectLayer, ProjectOrder, receive, send};

/// Where the tool finds the project.
pub(in crate::sandbox) const PROJECT: &str = "/project";
/// Where the project itself is mounted until the view of it is.
pub(in crate::sandbox) const LOWER: &str = "/layers/project";
/// Where the layers lie that take what is written.
pub(in crate::sandbox) const SCRATCH: &str = "/layers/scratch";
const LAYERS: &str = "/layers";
/// The layer of whiteouts.
const HIDING: &str = "/layers/hiding";

/// Mounts the project. If there is no overlay, waits for the supervisor to make a copy.
pub(in crate::sandbox) fn mount_project(
    order: &ProjectOrder,
    supervisor: &UnixStream,
) -> io::Result<()> {
    let size = usize::try_from(order.hidden).map_err(io::Error::other)?;
    let mut hidden = vec![0; size];
    (&mut &*supervisor).read_exact(&mut hidden)?;
    fs::create_dir(PROJECT)?;
    bind_folder(&order.scratch)?;
    match order.layer {
        ProjectLayer::Overlay => {
            if let Err(error) = mount_overlay(order, &hidden) {
                send(supervisor, &CellReport::NoOverlay(error.to_string()))?;
                let Some(()) = receive(supervisor)? else {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                };
                bind_copy(order.access)?;
            }
        }
        ProjectLayer::Copy => bind_copy(order.access)?,
    }
    // The overlay has its own hold on its layers.
    for place in [LOWER, HIDING, SCRATCH] {
        if Path::new(place).exists() {
            let _ = unmount(place, UnmountFlags::DETACH);
            fs::remove_dir(place)?;
        }
    }
    fs::remove_dir(LAYERS)
}

fn mount_overlay(order: &ProjectOrder, hidden: &[u8]) -> io::Result<()> {
    bind_folder(&order.project)?;
    fs::create_dir(HIDING)?;
    let plain = MountFlags::NOSUID | MountFlags::NODEV;
    mount("tmpfs", HIDING, "tmpfs", plain, c"mode=0755,size=256m,nr_inodes=600k")?;
    copy_attributes(Path::new(LOWER), Path::new(HIDING))?;
    for path in hidden.split(|byte| *byte == 0).filter(|path| !path.is_empty()) {
        whiteout(Path::new(OsStr::from_bytes(path)))?;
    }
    // A tool that reads leaves no trace in the project, not even the time.
    let mut flags = plain | MountFlags::NOATIME;
    let mut options = format!("userxattr,lowerdir={HIDING}:{LOWER}");
    match order.access {
        Access::Read => flags |= MountFlags::RDONLY,
        Access::Write => {
            let (upper, work) = (format!("{SCRATCH}/{UPPER}"), format!("{SCRATCH}/{WORK}"));
            copy_attributes(Path::new(LOWER), Path::new(&upper))?;
            // What is written need not survive a power cut, so nothing waits for the disk.
            options = format!("{options},upperdir={upper},workdir={work},volatile");
        }
    }
    let options = std::ffi::CString::new(options).map_err(io::Error::other)?;
    Ok(mount("overlay", PROJECT, "overlay", flags, options.as_c_str())?)
}

/// Hides a path, which may not exist any more.
fn whiteout(path: &Path) -> io::Result<()> {
    let hiding = Path::new(HIDING).join(path);
    let mut above = path.ancestors().skip(1).filter(|one| !one.as_os_str().is_empty());
    let missing = above.by_ref().take_while(|one| !Path::new(HIDING).join(one).exists());
    for folder in missing.collect::<Vec<_>>().into_iter().rev() {
        fs::create_dir(Path::new(HIDING).join(folder))?;
        copy_attributes(&Path::new(LOWER).join(folder), &Path::new(HIDING).join(folder))?;
    }
    Ok(mknodat(CWD, &hiding, FileType::CharacterDevice, Mode::empty(), 0)?)
}

/// Gives a folder of a layer the owner and mode of the project's folder, because it is the layer's
/// that count. An owner whom the cell does not know cannot be given.
fn copy_attributes(project: &Path, layer: &Path) -> io::Result<()> {
    let Ok(metadata) = fs::symlink_metadata(project) else { return Ok(()) };
    if !metadata.is_dir() {
        return Ok(());
    }
    let (user, group) = (Uid::from_raw(metadata.uid()), Gid::from_raw(metadata.gid()));
    let _ = chown(layer, Some(user), Some(group));
    fs::set_permissions(layer, fs::Permissions::from_mode(metadata.mode() & 0o777))
}

fn bind_copy(access: Access) -> io::Result<()> {
    mount_bind(format!("{SCRATCH}/{COPY}"), PROJECT)?;
    let mut flags = kept_flags()? | MountFlags::BIND | MountFlags::NOSUID | MountFlags::NODEV;
    if access == Access::Read {
        flags |= MountFlags::RDONLY;
    }
    Ok(mount_remount(PROJECT, flags, "")?)
}

/// Returns the restrictions that the machine has set on the copy's file system, which are kept.
fn kept_flags() -> io::Result<MountFlags> {
    let found = statvfs(PROJECT)?.f_flag;
    let known = [
        (StatVfsMountFlags::RDONLY, MountFlags::RDONLY),
        (StatVfsMountFlags::NOEXEC, MountFlags::NOEXEC),
        (StatVfsMountFlags::NOATIME, MountFlags::NOATIME),
        (StatVfsMountFlags::NODIRATIME, MountFlags::NODIRATIME),
        (StatVfsMountFlags::RELATIME, MountFlags::RELATIME),
    ];
    let kept = known.into_iter().filter(|(set, _)| found.contains(*set));
    Ok(kept.fold(MountFlags::empty(), |all, (_, flag)| all | flag))
}
