//! Finds the project root.
//!
//! `--project` names it, or else `MERE_PROJECT`. Otherwise it is searched for upwards from the
//! working directory, one marker after the other, each to the top; without any marker it is the
//! working directory. The search stops where git's does: at the top, at a mount, and at a directory
//! of another owner, so that nobody else's folder above ours decides what our project is.
//!
//! A wide folder, such as the home folder, is a project only if it has a marker, or if a person
//! said so; `/` never is. Without git, the root of a workspace is the project, not its member.

use std::io;
use std::path::{Path, PathBuf};

use super::wide_folder::{WideFolder, is_top};
use super::workspace_root::find_workspace_root;
use crate::{Environment, Folder, TypedPath};

/// Why no project was opened.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    /// What a person named cannot be opened.
    #[error("`{option} {typed}` does not name a directory that can be opened: {cause}")]
    NamedFolder {
        /// The option or the variable that named it.
        option: &'static str,
        /// What was typed.
        typed: String,
        /// Why it cannot be opened.
        cause: io::Error,
    },
    /// What was found cannot be opened.
    #[error("the project directory cannot be opened: {0}")]
    FoundFolder(io::Error),
}

/// What decides about the project besides the folders themselves.
pub struct ProjectRequest<'a> {
    /// `--project`.
    pub named: Option<&'a TypedPath>,
    /// The user's own markers, which are looked for after the built-in ones.
    pub markers: &'a [String],
    /// Tells whether a person said that a wide folder may be a project.
    pub is_accepted: &'a dyn Fn(&Folder) -> bool,
}

/// The outcome of the search for the project.
pub struct ProjectSearch {
    /// The project, or what would be one and is refused.
    pub root: Result<FoundProject, RefusedRoot>,
    /// Where the search stopped, if it did not reach the top.
    pub stop: Option<SearchStop>,
}

/// A project and how it was found.
pub struct FoundProject {
    /// Its folder.
    pub folder: Folder,
    /// The flag, the variable, the marker or the file of a workspace.
    pub found_by: String,
    /// Whether a person named it.
    pub is_named: bool,
    /// Whether it is a wide folder that a person accepted.
    pub is_wide: bool,
    /// The member of the workspace that the command ran in, for people, if the project is the root
    /// of a workspace.
    pub member: Option<String>,
}

/// A folder that would be the project and is too wide for one.
pub struct RefusedRoot {
    /// The folder.
    pub folder: Folder,
    /// The flag, the variable or the working directory that led to it.
    pub found_by: &'static str,
    /// Why it is too wide.
    pub kind: WideFolder,
}

/// The folder at which the upward search stopped.
pub struct SearchStop {
    /// Its path, for people.
    pub folder: String,
    /// Why it stopped there.
    pub reason: StopReason,
}

/// Why the upward search stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The folder is on another file system.
    Mount,
    /// The folder belongs to somebody else.
    Owner,
}

/// How the project was found if nothing else decided.
const WORKING_DIRECTORY: &str = "working directory";

/// What marks a project root, in the order in which it is looked for.
const MARKERS: [Marker; 8] = [
    Marker { name: GIT, kind: MarkerKind::FolderOrFile },
    Marker { name: "package.json", kind: MarkerKind::File },
    Marker { name: "pyproject.toml", kind: MarkerKind::File },
    Marker { name: "Cargo.toml", kind: MarkerKind::File },
    Marker { name: "go.mod", kind: MarkerKind::File },
    Marker { name: "pom.xml", kind: MarkerKind::File },
    Marker { name: "build.gradle", kind: MarkerKind::File },
    Marker { name: ".ai", kind: MarkerKind::Space },
];
const GIT: &str = ".git";

/// A file or folder that marks a project root. A link counts as what it leads to, as it does for
/// git.
struct Marker<'a> {
    name: &'a str,
    kind: MarkerKind,
}

/// What must exist under a marker's name.
#[derive(Clone, Copy)]
enum MarkerKind {
    /// A regular file.
    File,
    /// A folder, or the file that git's worktrees and submodules have instead.
    FolderOrFile,
    /// A space, but not the user's own and not `~/.ai`, which does not make the home folder a
    /// project wherever the user's own space is.
    Space,
}

