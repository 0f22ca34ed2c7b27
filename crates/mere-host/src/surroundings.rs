//! What the process finds around it, read once: working directory, home, and where things live.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use cap_std::ambient_authority;
use cap_std::fs::Dir;
use mere_core::category::{CategoryMode, CategoryModeError};
use mere_core::gate::{Landmark, StandIn};
use mere_core::item::SKILL_FILE;
use mere_core::root::Root;

use super::folder::{Folder, FolderIdentity, none_if_missing};
use super::{Cache, LockedFolder, SshAgent, TypedPath, WatchedFiles, WriteError};

/// The name of a space's folder.
pub const SPACE_FOLDER: &str = ".ai";
/// Where workspaces lie in a space.
pub const WORKSPACES_FOLDER: &str = "workspaces";
/// The folder of this program below the user's base folders.
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
}

/// The folders that no root shows.
struct PrivateFolders {
    config: Option<PathBuf>,
    /// Where keys lie when nothing else is said: hidden even if something else is.
    default_config: Option<PathBuf>,
    state: Option<PathBuf>,
    data: Option<PathBuf>,
    cache: Option<PathBuf>,
}

impl Environment {
    /// Reads the environment, with `directory` in place of the working directory if given.
    pub fn read(directory: Option<&TypedPath>) -> io::Result<Self> {
        let current = std::env::current_dir()?;
        let working = match directory {
            Some(typed) => canonical_directory(&typed.resolve_from(&current)?)?,
            None => current.clone(),
        };
        let shell = nonempty_variable("PWD").map(PathBuf::from).filter(|path| path.is_absolute());
        let typed =
            directory.and_then(|typed| typed.resolve_from(shell.as_ref().unwrap_or(&current)).ok());
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
            working_directory: working,
            home,
        })
    }

    pub(super) fn working_directory(&self) -> &Path {
        &self.working_directory
    }

    /// The working directory, held by handle.
    pub fn open_working_directory(&self) -> Option<Folder> {
        Folder::open(&self.working_directory).ok()
    }

    /// The working directory, for people.
    pub fn display_working_directory(&self) -> String {
        self.working_directory.display().to_string()
    }

    /// The user space, for people, whether or not it is there.
    pub fn display_user_space(&self) -> Option<String> {
        self.user_space.as_ref().map(|space| space.display().to_string())
    }

    /// `MERE_PROJECT`.
    pub(crate) fn project_variable(&self) -> Option<&TypedPath> {
        self.project.as_ref()
    }

    /// `MERE_AGENT`, `Err` if it is not Unicode.
    pub fn agent_variable(&self) -> Option<Result<&str, ()>> {
        self.agent.as_ref().map(|agent| agent.to_str().ok_or(()))
    }

    /// `MERE_CATEGORY_MODE`: no hierarchy holds less strictly than that.
    pub fn category_mode(&self) -> Result<CategoryMode, CategoryModeError> {
        let Some(mode) = &self.category_mode else { return Ok(CategoryMode::default()) };
        mode.to_str().ok_or(CategoryModeError)?.parse()
    }

    /// What a config that lies in `base` calls a path: absolute, from `~`, or relative to `base`.
    pub(super) fn configured_path(&self, text: &str, base: &Folder) -> Option<PathBuf> {
        let below_home = text.strip_prefix("~/").or_else(|| (text == "~").then_some(""));
        match below_home {
            Some(below) => self.home.as_ref().map(|home| home.join(below)),
            None => Some(base.path().join(text)),
        }
    }

    /// The user's home, for this module's siblings.
    pub(super) fn home_path(&self) -> Option<&Path> {
        self.home.as_deref()
    }

    /// The user's ssh-agent, if the environment names one.
    pub fn ssh_agent(&self) -> Option<&SshAgent> {
        self.ssh_agent.as_ref()
    }

    /// The user space, if it is there now. While it is the same folder it is opened once.
    pub fn user_space(&self) -> io::Result<Option<Arc<Folder>>> {
        let Some(path) = &self.user_space else { return Ok(None) };
        let now = FolderIdentity::from_path(path)?;
        let mut known = self.opened_user_space.lock().unwrap_or_else(PoisonError::into_inner);
        if known.as_ref().map(|folder| folder.identity()) != now {
            *known = none_if_missing(Folder::open(path))?.map(Arc::new);
        }
        Ok(known.clone().filter(|_| now.is_some()))
    }

    /// A file of the user space is looked at again and again.
    pub fn watch_user_space_file(&self, name: &str, watched: &mut WatchedFiles) {
        watched.add(&self.user_space.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// The same for a file of the approvals.
    pub fn watch_state_file(&self, name: &str, watched: &mut WatchedFiles) {
        watched.add(&self.private_folders.state.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// The same for a file of the keys or of the trust store.
    pub fn watch_config_file(&self, name: &str, watched: &mut WatchedFiles) {
        watched.add(&self.private_folders.config.as_deref().unwrap_or(Path::new("")).join(name));
    }

    /// The folder of the user space, made if it is not there.
    pub fn make_user_space(&self) -> io::Result<Dir> {
        let path = self.user_space.as_deref().ok_or(io::ErrorKind::NotFound)?;
        std::fs::create_dir_all(path)?;
        Dir::open_ambient_dir(path, ambient_authority())
    }

    /// Whether the user space lies, or would lie, directly in this folder.
    pub fn has_user_space_in(&self, folder: &Folder) -> bool {
        let parent = self.user_space.as_deref().and_then(Path::parent);
        let parent = parent.map(FolderIdentity::from_path).and_then(|found| found.ok().flatten());
        parent.is_some_and(|parent| parent == folder.identity())
    }

    /// Skills at these paths below the home folder, for people.
    pub fn home_skills(&self, folders: &[&str]) -> Vec<String> {
        let home = self.home.iter();
        let paths = home.flat_map(|home| folders.iter().map(|folder| home.join(folder)));
        let skills = paths.filter(|path| path.join(SKILL_FILE).is_file());
        skills.map(|path| path.display().to_string()).collect()
    }

    pub(super) fn user_space_path(&self) -> Option<&Path> {
        self.user_space.as_deref()
    }

    /// Whether a path leads to the user space.
    pub(super) fn is_user_space(&self, path: &Path) -> bool {
        let own = self.user_space.as_deref().map(FolderIdentity::from_path);
        let own = own.and_then(|found| found.ok().flatten());
        own.is_some_and(|own| matches!(FolderIdentity::from_path(path), Ok(Some(at)) if at == own))
    }

    /// The project's own space, if it has one. The user space is none: a home folder under version
    /// control has its items in user scope.
    pub fn project_space(&self, project: &Folder) -> io::Result<Option<Folder>> {
        let user = self.user_space()?.map(|space| space.identity());
        let space = project.subfolder(SPACE_FOLDER)?;
        Ok(space.filter(|space| Some(space.identity()) != user))
    }

    /// The folder where approvals are kept, for this process alone; `None` if there is no place
    /// for it.
    pub fn lock_state(&self) -> Option<Result<LockedFolder, WriteError>> {
        self.private_folders.state.as_deref().map(LockedFolder::open)
    }

    /// The folder where keys and tokens are kept, for this process alone; `None` if there is no
    /// place for it.
    pub fn lock_config(&self) -> Option<Result<LockedFolder, WriteError>> {
        self.private_folders.config.as_deref().map(LockedFolder::open)
    }

    pub(super) fn config_path(&self) -> Option<&Path> {
        self.private_folders.config.as_deref()
    }

    /// A file where keys and tokens are kept, for people.
    pub fn display_config_file(&self, name: &str) -> String {
        let folder = self.private_folders.config.as_deref().unwrap_or(Path::new(""));
        folder.join(name).display().to_string()
    }

    /// A file where keys and tokens are kept, if it is there.
    pub fn read_config_or_none(&self, name: &str) -> Option<Vec<u8>> {
        self.private_folders
            .config
            .as_deref()
            .and_then(|folder| LockedFolder::read_unlocked_or_none(folder, name))
    }

    /// The same where a file that cannot be read must not pass for one that is not there.
    pub fn read_config(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.private_folders
            .config
            .as_deref()
            .map_or(Ok(None), |folder| LockedFolder::read_unlocked(folder, name))
    }

    /// A file where approvals are kept, if it is there.
    pub fn read_state_or_none(&self, name: &str) -> Option<Vec<u8>> {
        self.private_folders
            .state
            .as_deref()
            .and_then(|state| LockedFolder::read_unlocked_or_none(state, name))
    }

    pub(super) fn data_path(&self) -> Option<&Path> {
        self.private_folders.data.as_deref()
    }

    /// Where what can be made again is kept; none if there is no place for it.
    pub fn cache(&self) -> Option<Cache> {
        self.private_folders.cache.clone().map(Cache::new)
    }

    /// The folders that no root shows and that are there now.
    pub fn private_identities(&self) -> io::Result<Vec<FolderIdentity>> {
        let mut found = Vec::new();
        for path in self.private_paths() {
            found.extend(FolderIdentity::from_path(path)?);
        }
        Ok(found)
    }

    pub(super) fn private_paths(&self) -> impl Iterator<Item = &Path> {
        let PrivateFolders { config, default_config: usual_config, state, data, cache } =
            &self.private_folders;
        [config, usual_config, state, data, cache].into_iter().flatten().map(PathBuf::as_path)
    }

    /// What the gate must keep from agents besides the roots.
    pub fn landmarks(&self) -> Vec<Landmark> {
        let mut marks = Vec::new();
        if let Some(home) = &self.home {
            marks.extend(landmarks_for(home, &StandIn::Home));
        }
        if let Some(temporary) = &self.temporary_directory {
            marks.extend(landmarks_for(temporary, &StandIn::Temporary));
        }
        if let Some(space) = &self.user_space {
            marks.extend(landmarks_for(space, &StandIn::Root(mere_core::root::Root::User)));
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
}

impl PrivateFolders {
    fn read(home: Option<&Path>) -> io::Result<Self> {
        let base = |name: &str, fallback: &str| {
            let given =
                nonempty_variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
            let base = given.or_else(|| home.map(|home| home.join(fallback)));
            base.map(|base| base.join(PROGRAM_FOLDER))
        };
        let usual_config = base("XDG_CONFIG_HOME", ".config");
        Ok(Self {
            config: absolute_path_variable("MERE_CONFIG_DIR")?.or_else(|| usual_config.clone()),
            default_config: usual_config,
            state: base("XDG_STATE_HOME", ".local/state"),
            data: base("XDG_DATA_HOME", ".local/share"),
            cache: base("XDG_CACHE_HOME", ".cache"),
        })
    }
}

/// Landmarks for a folder in its raw and its canonical spelling.
pub(super) fn landmarks_for(path: &Path, stand_in: &StandIn) -> Vec<Landmark> {
    let canonical = path.canonicalize().ok();
    let texts = [Some(path.to_owned()), canonical];
    let texts = texts.into_iter().flatten().map(|path| path.to_string_lossy().into_owned());
    texts.map(|path| Landmark { path, stand_in: stand_in.clone() }).collect()
}

fn canonical_directory(path: &Path) -> io::Result<PathBuf> {
    let path = path.canonicalize()?;
    if path.is_dir() { Ok(path) } else { Err(io::ErrorKind::NotADirectory.into()) }
}

/// A variable of ours that names a folder. Relative to what, would depend on who started us.
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

/// `SSH_AUTH_SOCK`. Relative to what, would depend on who started us.
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

/// A variable that is set and not empty.
fn nonempty_variable(name: &str) -> Option<OsString> {
    std::env::var_os(name).filter(|value| !value.is_empty())
}
