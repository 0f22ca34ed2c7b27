//! The folders in which git keeps the repository of a working tree, read from its files.
//!
//! Git is not run: this happens whenever the configuration is read. What the files say is believed
//! only as far as it hides something; a folder around a repository counts only if the repository
//! is there.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use mere_core::gate::StandIn;

/// The most bytes that are read of a file of git.
const MAX_FILE_BYTES: u64 = 64 * 1024;
/// The most other working trees of a repository that are looked at.
const MAX_WORKTREES: usize = 256;

/// Returns the folders of the repository to which the working tree at `tree` belongs.
pub(super) fn find(tree: &Path) -> Vec<(PathBuf, StandIn)> {
    let Some(git_dir) = git_dir(&tree.join(".git")) else { return Vec::new() };
    let common_dir = common_dir(&git_dir);
    let mut found = vec![(git_dir, StandIn::Git), (common_dir.clone(), StandIn::Git)];
    let is_main = common_dir.ends_with(".git") && common_dir.join("HEAD").is_file();
    let main = common_dir.parent().filter(|_| is_main).map(Path::to_owned);
    let others = fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let others = others.take(MAX_WORKTREES).filter_map(|other| {
        let git_file = absolute_path(&read_line(&other.path().join("gitdir"))?, &other.path())?;
        git_file.parent().map(Path::to_owned)
    });
    let trees = main.into_iter().chain(others).filter(|other| other != tree);
    found.extend(trees.map(|other| (other, StandIn::Worktree)));
    let alternates = read_text(&common_dir.join("objects/info/alternates")).unwrap_or_default();
    let alternates = alternates.lines().filter(|line| line.starts_with('/'));
    found.extend(alternates.map(|line| (PathBuf::from(line), StandIn::Git)));
    found
}

/// Returns the folder that a `.git` is or names.
fn git_dir(dot_git: &Path) -> Option<PathBuf> {
    if dot_git.is_dir() {
        return Some(fs::read_link(dot_git).map_or_else(
            |_| dot_git.to_owned(),
            |target| dot_git.parent().unwrap_or(dot_git).join(target),
        ));
    }
    let line = read_line(dot_git)?;
    absolute_path(line.strip_prefix("gitdir:")?.trim(), dot_git.parent()?)
}

/// Returns the folder that all working trees share. If it cannot be read, for instance because only
/// the working tree is mounted in a container, its usual place counts.
fn common_dir(git_dir: &Path) -> PathBuf {
    let named = read_line(&git_dir.join("commondir"));
    let named = named.and_then(|line| absolute_path(&line, git_dir));
    let usual = git_dir.parent().filter(|folder| folder.ends_with("worktrees"));
    named.or_else(|| usual?.parent().map(Path::to_owned)).unwrap_or_else(|| git_dir.to_owned())
}

/// Resolves a path that a file of git names from `base`, by its names alone.
fn absolute_path(text: &str, base: &Path) -> Option<PathBuf> {
    let mut path = PathBuf::new();
    for part in base.join(text).components() {
        match part {
            Component::ParentDir => {
                path.pop();
            }
            Component::CurDir => {}
            part => path.push(part),
        }
    }
    (path.is_absolute() && path.parent().is_some()).then_some(path)
}

fn read_line(file: &Path) -> Option<String> {
    let text = read_text(file)?;
    Some(text.lines().next()?.trim().to_owned()).filter(|line| !line.is_empty())
}

fn read_text(file: &Path) -> Option<String> {
    // A pipe would be waited for.
    let file = file.is_file().then(|| fs::File::open(file).ok()).flatten()?;
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}
