//! One reading of the configuration, and everything that follows from it.
//!
//! A call reads one snapshot from beginning to end; a reload makes another. A config that does not
//! parse is part of the snapshot: every call then says so, and the gate still works.

use std::io;
use std::sync::Arc;

use mere_core::gate::{Gate, Landmark, StandIn};
use mere_core::name::AgentName;
use mere_core::root::Root;

use crate::config::{self, Config, ConfigError};
use crate::host::{Folder, SPACE, Stamps, Surroundings};
use crate::session::Mods;
use crate::trust;
use crate::world::{Hidden, Standing, World};

/// Where workspaces lie in a space.
const WORKSPACES: &str = "workspaces";

/// Why there is no world to look at.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum WorldError {
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The machine failed while the world was put together. What cannot be recognised as private
    /// must not be shown, so nothing is.
    #[error("the machine failed: {0}")]
    Broken(Arc<io::Error>),
}

impl From<io::Error> for WorldError {
    fn from(error: io::Error) -> Self {
        Self::Broken(Arc::new(error))
    }
}

/// The roots and the gate of one configuration.
pub(crate) struct Snapshot {
    project: Arc<Folder>,
    mods: Result<Vec<Standing>, WorldError>,
    pub(crate) gate: Gate,
}

impl Snapshot {
    pub(crate) fn take(surroundings: &Surroundings, project: &Arc<Folder>, mods: Mods) -> Self {
        let mods = match mods {
            Mods::Off => Ok(Vec::new()),
            Mods::Configured => configured_mods(surroundings, project),
        };
        let standing = mods.as_deref().unwrap_or_default();
        let gate = Gate::new(landmarks(surroundings, project, standing));
        Self { project: Arc::clone(project), mods, gate }
    }

    /// What tells whether a configuration read later would differ from one read now.
    pub(crate) fn stamps(surroundings: &Surroundings, project: &Folder) -> Stamps {
        let project = project.subfolder(SPACE).ok().flatten();
        let user = surroundings.user_space().ok().flatten();
        let mut stamps = Stamps::default();
        for space in [project, user] {
            stamps.add(space.as_ref(), config::FILE);
            stamps.add(space.as_ref(), config::SPACE_FILE);
        }
        stamps.add(surroundings.state_folder().as_ref(), trust::FILE);
        stamps
    }

    /// The roots an agent can name.
    pub(crate) fn roots(&self) -> Vec<Root> {
        let mods = self.mods.as_deref().unwrap_or_default().iter().map(|one| one.root.clone());
        let fixed = [Root::Project, Root::User, Root::Workspace, Root::Registry];
        fixed.into_iter().chain(mods).collect()
    }

    /// The root that answers print for what a caller said; `None` if there is none such. Touches
    /// no disk.
    pub(crate) fn find_root(&self, said: &Root) -> Result<Option<Root>, WorldError> {
        let mods = self.mods.as_ref().map_err(WorldError::clone)?;
        Ok(match said {
            Root::Mod(_) => {
                mods.iter().find(|one| one.answers_to(said)).map(|one| one.root.clone())
            }
            fixed => Some(fixed.clone()),
        })
    }

    /// The world of one call for one agent, as the disk is now.
    pub(crate) fn world(
        &self,
        surroundings: &Surroundings,
        agent: &AgentName,
    ) -> Result<World, WorldError> {
        let mods = self.mods.as_ref().map_err(WorldError::clone)?;
        let workspaces = match self.project.subfolder(SPACE)? {
            Some(space) => space.subfolder(WORKSPACES)?,
            None => None,
        };
        let mut hidden = surroundings.private()?;
        hidden.extend(workspaces.as_ref().map(Folder::identity));
        // Reached without following a link: a repository must not be able to send an agent's
        // writes elsewhere.
        let workspace = match workspaces {
            Some(folder) => folder.subfolder(agent.as_str())?,
            None => None,
        };
        let mut standing = vec![
            stand(Root::Project, Some(Arc::clone(&self.project))),
            stand(Root::User, surroundings.user_space()?.map(Arc::new)),
            stand(Root::Workspace, workspace.map(Arc::new)),
            stand(Root::Registry, None),
        ];
        standing.extend(mods.iter().cloned());
        Ok(World::new(standing, Hidden::new(hidden)))
    }
}

fn stand(root: Root, folder: Option<Arc<Folder>>) -> Standing {
    Standing { root, id: None, folder }
}

fn configured_mods(
    surroundings: &Surroundings,
    project: &Folder,
) -> Result<Vec<Standing>, WorldError> {
    let user_space = surroundings.user_space().map_err(config::unreadable)?;
    let user = user_space.as_ref().map(|space| config::of_user(space.dir())).transpose()?;
    let user = user.unwrap_or_default();
    let project_space = surroundings.project_space(project)?;
    let ours = project_space.as_ref().map(|space| trusted(surroundings, project, space));
    let ours = ours.transpose()?.unwrap_or_default();
    config::check_clashes(&user, &ours)?;
    let mut standing = open_mods(surroundings, &user, user_space.as_ref())?;
    standing.extend(open_mods(surroundings, &ours, project_space.as_ref())?);
    Ok(standing)
}

/// As much of a project's config as counts. Every key there is today widens, so without a person's
/// trust that is nothing.
fn trusted(
    surroundings: &Surroundings,
    project: &Folder,
    space: &Folder,
) -> Result<Config, ConfigError> {
    let widening = config::of_project(space.dir())?;
    match widening.said() {
        Ok(said) if said.mods.is_empty() || trust::covers(surroundings, project, space, said) => {
            Ok(said.clone())
        }
        Ok(_) => {
            tracing::warn!(
                "`mods` of the project's config do not count before `mere trust project`"
            );
            Ok(Config::default())
        }
        Err(error) => {
            tracing::warn!(%error, "`mods` of the project's config do not count");
            Ok(Config::default())
        }
    }
}

/// The extra folders that are there. One that is not, or that lies where nothing is visible, does
/// not stand.
fn open_mods(
    surroundings: &Surroundings,
    config: &Config,
    base: Option<&Folder>,
) -> io::Result<Vec<Standing>> {
    let Some(base) = base else { return Ok(Vec::new()) };
    let private = surroundings.private()?;
    let mut standing = Vec::new();
    for one in &config.mods {
        let folder = match Folder::open_configured(&one.path, base, surroundings) {
            Ok(folder) => folder,
            Err(error) => {
                tracing::warn!(name = %one.name, path = %one.path, %error, "extra folder left out");
                continue;
            }
        };
        if folder.lies_in(&private)? {
            tracing::warn!(name = %one.name, "extra folder left out: keys or approvals lie there");
            continue;
        }
        let root = Root::Mod(one.name.clone());
        standing.push(Standing { root, id: Some(one.id.clone()), folder: Some(Arc::new(folder)) });
    }
    Ok(standing)
}

fn landmarks(surroundings: &Surroundings, project: &Folder, mods: &[Standing]) -> Vec<Landmark> {
    let logical = surroundings.logical_spelling(project);
    let mut marks = project.landmarks(logical, &StandIn::Root(Root::Project));
    let workspaces = marks.iter().map(|mark| Landmark {
        path: format!("{}/{SPACE}/{WORKSPACES}", mark.path.trim_end_matches('/')),
        stand_in: StandIn::Workspaces,
    });
    let workspaces = workspaces.collect::<Vec<_>>();
    marks.extend(workspaces);
    for standing in mods {
        if let Some(folder) = &standing.folder {
            marks.extend(folder.landmarks(None, &StandIn::Root(standing.root.clone())));
        }
    }
    marks.extend(surroundings.landmarks());
    marks
}
