//! The environment of the process, read once: the working directory, the home folder, variables,
//! and where the user's files live.
//!
//! It also opens those places for the rest of the engine, so that nothing outside mere-host reads
//! a variable or builds a host path.

pub(crate) mod boundary;
pub(crate) mod fault;
pub(crate) mod git_folders;
pub(crate) mod landmarks;
pub(crate) mod own_program;
mod owner;
pub(crate) mod parallelism;
pub(crate) mod private_folders;
pub(crate) mod project;
mod system_folders;
pub(crate) mod terminal;
pub(crate) mod threads;
pub(crate) mod typed_path;
pub(crate) mod wide_folder;
mod workspace_root;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use mere_core::category::{CategoryMode, CategoryModeError};
use mere_core::item::SKILL_FILE;

use self::owner::OwnIds;
use self::private_folders::PrivateFolders;
use super::folder::{Folder, FolderIdentity, none_if_missing};
use super::{SshAgent, TypedPath, WatchedFiles};

/// The name of a space's folder.
pub const SPACE_FOLDER: &str = ".ai";
/// The index of the items in a space.
pub const SPACE_INDEX: &str = ".index.json";
/// The folder of the workspaces in a space.
pub const WORKSPACES_FOLDER: &str = "workspaces";
/// This program's folder below the user's base folders.
const PROGRAM_FOLDER: &str = "merestone";

/// The environment of one process.
pub struct Environment {
    working_directory: PathBuf,
    /// The working directory as the shell and the person spelled it.
    logical_working_directories: Vec<PathBuf>,
    home: Option<PathBuf>,
    user_space: Option<PathBuf>,
    opened_user_space: Mutex<Option<Arc<Folder>>>,
    temporary_directory: Option<PathBuf>,
    private_folders: PrivateFolders,
    project: Option<TypedPath>,
    agent: Option<OsString>,
    category_mode: Option<OsString>,
    ssh_agent: Option<SshAgent>,
    own_ids: OwnIds,
}

