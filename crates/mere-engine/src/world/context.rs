//! The project of a session, found once, with its environment and the project around it.
//!
//! The project is found by [`find_project`]. If its configuration lists `projects:` and a person
//! trusts it, the matching folder that the command ran in becomes the project instead, and the
//! outer project stays readable as an extra folder.

use std::sync::Arc;

use mere_core::address::{AgentName, ModName, RelPath, Segment};
use mere_core::category::CategoryMode;
use mere_core::digest::Sha256;
use mere_core::item::{SKILL_FILE, Scope};
use mere_core::text::pattern::Patterns;
use serde_json::json;

use crate::config;
use crate::trust::approvals::project;
use crate::trust::project_key;
use crate::trust::project_key::ProjectKey;
use crate::world::OpenError;
use mere_host::{
    Database, Environment, Folder, FolderWriter, SPACE_FOLDER, TypedPath, WORKSPACES_FOLDER,
    find_project,
};

/// The project of a session and its surroundings.
pub(crate) struct Context {
    pub(crate) environment: Environment,
    pub(crate) project: Arc<Folder>,
    /// The flag, the variable, the marker or the config key by which the project was found.
    pub(crate) found_by: String,
    /// The folder at which the upward search ended before it reached the top, for people.
    pub(crate) search_ended_at: Option<String>,
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
        let environment = Environment::read(directory).map_err(OpenError::Environment)?;
        let markers = config::project_markers(&environment);
        let found = find_project(&environment, project, &markers)
            .map_err(|error| OpenError::Project(error.to_string()))?;
        let ended_at = found.stopped_at;
        let project_folder = Arc::new(found.folder);
        let inner =
            if found.is_named { None } else { find_inner_project(&environment, &project_folder) };
        Ok(match inner {
            Some((folder, outer)) => {
                let found_by = "projects".to_owned();
                let project = Arc::new(folder);
                Self {
                    environment,
                    project,
                    found_by,
                    search_ended_at: ended_at,
                    outer: Some(outer),
                }
            }
            None => Self {
                environment,
                project: project_folder,
                found_by: found.found_by,
                search_ended_at: ended_at,
                outer: None,
            },
        })
    }

    /// Returns the project around this one, as long as a person still trusts the nesting.
    pub(crate) fn trusted_outer(&self) -> Option<&OuterProject> {
        let outer = self.outer.as_ref()?;
        let space = self.environment.project_space(&outer.folder).ok().flatten()?;
        let config = config::read_project(&self.environment, &outer.folder, &space).ok()?;
        let widening = config.widening.config().ok()?;
        project::is_config_trusted(&self.environment, &outer.folder, &space, widening)
            .then_some(outer)
    }

    /// Returns the project's own space, if it has one.
    pub(crate) fn space(&self) -> std::io::Result<Option<Folder>> {
        self.environment.project_space(&self.project)
    }

    /// Returns the key under which approvals for a scope are recorded.
    pub(crate) fn approval_key(&self, scope: Scope) -> std::io::Result<Option<ProjectKey>> {
        Ok(match scope {
            Scope::Project => ProjectKey::for_project(&self.project, self.space()?.as_ref()),
            Scope::User | Scope::Registry => {
                let space = self.environment.user_space()?;
                space.and_then(|space| ProjectKey::for_project(&space, Some(&space)))
            }
        })
    }

    /// Returns the location of this project's search index. The landmarks are part of its name,
    /// because the index holds text that passed a gate which knows these folders.
    pub(crate) fn search_database(&self, landmarks: Sha256) -> Database {
        let key = self.approval_key(Scope::Project).ok().flatten();
        let Some((cache, key)) = self.environment.cache().zip(key) else {
            return Database::Temporary;
        };
        let record = json!([key.record(), landmarks.to_string()]);
        cache.database(&format!("search-{}", Sha256::digest(record.to_string().as_bytes())))
    }

    /// Gives the space of a scope an id if it has none, and returns the id.
    pub(crate) fn ensure_space_id(
        &self,
        scope: Scope,
        is_cancelled: &dyn Fn() -> bool,
    ) -> std::io::Result<String> {
        let (folder, name) = match scope {
            Scope::Project => (FolderWriter::make_space(&self.project)?, self.project.name()),
            Scope::User | Scope::Registry => {
                (self.environment.make_user_space()?, "user".to_owned())
            }
        };
        let editing =
            FolderWriter::open(&folder, is_cancelled)?.ok_or(std::io::ErrorKind::TimedOut)?;
        Ok(project_key::ensure_space_id(&editing, &name)?.0)
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
        self.environment.has_user_space_in(&self.project)
    }

    /// Returns the skills at these paths, in the project and at home, as paths for people.
    pub(crate) fn skills_in(&self, folders: &[&str]) -> Vec<String> {
        let mut found = Vec::new();
        for folder in folders {
            let skill = self.project.subfolder(folder).ok().flatten();
            if skill.is_some_and(|skill| skill.dir().is_file(SKILL_FILE)) {
                found.push(format!("{}/{folder}", self.project.display_path()));
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
    pub(crate) fn workspace_shown(&self, agent: &AgentName) -> String {
        format!("{}/{SPACE_FOLDER}/{WORKSPACES_FOLDER}/{agent}", self.project.display_path())
    }
}

/// Finds the folder of a trusted `projects:` list that the command ran in. The deepest match wins.
fn find_inner_project(
    environment: &Environment,
    project_folder: &Arc<Folder>,
) -> Option<(Folder, OuterProject)> {
    let working = project_folder.locate(&environment.open_working_directory()?)?;
    let space = environment.project_space(project_folder).ok().flatten()?;
    let config = config::read_project(environment, project_folder, &space).ok()?;
    let widening = config.widening.config().ok()?;
    if widening.projects.is_empty()
        || !project::is_config_trusted(environment, project_folder, &space, widening)
    {
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