/// Finds the project of a session.
pub fn find_project(
    environment: &Environment,
    request: &ProjectRequest<'_>,
) -> Result<ProjectSearch, ProjectError> {
    let working = environment.working_directory();
    let named = [(request.named, "--project"), (environment.project_variable(), "MERE_PROJECT")];
    for (typed, found_by) in named {
        if let Some(typed) = typed {
            let folder = typed.resolve_from(working).and_then(|path| Folder::open(&path));
            let folder = folder.map_err(|cause| ProjectError::NamedFolder {
                option: found_by,
                typed: typed.display_text(),
                cause,
            })?;
            let root = refuse_wide(environment, request, folder, found_by);
            let root = root.map(|found| FoundProject { is_named: true, ..found });
            return Ok(ProjectSearch { root, stop: None });
        }
    }
    let open = |path: &Path| Folder::open(path).map_err(ProjectError::FoundFolder);
    let (reachable, stop) = searchable_folders(environment);
    let Some((marked, marker)) = find_marked(environment, &reachable, request.markers) else {
        let folder = open(working)?;
        let root = refuse_wide(environment, request, folder, WORKING_DIRECTORY);
        return Ok(ProjectSearch { root, stop });
    };
    let above = reachable.iter().map(PathBuf::as_path);
    let above = above.filter(|folder| marked.starts_with(folder) && *folder != marked);
    let above = above.collect::<Vec<_>>();
    let is_wide = |path: &Path| {
        Folder::open(path).is_ok_and(|folder| environment.wide_folder(&folder).is_some())
    };
    let workspace = find_workspace_root(marked, &marker, &above);
    let workspace = workspace.filter(|(root, _)| !is_wide(root));
    let (root, found_by, member) = match workspace {
        Some((root, file)) => (root, file.to_owned(), Some(marked.display().to_string())),
        None => (marked, marker, None),
    };
    let folder = open(root)?;
    let found = FoundProject { folder, found_by, is_named: false, is_wide: false, member };
    Ok(ProjectSearch { root: Ok(found), stop })
}

/// Makes a project of a folder without looking for markers. A wide folder is refused unless a person
/// accepted it; the top is refused always.
fn refuse_wide(
    environment: &Environment,
    request: &ProjectRequest<'_>,
    folder: Folder,
    found_by: &'static str,
) -> Result<FoundProject, RefusedRoot> {
    match environment.wide_folder(&folder) {
        Some(kind) if kind == WideFolder::Top || !(request.is_accepted)(&folder) => {
            Err(RefusedRoot { folder, found_by, kind })
        }
        kind => Ok(FoundProject {
            folder,
            found_by: found_by.to_owned(),
            is_named: false,
            is_wide: kind.is_some(),
            member: None,
        }),
    }
}

/// Returns the folder with the first marker, and the marker's name.
fn find_marked<'a>(
    environment: &Environment,
    reachable: &'a [PathBuf],
    own: &[String],
) -> Option<(&'a Path, String)> {
    let own = own.iter().map(|name| Marker { name, kind: MarkerKind::FolderOrFile });
    MARKERS.into_iter().chain(own).find_map(|marker| {
        let folder = reachable.iter().find(|folder| marker.is_present_in(folder, environment));
        folder.map(|folder| (folder.as_path(), marker.name.to_owned()))
    })
}

impl Marker<'_> {
    fn is_present_in(&self, folder: &Path, environment: &Environment) -> bool {
        let path = folder.join(self.name);
        // Git refuses a repository of somebody else, and so does it for a link to one.
        if !environment.is_owned_by_user(&path) {
            return false;
        }
        let Ok(metadata) = path.metadata() else { return false };
        match self.kind {
            MarkerKind::File => metadata.is_file(),
            MarkerKind::FolderOrFile => metadata.is_file() || metadata.is_dir(),
            MarkerKind::Space => {
                let is_home = || {
                    let folder = Folder::open(folder).ok();
                    folder.and_then(|folder| environment.wide_folder(&folder))
                        == Some(WideFolder::Home)
                };
                metadata.is_dir() && !environment.is_user_space(&path) && !is_home()
            }
        }
    }
}

/// Returns the working directory and the folders above it, as far as the search goes, and where and
/// why it stopped. The top is not among them: it is never a project.
fn searchable_folders(environment: &Environment) -> (Vec<PathBuf>, Option<SearchStop>) {
    let working = environment.working_directory();
    let start = device(working);
    let mut reachable = Vec::new();
    for folder in working.ancestors() {
        let reason = if device(folder) != start {
            StopReason::Mount
        } else if !environment.is_owned_by_user(folder) {
            StopReason::Owner
        } else {
            if !is_top(folder) {
                reachable.push(folder.to_owned());
            }
            continue;
        };
        let stop = SearchStop { folder: folder.display().to_string(), reason };
        return (reachable, Some(stop));
    }
    (reachable, None)
}

/// Returns the file system that a folder is on.
#[cfg(unix)]
fn device(folder: &Path) -> Option<u64> {
    use std::os::unix::fs::MetadataExt;
    folder.metadata().ok().map(|metadata| metadata.dev())
}

#[cfg(not(unix))]
fn device(_: &Path) -> Option<u64> {
    None
}
