//! The folders that the gate must keep from agents, in the spellings in which texts name them.
//!
//! Some of them do not exist, or agents do not see them: a config names an extra folder that is
//! missing or that nobody trusts, or git keeps the repository of a working tree elsewhere. Their
//! paths are those of this machine all the same.

use std::path::Path;

use mere_core::address::Root;
use mere_core::gate::{Landmark, StandIn};

use super::boundary::weakly_canonicalize;
use super::system_folders::{is_in_shared_folder, is_system_folder};
use super::{Environment, git_folders};
use crate::folder::{Folder, FolderIdentity};

/// A folder that a config names.
pub struct NamedFolder<'a> {
    /// Its path, as it is written there.
    pub text: &'a str,
    /// The space that the config belongs to.
    pub space: &'a Folder,
    /// Who wrote the config.
    pub author: ConfigAuthor,
}

/// Who wrote a config.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConfigAuthor {
    /// The user of this machine.
    User,
    /// Whoever wrote the repository that it came with.
    Repository,
}

impl Environment {
    /// Returns what the gate must keep from agents besides the roots.
    pub fn landmarks(&self) -> Vec<Landmark> {
        let mut marks = Vec::new();
        if let Some(home) = &self.home {
            marks.extend(landmarks_for(home, &StandIn::Home));
        }
        if let Some(temporary) = &self.temporary_directory {
            marks.extend(landmarks_for(temporary, &StandIn::Temporary));
        }
        if let Some(space) = &self.user_space {
            marks.extend(landmarks_for(space, &StandIn::Root(Root::User)));
        }
        for path in self.private_paths().filter(|path| !self.is_below_home(path)) {
            marks.extend(landmarks_for(path, &StandIn::Private));
        }
        marks
    }

    /// Returns the project's landmarks: its own, and its path as the shell and the person spell it,
    /// where that differs from the canonical one.
    pub fn project_landmarks(&self, project: &Folder) -> Vec<Landmark> {
        let stand_in = StandIn::Root(Root::Project);
        let is_project = |path: &&Path| matches!(FolderIdentity::from_path(path), Ok(Some(at)) if at == project.identity());
        let logical = self.logical_working_directories.iter();
        let logical = logical.filter_map(|path| path.ancestors().find(is_project));
        let logical = logical.flat_map(|path| landmarks_for(path, &stand_in));
        project.landmarks(&stand_in).into_iter().chain(logical).collect()
    }

    /// Returns the landmarks of a folder that a config names, whether or not it exists, and whoever
    /// trusts it. What lies in the project, in the space or in the home folder is hidden with that.
    /// A system folder is no landmark, because everybody has it.
    pub fn configured_landmarks(
        &self,
        named: &NamedFolder<'_>,
        project: Option<&Folder>,
    ) -> Vec<Landmark> {
        let Some(path) = self.configured_path(named.text, named.space) else { return Vec::new() };
        let known = [project.map(Folder::path), Some(named.space.path()), self.home.as_deref()];
        let is_known = |path: &Path| known.iter().flatten().any(|folder| path.starts_with(folder));
        let is_bait =
            |path: &Path| named.author == ConfigAuthor::Repository && would_spoil_texts(path);
        let spellings = [weakly_canonicalize(&path), Some(path)].into_iter().flatten();
        let private = spellings.filter(|path| {
            path.is_absolute() && !is_public(path) && !is_known(path) && !is_bait(path)
        });
        private.flat_map(|path| landmarks_for(&path, &StandIn::Outside)).collect()
    }

    /// Returns the landmarks of the folders in which git keeps the repository of a working tree,
    /// and of the repository's other working trees.
    pub fn git_landmarks(&self, tree: &Folder) -> Vec<Landmark> {
        let folders = git_folders::find(tree.path());
        let outside = folders.into_iter().filter(|(path, _)| {
            let is_repository = || holds_repository(path) || path.join(".git").exists();
            let is_bait = would_spoil_texts(path) && !is_repository();
            let is_known = path.starts_with(tree.path()) || self.is_below_home(path);
            !is_public(path) && !is_known && !is_bait
        });
        outside.flat_map(|(path, stand_in)| landmarks_for(&path, &stand_in)).collect()
    }

    fn is_below_home(&self, path: &Path) -> bool {
        self.home.as_ref().is_some_and(|home| path.starts_with(home))
    }
}

/// Returns the landmarks of a folder, in its given and its canonical spelling.
pub(crate) fn landmarks_for(path: &Path, stand_in: &StandIn) -> Vec<Landmark> {
    // A folder that exists by now has the same landmarks as before, unless a link leads to it.
    let canonical = path.canonicalize().ok().filter(|canonical| canonical != path);
    let texts = [Some(path.to_owned()), canonical];
    let texts = texts.into_iter().flatten().map(|path| path.to_string_lossy().into_owned());
    texts.map(|path| Landmark { path, stand_in: stand_in.clone() }).collect()
}

/// Checks whether git keeps a repository or a working tree's part of one in a folder. `HEAD` alone
/// is no sign of it: some systems have a program of that name in `/usr/bin`.
fn holds_repository(path: &Path) -> bool {
    let has_objects = path.join("objects").is_dir() || path.join("commondir").is_file();
    path.join("HEAD").is_file() && has_objects
}

/// Checks whether ordinary texts name a path, so that a repository could spoil them by naming it
/// too: everybody has it, or nobody has it and it is as short as a route of a web server.
fn would_spoil_texts(path: &Path) -> bool {
    let is_short = path.parent().is_some_and(|parent| parent.parent().is_none());
    is_in_shared_folder(path) || is_short && !path.is_dir()
}

/// Checks whether a path tells nothing about this machine: the top, or a folder of the system.
fn is_public(path: &Path) -> bool {
    path.parent().is_none() || is_system_folder(path)
}
