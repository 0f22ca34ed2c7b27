//! Git repositories that a tool has created in a workspace.
//!
//! Git would run what their config says, with the rights of the person who runs git there. They are
//! kept, under a name that means nothing to git.

use cap_fs_ext::DirExt;
use cap_std::fs::Dir;

use super::usage::MAX_DEPTH;

/// The new name of such a repository; a number is added.
const HARMLESS_NAME: &str = "git-of-a-tool";

/// Checks whether git takes a file or folder of this name for a repository, on any file system.
pub(super) fn is_repository_name(name: &str) -> bool {
    name.trim_end_matches(['.', ' ']).eq_ignore_ascii_case(".git")
}

/// Renames every repository in a workspace, as far as the workspace can be read. It works through
/// handles and follows no symbolic links.
pub(super) fn rename_repositories(workspace: &Dir) {
    rename_repositories_below(workspace, MAX_DEPTH);
}

fn rename_repositories_below(folder: &Dir, depth: usize) {
    let mut inner = Vec::new();
    for entry in folder.entries().into_iter().flatten().flatten() {
        let name = entry.file_name();
        if name.to_str().is_some_and(is_repository_name) {
            let free = (1_u32..).map(|number| format!("{HARMLESS_NAME}-{number}"));
            let free = free.into_iter().find(|name| folder.symlink_metadata(name).is_err());
            if let Err(error) = folder.rename(&name, folder, free.unwrap_or_default()) {
                tracing::warn!(%error, "a repository of a tool could not be renamed");
            }
        } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) && depth > 0 {
            inner.push(name);
        }
    }
    for name in inner {
        if let Ok(folder) = folder.open_dir_nofollow(&name) {
            rename_repositories_below(&folder, depth - 1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_git_takes_for_a_repository_is_one() {
        for name in [".git", ".GIT", ".Git", ".git.", ".git "] {
            assert!(is_repository_name(name), "{name:?}");
        }
        for name in ["git", ".gitignore", ".github", "x.git", ""] {
            assert!(!is_repository_name(name), "{name:?}");
        }
    }
}
