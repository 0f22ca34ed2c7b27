//! The project of a session, found once, with its environment and the project around it.
//!
//! The project is found by [`find_project`]. If its configuration lists `projects:` and a person
//! trusts it, the matching folder that the command ran in becomes the project instead, and the
//! outer project stays readable as an extra folder.

use std::sync::Arc;

use mere_core::address::{AgentName, ModName, RelPath, Root, Segment};
use mere_core::category::CategoryMode;
use mere_core::digest::Sha256;
use mere_core::item::{SKILL_FILE, Scope};
use mere_core::text::pattern::Patterns;
use serde_json::json;

use crate::config;
use crate::config::{Config, ProjectSearchConfig};
use crate::trust::approvals::project;
use crate::trust::approvals::wide_roots;
use crate::trust::digest_key::DigestKeyReader;
use crate::trust::project_key;
use crate::trust::project_key::ProjectKey;
use crate::world::OpenError;
use crate::world::no_project::{NoProject, describe_refusal};
use mere_host::{
    Database, Environment, EnvironmentError, Folder, FolderWriter, ProjectRequest, RefusedRoot,
    SPACE_FOLDER, SearchStop, TypedPath, WORKSPACES_FOLDER, find_project,
};

/// The project of a session and its surroundings.
pub(crate) struct Context {
    pub(crate) environment: Environment,
    /// The project, or the folder that is too wide to be one.
    root: Result<Arc<Folder>, RefusedRoot>,
    /// The flag, the variable, the marker or the config key by which the project was found.
    pub(crate) found_by: String,
    /// Whether the project is a wide folder, which a person can take back.
    is_wide: bool,
    /// The member of the workspace whose root the project is, for people.
    pub(crate) member: Option<String>,
    /// Where the upward search stopped before it reached the top.
    pub(crate) search_stop: Option<SearchStop>,
    pub(crate) outer: Option<OuterProject>,
}

/// The project that another project lies in.
pub(crate) struct OuterProject {
    pub(crate) folder: Arc<Folder>,
    /// Its name as an extra folder.
    pub(crate) name: ModName,
    /// The path of the inner project, from the outer one.
    pub(crate) inner_path: RelPath,
}

impl OuterProject {
    /// Returns the patterns that its configuration calls sensitive. They hold inside the inner
    /// project too.
    pub(crate) fn sensitive_patterns(
        &self,
        environment: &Environment,
    ) -> Result<Vec<String>, config::ConfigError> {
        let space = self.folder.subfolder(SPACE_FOLDER);
        let Some(space) = space.map_err(config::unreadable_project_config)? else {
            return Ok(Vec::new());
        };
        let config = config::read_project(environment, &self.folder, &space)?;
        Ok(config.sensitive_patterns().to_vec())
    }
}

impl Context {
    /// Finds the project, from what a person typed and from where the command ran.
    pub(crate) fn find(
        project: Option<&TypedPath>,
        directory: Option<&TypedPath>,
    ) -> Result<Self, OpenError> {
        let environment = match Environment::read(directory) {
            // Whoever names the project needs no working directory.
            Err(EnvironmentError::NoWorkingDirectory(_))
                if directory.is_none() && project.is_some_and(TypedPath::is_absolute) =>
            {
                Environment::read(project)?
            }
            environment => environment?,
        };
        let search = config::project_search(&environment);
        let is_accepted = |folder: &Folder| is_accepted(&environment, &search, folder);
        let request =
            ProjectRequest { named: project, markers: &search.markers, is_accepted: &is_accepted };
        let found = find_project(&environment, &request)
            .map_err(|error| OpenError::Project(error.to_string()))?;
        let search_stop = found.stop;
        let is_wide = found.root.as_ref().is_ok_and(|found| found.is_wide);
        let (root, found_by, member, outer) = match found.root {
            Err(refused) => {
                let found_by = refused.found_by.to_owned();
                (Err(refused), found_by, None, None)
            }
            Ok(found) => {
                let folder = Arc::new(found.folder);
                let is_searched = !found.is_named;
                let inner =
                    is_searched.then(|| find_inner_project(&environment, &folder)).flatten();
                match inner {
                    Some((inner, outer)) => {
                        (Ok(Arc::new(inner)), "projects".to_owned(), None, Some(outer))
                    }
                    None => (Ok(folder), found.found_by, found.member, None),
                }
            }
        };
        Ok(Self { environment, root, found_by, is_wide, member, search_stop, outer })
    }

