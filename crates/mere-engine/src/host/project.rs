//! Finds the project root.
//!
//! `--project`, then `MERE_PROJECT`, then the nearest folder upwards with a `.git` (a directory,
//! or the file that worktrees and submodules have), else the working directory.

use std::io;
use std::path::Path;

use super::{Folder, Surroundings, Typed};

/// Why there is no project.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectError {
    #[error("`{0}` does not name a directory that can be opened: {1}")]
    Named(&'static str, io::Error),
    #[error("the project directory cannot be opened: {0}")]
    Found(io::Error),
}

/// The project of a session.
pub(crate) fn find_project(
    surroundings: &Surroundings,
    named: Option<&Typed>,
) -> Result<Folder, ProjectError> {
    let working = surroundings.working();
    let named = [(named, "--project"), (surroundings.project(), "MERE_PROJECT")];
    for (typed, what) in named {
        if let Some(typed) = typed {
            let folder = typed.below(working).and_then(|path| Folder::open(&path));
            return folder.map_err(|error| ProjectError::Named(what, error));
        }
    }
    let marked = working.ancestors().find(|folder| is_marked(folder));
    Folder::open(marked.unwrap_or(working)).map_err(ProjectError::Found)
}

fn is_marked(folder: &Path) -> bool {
    let git = folder.join(".git").symlink_metadata();
    git.is_ok_and(|metadata| metadata.is_dir() || metadata.is_file())
}
