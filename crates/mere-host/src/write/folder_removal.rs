//! Removes a folder with everything in it, however deep it is.
//!
//! The folder lies in a staging folder already, out of everybody's sight. No link is followed, and
//! only a few handles are open at a time: what lies deeper is first moved up into the staging
//! folder. A folder that its owner may not enter is made one that it may.

use std::ffi::OsStr;
use std::io;

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::derived_files::temporary_name;

/// How many levels are removed before what lies deeper is moved up.
const MAX_OPEN_LEVELS: usize = 32;

/// Removes the folder of this name in `staging`. If it fails, what could not be removed is still in
/// the folder, or in the staging folder.
pub(crate) fn remove_staged_folder(staging: &Dir, name: &str) -> io::Result<()> {
    let mut waiting = vec![name.to_owned()];
    while let Some(name) = waiting.pop() {
        Removal { staging, waiting: &mut waiting }.remove_folder(staging, name.as_ref(), 0)?;
    }
    Ok(())
}

struct Removal<'a> {
    staging: &'a Dir,
    /// The folders that were moved up, and are still to be removed.
    waiting: &'a mut Vec<String>,
}

impl Removal<'_> {
    fn remove_folder(&mut self, parent: &Dir, name: &OsStr, level: usize) -> io::Result<()> {
        let folder = open_for_removal(parent, name)?;
        for entry in folder.entries()? {
            let entry = entry?;
            let name = entry.file_name();
            if !entry.file_type()?.is_dir() {
                folder.remove_file(&name)?;
            } else if level < MAX_OPEN_LEVELS {
                self.remove_folder(&folder, &name, level + 1)?;
            } else {
                let moved = temporary_name();
                folder.rename(&name, self.staging, &moved)?;
                self.waiting.push(moved);
            }
        }
        parent.remove_dir(name)
    }
}

/// Opens a folder, after its permissions were changed if they are in the way.
fn open_for_removal(parent: &Dir, name: &OsStr) -> io::Result<Dir> {
    #[cfg(unix)]
    {
        use cap_std::fs::{Permissions, PermissionsExt};
        const OWNER_MAY_ALL: u32 = 0o700;
        let metadata = parent.symlink_metadata(name)?;
        if metadata.is_dir() && metadata.permissions().mode() & OWNER_MAY_ALL != OWNER_MAY_ALL {
            parent.set_permissions(name, Permissions::from_mode(OWNER_MAY_ALL))?;
        }
    }
    parent.open_dir_nofollow(name)
}