    /// Returns this machine's key for the digests of files that are not shown as they are.
    pub(crate) fn digest_key(&self) -> DigestKeyReader<'_> {
        DigestKeyReader::of_user(&self.environment)
    }

    /// Returns the project.
    pub(crate) fn project(&self) -> Result<&Arc<Folder>, NoProject> {
        self.root.as_ref().map_err(|_| NoProject)
    }

    /// Checks whether there is such a root. Without a project it has no workspace either.
    pub(crate) fn has_root(&self, root: &Root) -> bool {
        self.root.is_ok() || !matches!(root, Root::Project | Root::Workspace)
    }

    /// Checks that the project may still be served: a person can take back that a wide folder is
    /// meant.
    pub(crate) fn check_still_accepted(&self) -> Result<(), NoProject> {
        let search = || config::project_search(&self.environment);
        match self.project() {
            Ok(project) if self.is_wide && !is_accepted(&self.environment, &search(), project) => {
                Err(NoProject)
            }
            _ => Ok(()),
        }
    }

    /// Returns the folder of the project, if there is one.
    pub(crate) fn project_folder(&self) -> Option<&Folder> {
        self.root.as_deref().ok()
    }

    /// Returns the project, for a command that is about nothing else.
    pub(crate) fn require_project(&self) -> Result<&Arc<Folder>, OpenError> {
        self.root.as_ref().map_err(|refused| OpenError::Project(describe_refusal(refused)))
    }

    /// Explains to a person why there is no project, if there is none.
    pub(crate) fn refusal(&self) -> Option<String> {
        self.root.as_ref().err().map(describe_refusal)
    }

    /// Returns the folder that is no project because it is too wide.
    pub(crate) fn refused_root(&self) -> Option<&RefusedRoot> {
        self.root.as_ref().err()
    }

    /// Returns the folder whose `.ai` holds the workspaces: the project or, if there is none, the
    /// folder of the user space.
    pub(crate) fn workspaces_base(&self) -> std::io::Result<Arc<Folder>> {
        match self.project() {
            Ok(project) => Ok(Arc::clone(project)),
            Err(_) => self.environment.user_space_base().map(Arc::new),
        }
    }

    /// Returns the project around this one, as long as a person still trusts the nesting.
    pub(crate) fn trusted_outer(&self) -> Option<&OuterProject> {
        let outer = self.outer.as_ref()?;
        trusted_widening(&self.environment, &outer.folder).map(|_| outer)
    }

    /// Returns the project's own space, if it has one.
    pub(crate) fn space(&self) -> std::io::Result<Option<Folder>> {
        self.project().map_or(Ok(None), |project| self.environment.project_space(project))
    }

    /// Returns the key under which approvals for a scope are recorded.
    pub(crate) fn approval_key(&self, scope: Scope) -> std::io::Result<Option<ProjectKey>> {
        Ok(match scope {
            Scope::Project => {
                let space = self.space()?;
                let project = self.project().ok();
                project.and_then(|project| ProjectKey::for_project(project, space.as_ref()))
            }
            Scope::User | Scope::Registry => {
                let space = self.environment.user_space()?;
                space.and_then(|space| ProjectKey::for_project(&space, Some(&space)))
            }
        })
    }

    /// Returns the location of this project's search index. The landmarks are part of its name,
    /// because the index holds text that passed a gate which knows these folders.
    pub(crate) fn search_database(&self, landmarks: Sha256) -> Database {
        let scope = if self.project().is_ok() { Scope::Project } else { Scope::User };
        let key = self.approval_key(scope).ok().flatten();
        let Some((cache, key)) = self.environment.cache().zip(key) else {
            return Database::Temporary;
        };
        let record = json!([key.record(), landmarks.to_string()]);
        cache.database(&format!("search-{}", Sha256::digest(record.to_string().as_bytes())))
    }

    /// Gives the space of a scope an id if it has none. Returns the id, and whether it is new;
    /// `None` if the space has a file that says no id.
    pub(crate) fn ensure_space_id(
        &self,
        scope: Scope,
        is_cancelled: &dyn Fn() -> bool,
    ) -> std::io::Result<Option<(String, bool)>> {
        let (folder, name) = match scope {
            Scope::Project => {
                let project = self.project()?;
                (FolderWriter::make_space(project)?, project.name())
            }
            Scope::User | Scope::Registry => {
                (self.environment.make_user_space()?, "user".to_owned())
            }
        };
        let editing =
            FolderWriter::open(&folder, is_cancelled)?.ok_or(std::io::ErrorKind::TimedOut)?;
        project_key::ensure_space_id(&editing, &name)
    }

    /// Gives the space of a scope a new id, and returns it. Returns `None` if there is no space with
    /// an id.
    pub(crate) fn renew_space_id(
        &self,
        scope: Scope,
        is_cancelled: &dyn Fn() -> bool,
    ) -> std::io::Result<Option<String>> {
        let folder = match scope {
            Scope::Project => self.space()?.map(|space| space.dir().try_clone()),
            Scope::User | Scope::Registry => {
                self.environment.user_space()?.map(|space| space.dir().try_clone())
            }
        };
        let Some(folder) = folder.transpose()? else { return Ok(None) };
        let editing =
            FolderWriter::open(&folder, is_cancelled)?.ok_or(std::io::ErrorKind::TimedOut)?;
        project_key::renew_space_id(&editing)
    }

    /// Checks whether the project is the folder that contains the user's own space.
    pub(crate) fn is_home(&self) -> bool {
        self.project().is_ok_and(|project| self.environment.has_user_space_in(project))
    }

    /// Returns the skills at these paths, in the project and at home, as paths for people.
    pub(crate) fn skills_in(&self, folders: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for (project, folder) in self
            .project()
            .iter()
            .flat_map(|project| folders.iter().map(move |folder| (project, folder)))
        {
            let skill = project.subfolder(folder).ok().flatten();
            if skill.is_some_and(|skill| skill.dir().is_file(SKILL_FILE)) {
                found.push(format!("{}/{folder}", project.display_path()));
            }
        }
        found.extend(self.environment.home_skills(folders));
        found
    }

    /// Returns the value of `MERE_CATEGORY_MODE`: the least strict mode that any hierarchy may
    /// have. An invalid value counts as the strictest mode; no session opens with one anyway.
    pub(crate) fn least_mode(&self) -> CategoryMode {
        self.environment.category_mode().unwrap_or(CategoryMode::Strict)
    }

    /// Returns the path of an agent's workspace, for people. It need not exist yet.
    pub(crate) fn workspace_shown(&self, agent: &AgentName) -> Option<String> {
        let project = self.project().ok()?.display_path();
        Some(format!("{project}/{SPACE_FOLDER}/{WORKSPACES_FOLDER}/{agent}"))
    }
}

