//! Folders that hold far more than one project: the top of the file system, the system's own
//! folders, the home folder and those above it.
//!
//! They are recognised by device and inode as well as by path, so that no link and no mount under
//! another name makes an ordinary folder of them.

use std::path::{Path, PathBuf};

use super::system_folders::is_system_folder;
use crate::folder::FolderIdentity;
use crate::{Environment, Folder};

/// What a folder is that nobody means when they start a program in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WideFolder {
    /// The top of the file system. It is never a project.
    Top,
    /// The home folder.
    Home,
    /// A folder that the home folder lies in.
    AboveHome,
    /// A folder of the system, such as `/etc`.
    System,
}

impl WideFolder {
    /// Returns what it is, in words.
    pub fn description(self) -> &'static str {
        match self {
            Self::Top => "the top of the file system",
            Self::Home => "your home folder",
            Self::AboveHome => "a folder that contains your home folder",
            Self::System => "a folder of the system",
        }
    }
}

impl Environment {
    /// Returns what kind of wide folder this is; `None` for every other folder. What lies in a wide
    /// folder is not wide itself.
    pub(super) fn wide_folder(&self, folder: &Folder) -> Option<WideFolder> {
        let path = folder.path();
        let is_at = |other: &Path| {
            other == path
                || FolderIdentity::from_path(other).ok().flatten() == Some(folder.identity())
        };
        if is_top(path) || path.ancestors().last().is_some_and(is_at) {
            return Some(WideFolder::Top);
        }
        let homes = self.home_path().map(Path::to_owned).into_iter().chain(self.account_home());
        let homes = homes.flat_map(|home| [home.canonicalize().ok(), Some(home)]);
        let homes = homes.flatten().collect::<Vec<_>>();
        if homes.iter().any(|home| is_at(home)) {
            return Some(WideFolder::Home);
        }
        if homes.iter().any(|home| home.ancestors().skip(1).any(is_at)) {
            return Some(WideFolder::AboveHome);
        }
        let is_system = is_system_folder(path) || system_folders().any(|other| is_at(&other));
        is_system.then_some(WideFolder::System)
    }
}

/// Checks whether a path has nothing above it.
pub(super) fn is_top(path: &Path) -> bool {
    path.parent().is_none()
}

/// Returns the folders of the system that exist at the top.
fn system_folders() -> impl Iterator<Item = PathBuf> {
    let names = std::fs::read_dir("/").into_iter().flatten().flatten();
    names.map(|name| name.path()).filter(|path| is_system_folder(path))
}
