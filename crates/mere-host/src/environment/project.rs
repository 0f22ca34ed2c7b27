//! Finds the project root.
//!
//! `--project` names it, or else `MERE_PROJECT`. Otherwise it is searched for upwards from the
//! working directory, one marker after the other, each to the top; without any marker it is the
//! working directory. The search stops where git's does: at the top, at a mount, and at a directory
//! of another owner, so that nobody else's folder above ours decides what our project is.

use std::io;
use std::path::{Path, PathBuf};

use crate::{Environment, Folder, TypedPath};

/// Why no project was opened.
#[derive(Debug, thiserror::Error)]
pub enum ProjectError {
    #[error("`{0}` does not name a directory that can be opened: {1}")]
    NamedFolder(&'static str, io::Error),
    #[error("the project directory cannot be opened: {0}")]
    FoundFolder(io::Error),
}

/// A project and how it was found.
pub struct FoundProject {
    pub folder: Folder,
    /// The flag, the variable or the marker.
    pub found_by: String,
    /// Whether a person named it.
    pub is_named: bool,
    /// Where the search stopped, if it did not reach the top.
    pub stopped_at: Option<String>,
}

/// What marks a project root, in the order in which it is looked for.
const MARKERS: [Marker; 8] = [
    Marker { name: ".git", kind: MarkerKind::FolderOrFile },
    Marker { name: "package.json", kind: MarkerKind::File },
    Marker { name: "pyproject.toml", kind: MarkerKind::File },
    Marker { name: "Cargo.toml", kind: MarkerKind::File },
    Marker { name: "go.mod", kind: MarkerKind::File },
    Marker { name: "pom.xml", kind: MarkerKind::File },
    Marker { name: "build.gradle", kind: MarkerKind::File },
    Marker { name: ".ai", kind: MarkerKind::Space },
];

/// A file or folder that marks a project root.
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
    /// A space, but not the user's own: `~/.ai` does not make the home folder a project.
    Space,
}

/// Finds the project of a session. `markers` are the user's own and are looked for after the
/// built-in ones.
pub fn find_project(
    environment: &Environment,
    named: Option<&TypedPath>,
    markers: &[String],
) -> Result<FoundProject, ProjectError> {
    let working = environment.working_directory();
    let named = [(named, "--project"), (environment.project_variable(), "MERE_PROJECT")];
    for (typed, what) in named {
        if let Some(typed) = typed {
            let folder = typed.resolve_from(working).and_then(|path| Folder::open(&path));
            let folder = folder.map_err(|error| ProjectError::NamedFolder(what, error))?;
            return Ok(FoundProject {
                folder,
                found_by: what.to_owned(),
                is_named: true,
                stopped_at: None,
            });
        }
    }
    let (reachable, stopped_at) = searchable_folders(working);
    let own = markers.iter().map(|name| Marker { name, kind: MarkerKind::FolderOrFile });
    let marked = MARKERS.into_iter().chain(own).find_map(|marker| {
        let folder = reachable.iter().find(|folder| marker.is_present_in(folder, environment));
        folder.map(|folder| (folder.as_path(), marker.name.to_owned()))
    });
    let (path, by) = marked.unwrap_or((working, "working directory".to_owned()));
    let folder = Folder::open(path).map_err(ProjectError::FoundFolder)?;
    let stopped_at = stopped_at.map(|folder| folder.display().to_string());
    Ok(FoundProject { folder, found_by: by, is_named: false, stopped_at })
}

impl Marker<'_> {
    fn is_present_in(&self, folder: &Path, environment: &Environment) -> bool {
        let path = folder.join(self.name);
        let Ok(metadata) = path.symlink_metadata() else { return false };
        match self.kind {
            MarkerKind::File => metadata.is_file(),
            MarkerKind::FolderOrFile => metadata.is_file() || metadata.is_dir(),
            MarkerKind::Space => metadata.is_dir() && !environment.is_user_space(&path),
        }
    }
}

/// Returns the working directory and the folders above it, as far as the search goes, and the
/// folder that stopped it.
fn searchable_folders(working: &Path) -> (Vec<PathBuf>, Option<PathBuf>) {
    let Some(start) = DeviceAndOwner::of_folder(working) else {
        return (vec![working.to_owned()], None);
    };
    let mut folders = working.ancestors();
    let mut reachable = Vec::new();
    let stopped_at = folders.find(|folder| {
        let same = DeviceAndOwner::of_folder(folder) == Some(start);
        if same {
            reachable.push(folder.to_path_buf());
        }
        !same
    });
    (reachable, stopped_at.map(Path::to_owned))
}

/// The file system and the owner of a folder; neither may change on the way up.
#[derive(Clone, Copy, PartialEq, Eq)]
struct DeviceAndOwner {
    device: u64,
    owner: u32,
}

impl DeviceAndOwner {
    #[cfg(unix)]
    fn of_folder(folder: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = folder.metadata().ok()?;
        Some(Self { device: metadata.dev(), owner: metadata.uid() })
    }

    #[cfg(not(unix))]
    fn of_folder(folder: &Path) -> Option<Self> {
        folder.metadata().ok().map(|_| Self { device: 0, owner: 0 })
    }
}