/// Checks whether a person said that a wide folder is meant as a project.
fn is_accepted(environment: &Environment, search: &ProjectSearchConfig, folder: &Folder) -> bool {
    search.is_wide_root(folder, environment) || wide_roots::is_recorded(environment, folder)
}

/// Returns a project's space and what its config widens, if a person trusts that.
fn trusted_widening(environment: &Environment, project: &Folder) -> Option<(Folder, Config)> {
    let space = environment.project_space(project).ok().flatten()?;
    let config = config::read_project(environment, project, &space).ok()?;
    let widening = config.widening.config().ok()?;
    let is_trusted = project::is_config_trusted(environment, project, &space, widening);
    is_trusted.then(|| (space, widening.clone()))
}

/// Finds the folder of a trusted `projects:` list that the command ran in. The deepest match wins.
fn find_inner_project(
    environment: &Environment,
    project_folder: &Arc<Folder>,
) -> Option<(Folder, OuterProject)> {
    let working = project_folder.locate(&environment.open_working_directory()?)?;
    let (space, widening) = trusted_widening(environment, project_folder)?;
    if widening.projects.is_empty() {
        return None;
    }
    let patterns = widening.projects.iter().map(String::as_str).collect::<Vec<_>>();
    let patterns = Patterns::anchored(&patterns).ok()?;
    let below = prefixes(&working).filter(|path| patterns.matches_any(path.as_str())).last()?;
    let folder = project_folder.require_subfolder(&below).ok()?;
    let name = project_key::space_name(space.dir());
    let name = name.and_then(|name| ModName::from_title(&name));
    let name = name.or_else(|| ModName::from_title(&project_folder.name()));
    let name = name.or_else(|| "outer".parse().ok())?;
    Some((folder, OuterProject { folder: Arc::clone(project_folder), name, inner_path: below }))
}

/// Returns `a`, `a/b`, `a/b/c` for the path `a/b/c`.
fn prefixes(path: &RelPath) -> impl Iterator<Item = RelPath> {
    path.segments().scan(RelPath::default(), |path, name: Segment| {
        *path = path.join(&name);
        Some(path.clone())
    })
}
