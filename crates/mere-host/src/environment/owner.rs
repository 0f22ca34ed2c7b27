//! Whose file something is, as git decides it.
//!
//! The user owns what has the user's own id and, for somebody who became root with `sudo`, what has
//! the id from before. A link counts by its own owner.
//!
//! Whoever became root with `sudo` keeps nothing in the folders of another user, which `sudo` may leave
//! in `HOME`: what is trusted there is not root's to decide, and files of root there would be in their
//! way. In a container, root may well be given such a folder on purpose.

use std::path::{Path, PathBuf};

#[cfg(unix)]
use super::nonempty_variable;
use crate::Environment;

/// The variables that name the folders in which a user's own things are kept.
#[cfg(unix)]
const BASES: [&str; 6] =
    ["HOME", "USER_SPACE", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"];

/// The ids under which a file is the user's own.
pub(super) struct OwnIds {
    #[cfg(unix)]
    effective: u32,
    #[cfg(unix)]
    before_sudo: Option<u32>,
}

impl OwnIds {
    #[cfg(unix)]
    pub(super) fn read() -> Self {
        let effective = rustix::process::geteuid().as_raw();
        let before_sudo = std::env::var("SUDO_UID").ok().and_then(|id| id.parse().ok());
        Self { effective, before_sudo: before_sudo.filter(|_| effective == 0) }
    }

    #[cfg(not(unix))]
    pub(super) fn read() -> Self {
        Self {}
    }

    /// Returns the variable that names a folder of another user for what the user keeps, if the
    /// user became root with `sudo`. A folder that is missing belongs to whoever owns the nearest one above it.
    #[cfg(unix)]
    pub(super) fn variable_of_another_user(&self) -> Option<&'static str> {
        use std::os::unix::fs::MetadataExt;
        let is_of_another = |variable: &&'static str| {
            let path = nonempty_variable(variable).map(PathBuf::from);
            let path = path.filter(|path| path.is_absolute());
            let found = path.and_then(|path| path.ancestors().find_map(|at| at.metadata().ok()));
            found.is_some_and(|found| found.uid() != self.effective)
        };
        self.before_sudo.and_then(|_| BASES.iter().copied().find(is_of_another))
    }

    #[cfg(not(unix))]
    pub(super) fn variable_of_another_user(&self) -> Option<&'static str> {
        None
    }
}

impl Environment {
    /// Returns the home folder of the user's account, whatever `HOME` says.
    pub(super) fn account_home(&self) -> Option<PathBuf> {
        #[cfg(unix)]
        {
            let accounts = std::fs::read_to_string("/etc/passwd").ok()?;
            let id = self.own_ids.effective.to_string();
            let mut fields = accounts.lines().map(|line| line.split(':').collect::<Vec<_>>());
            let own = fields.find(|fields| fields.get(2) == Some(&id.as_str()))?;
            let home = PathBuf::from(own.get(5)?);
            // The account of a service has `/` for a home, which is nobody's.
            Some(home).filter(|home| home.is_absolute() && home.parent().is_some())
        }
        #[cfg(not(unix))]
        {
            None
        }
    }

    /// Checks whether what is at a path belongs to the user. What cannot be examined does not.
    #[cfg(unix)]
    pub(super) fn is_owned_by_user(&self, path: &Path) -> bool {
        use std::os::unix::fs::MetadataExt;
        let OwnIds { effective, before_sudo } = self.own_ids;
        let owner = path.symlink_metadata().map(|metadata| metadata.uid());
        owner.is_ok_and(|owner| owner == effective || Some(owner) == before_sudo)
    }

    #[cfg(not(unix))]
    pub(super) fn is_owned_by_user(&self, path: &Path) -> bool {
        path.symlink_metadata().is_ok()
    }
}
