//! The owner of a workspace while tools run in it for root.

use std::io;
use std::os::fd::AsFd;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;
use rustix::fs::{AtFlags, Gid, Uid, chownat};

use super::cell_process::NOBODY;

/// Gives the contents of a workspace to `nobody`, as whom tools run when this program runs as root.
/// It works through handles: exchanging a folder for a symbolic link meanwhile gains nothing. Files
/// below the maximum depth keep their owner.
pub(super) fn give_to_nobody(folder: &Dir, depth: usize) -> io::Result<()> {
    let (user, group) = (Some(Uid::from_raw(NOBODY)), Some(Gid::from_raw(NOBODY)));
    // This also works on a handle that was opened with `O_PATH`, unlike `fchown`.
    chownat(folder.as_fd(), "", user, group, AtFlags::EMPTY_PATH)?;
    for entry in folder.entries()? {
        let entry = entry?;
        let name = entry.file_name();
        if entry.metadata().is_ok_and(|found| cap_fs_ext::MetadataExt::nlink(&found) == 1) {
            let _ = chownat(folder.as_fd(), &name, user, group, AtFlags::SYMLINK_NOFOLLOW);
        }
        if depth > 0
            && entry.file_type()?.is_dir()
            && let Ok(below) = folder.open_dir_nofollow(&name)
        {
            give_to_nobody(&below, depth - 1)?;
        }
    }
    Ok(())
}