/// Why the environment of a process cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum EnvironmentError {
    /// The working directory was deleted, or may not be read.
    #[error(
        "the working directory cannot be found, as if it had been deleted ({0}); change to another \
         one, or pass `--project` with an absolute path"
    )]
    NoWorkingDirectory(io::Error),
    /// `-C` names no directory that can be opened.
    #[error("`-C {0}` does not name a directory that can be opened: {1}")]
    Directory(String, io::Error),
    /// The user is root, and a variable names a folder of another user.
    #[error(
        "you are root, but `{0}` names a folder of another user: what root trusted there would be \
         theirs to change, and what root left there would not be theirs; run it as that user, or \
         with `sudo -H`"
    )]
    FolderOfAnother(&'static str),
    /// A variable does not name a folder.
    #[error("the environment cannot be read: {0}")]
    Unreadable(#[from] io::Error),
}

impl Environment {
    /// Reads the environment, with `directory` in place of the working directory if given.
    pub fn read(directory: Option<&TypedPath>) -> Result<Self, EnvironmentError> {
        let current = match std::env::current_dir() {
            // An absolute path needs no working directory.
            Err(_) if directory.is_some_and(TypedPath::is_absolute) => PathBuf::from("/"),
            current => current.map_err(EnvironmentError::NoWorkingDirectory)?,
        };
        let working = match directory {
            Some(typed) => {
                let opened =
                    typed.resolve_from(&current).and_then(|path| canonical_directory(&path));
                opened.map_err(|cause| EnvironmentError::Directory(typed.display_text(), cause))?
            }
            None => current.clone(),
        };
        let shell = nonempty_variable("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
        let typed =
            directory.and_then(|typed| typed.resolve_from(shell.as_ref().unwrap_or(&current)).ok());
        let own_ids = OwnIds::read();
        if let Some(variable) = own_ids.variable_of_another_user() {
            return Err(EnvironmentError::FolderOfAnother(variable));
        }
        let home = std::env::home_dir().filter(|home| home.is_absolute());
        let space_base = absolute_path_variable("USER_SPACE")?.or_else(|| home.clone());
        Ok(Self {
            logical_working_directories: [shell, typed].into_iter().flatten().collect(),
            user_space: space_base.map(|base| base.join(SPACE_FOLDER)),
            opened_user_space: Mutex::default(),
            temporary_directory: Some(std::env::temp_dir()).filter(|path| path.is_absolute()),
            private_folders: PrivateFolders::read(home.as_deref())?,
            project: nonempty_variable("MERE_PROJECT").map(TypedPath::from),
            agent: nonempty_variable("MERE_AGENT"),
            category_mode: nonempty_variable("MERE_CATEGORY_MODE"),
            ssh_agent: find_ssh_agent(),
            own_ids,
            working_directory: working,
            home,
        })
    }

    pub(crate) fn working_directory(&self) -> &Path {
        &self.working_directory
    }

    /// Opens the working directory.
    pub fn open_working_directory(&self) -> Option<Folder> {
        Folder::open(&self.working_directory).ok()
    }

    /// Returns the working directory for people.
    pub fn display_working_directory(&self) -> String {
        self.working_directory.display().to_string()
    }

    /// Returns the path of the user space for people, whether or not it exists.
    pub fn display_user_space(&self) -> Option<String> {
        self.user_space.as_ref().map(|space| space.display().to_string())
    }

    /// Returns `MERE_PROJECT`.
    pub(crate) fn project_variable(&self) -> Option<&TypedPath> {
        self.project.as_ref()
    }

    /// Returns `MERE_AGENT`, or `Err` if it is not Unicode.
    pub fn agent_variable(&self) -> Option<Result<&str, ()>> {
        self.agent.as_ref().map(|agent| agent.to_str().ok_or(()))
    }

    /// Returns `MERE_CATEGORY_MODE`. No hierarchy may be less strict than this mode.
    pub fn category_mode(&self) -> Result<CategoryMode, CategoryModeError> {
        let Some(mode) = &self.category_mode else { return Ok(CategoryMode::default()) };
        mode.to_str().ok_or(CategoryModeError)?.parse()
    }

    /// Returns the path that a config in `base` names: absolute, starting with `~`, or relative to
    /// `base`.
    pub(super) fn configured_path(&self, text: &str, base: &Folder) -> Option<PathBuf> {
        let below_home = text.strip_prefix("~/").or_else(|| (text == "~").then_some(""));
        match below_home {
            Some(below) => self.home.as_ref().map(|home| home.join(below)),
            None => Some(base.path().join(text)),
        }
    }

    /// Returns the user's home. Only other host modules may use it.
    pub(crate) fn home_path(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// Returns the user's ssh-agent, if the environment names one.
    pub fn ssh_agent(&self) -> Option<&SshAgent> {
        self.ssh_agent.as_ref()
    }

    /// Returns the user space if it exists now. It is opened only once as long as it stays the same
    /// folder.
    pub fn user_space(&self) -> io::Result<Option<Arc<Folder>>> {
        let Some(path) = &self.user_space else { return Ok(None) };
        let now = FolderIdentity::from_path(path)?;
        let mut known = self.opened_user_space.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().map(|folder| folder.identity()) != now {
            *known = none_if_missing(Folder::open(path))?.map(Arc::new);
        }
        Ok(known.clone().filter(|_| now.is_some()))
    }

    /// Adds a file of the user space to the files whose stamps are compared.
    pub fn watch_user_space_file(&self, name: &str, watched: &mut WatchedFiles) {
        watched.add(&self.user_space.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// Opens the folder of the user space and creates it if needed.
    pub fn make_user_space(&self) -> io::Result<Dir> {
        let path = self.user_space.as_deref().ok_or(io::ErrorKind::NotFound)?;
        std::fs::create_dir_all(path)?;
        Dir::open_ambient_dir(path, ambient_authority())
    }

    /// Opens the folder that the user space lies, or would lie, in.
    pub fn user_space_base(&self) -> io::Result<Folder> {
        let base = self.user_space.as_deref().and_then(Path::parent);
        Folder::open(base.ok_or(io::ErrorKind::NotFound)?)
    }

    /// Checks whether the user space lies, or would lie, directly in this folder.
    pub fn has_user_space_in(&self, folder: &Folder) -> bool {
        let parent = self.user_space.as_deref().and_then(Path::parent);
        let parent = parent.map(FolderIdentity::from_path).and_then(|found| found.ok().flatten());
        parent.is_some_and(|parent| parent == folder.identity())
    }

    /// Returns, for people, the paths of those of `folders` below the home folder that hold a
    /// skill.
    pub fn home_skills(&self, folders: &[&str]) -> Vec<String> {
        let home = self.home.iter();
        let paths = home.flat_map(|home| folders.iter().map(|folder| home.join(folder)));
        let skills = paths.filter(|path| path.join(SKILL_FILE).is_file());
        skills.map(|path| path.display().to_string()).collect()
    }

    pub(super) fn user_space_path(&self) -> Option<&Path> {
        self.user_space.as_deref()
    }

    /// Checks whether a path leads to the user space.
    pub(super) fn is_user_space(&self, path: &Path) -> bool {
        let own = self.user_space.as_deref().map(FolderIdentity::from_path);
        let own = own.and_then(|found| found.ok().flatten());
        own.is_some_and(|own| matches!(FolderIdentity::from_path(path), Ok(Some(at)) if at == own))
    }

    /// Returns the project's own space, if it has one. The user space does not count: items in a
    /// home folder under version control have user scope.
    pub fn project_space(&self, project: &Folder) -> io::Result<Option<Folder>> {
        let user = self.user_space()?.map(|space| space.identity());
        let space = project.subfolder(SPACE_FOLDER)?;
        Ok(space.filter(|space| Some(space.identity()) != user))
    }
}

fn canonical_directory(path: &Path) -> io::Result<PathBuf> {
    let path = path.canonicalize()?;
    if path.is_dir() { Ok(path) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// Reads one of our variables that names a folder. A relative path is an error, because its meaning
/// would depend on where the process was started.
fn absolute_path_variable(name: &'static str) -> io::Result<Option<PathBuf>> {
    let path = nonempty_variable(name).map(PathBuf::from);
    match path {
        Some(path) if path.is_relative() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            format!("`{name}` is not an absolute path"),
        )),
        path => Ok(path),
    }
}

/// Reads `SSH_AUTH_SOCK`. A relative path is ignored, because its meaning would depend on where the
/// process was started.
fn find_ssh_agent() -> Option<SshAgent> {
    #[cfg(unix)]
    {
        let socket = nonempty_variable("SSH_AUTH_SOCK").map(PathBuf::from);
        socket.filter(|path| path.is_absolute()).map(SshAgent::new)
    }
    #[cfg(not(unix))]
    {
        None
    }
}

/// Returns a variable that is set and not empty.
fn nonempty_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
