//! `mere trust project`: a person decides whether a project's configuration may widen what agents
//! see.
//!
//! No agent-facing tool reaches this module. Its texts are for people and may name host paths.

use mere_host::{TypedPath, WideFolder};
use serde_json::Value;

use crate::config::{self, Config, ConfigError};
use crate::memory::resolve_stores;
use crate::trust::approvals::project::{FILE, WideningRequest, escape_unprintable, is_recorded};
use crate::trust::approvals::records::{self, RecordError};
use crate::trust::approvals::rule_floor::RuleFloor;
use crate::trust::approvals::wide_roots;
use crate::trust::project_key::ProjectKey;
use crate::world::{Context, OpenError, OperatorChoice, WorldError};

/// Why trust could not be shown or recorded.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no project to trust.
    #[error(transparent)]
    Project(#[from] OpenError),
    /// The configuration is broken, so there is nothing to decide.
    #[error("{0}")]
    Config(String),
    /// A space cannot be reached.
    #[error("a space cannot be reached: {0}")]
    Space(std::io::Error),
    /// The record could not be saved.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// The folder's name is not Unicode.
    #[error("the project's folder has a name that is not Unicode: it cannot be recorded")]
    Name,
}

/// A project that a person is about to decide on.
pub struct ProjectApproval {
    context: Context,
    key: ProjectKey,
}

impl ProjectApproval {
    /// Finds the project.
    pub fn find(
        project: Option<&TypedPath>,
        directory: Option<&TypedPath>,
    ) -> Result<Self, TrustError> {
        let context = Context::find(project, directory)?;
        let space = context.space().map_err(TrustError::Space)?;
        let key = ProjectKey::for_project(context.require_project()?, space.as_ref())
            .ok_or(TrustError::Name)?;
        Ok(Self { context, key })
    }

    /// Returns the project's folder, for people.
    pub fn folder(&self) -> String {
        escape_unprintable(self.key.folder())
    }

    /// Reads what the project's configuration would widen, and checks that it is valid.
    pub fn widening(&self) -> Result<WideningRequest, TrustError> {
        let broken =
            |error: ConfigError| TrustError::Config(escape_unprintable(&error.to_string()));
        let environment = &self.context.environment;
        let floor = RuleFloor::read(environment, &self.key)
            .map_err(|error| TrustError::Config(error.to_string()))?;
        let Some(space) = self.context.space().map_err(TrustError::Space)? else {
            return Ok(WideningRequest::default().with_loosening(&floor, &Config::default()));
        };
        let config = config::read_project(environment, self.context.require_project()?, &space);
        let trusted = config.and_then(|config| config.trusted_config()).map_err(broken)?;
        let user = environment.user_space().map_err(TrustError::Space)?;
        let user = user.map(|space| config::read_user(space.dir())).transpose().map_err(broken)?;
        let user = user.unwrap_or_default();
        let outer = self.context.outer.as_ref().map(|outer| &outer.name);
        config::check_clashes(&user, &trusted, outer).map_err(broken)?;
        resolve_stores(&self.context, (&user, &trusted), &OperatorChoice::default()).map_err(
            |error| match error {
                WorldError::Config(error) => broken(error),
                error => TrustError::Config(error.to_string()),
            },
        )?;
        let request = WideningRequest::from_config(&trusted, &space, environment);
        Ok(request.with_loosening(&floor, &trusted))
    }

    /// Checks whether exactly this request is trusted already.
    pub fn is_trusted(&self, widening: &WideningRequest) -> bool {
        widening.loosened_rules().is_none()
            && is_recorded(&self.context.environment, &self.key, widening)
    }

    /// Records that a person trusts exactly this request.
    pub fn trust(&self, widening: &WideningRequest) -> Result<(), TrustError> {
        records::update(self.context.environment.lock_state(), FILE, |records| {
            // Each folder has one record, whatever id its space has.
            records.retain(|record| record["folder"] != self.key.folder());
            if widening.has_widening_keys() {
                records.push(widening.record(&self.key));
            }
        })?;
        if let Some(rules) = widening.loosened_rules() {
            rules.replace_recorded(&self.context.environment, &self.key)?;
        }
        Ok(())
    }

    /// Removes every record for this project and for the project around it, whose trust makes this
    /// one a project. Returns whether there was any.
    pub fn forget(&self) -> Result<bool, TrustError> {
        let outer = self.context.outer.as_ref().and_then(|outer| outer.folder.canonical_text());
        let folders = [Some(self.key.folder()), outer];
        let mut dropped = false;
        records::update(self.context.environment.lock_state(), FILE, |records| {
            let before = records.len();
            let is_own = |record: &Value| folders.iter().flatten().any(|f| record["folder"] == **f);
            records.retain(|record| !is_own(record));
            dropped = records.len() < before;
        })?;
        let was_wide = wide_roots::forget(&self.context.environment, self.key.folder())?;
        Ok(dropped || was_wide)
    }
}

/// A wide folder, such as the home folder, that a person is about to make a project.
pub struct WideRootApproval {
    context: Context,
    folder: String,
    /// What the folder is, in words.
    pub description: &'static str,
}

impl WideRootApproval {
    /// Finds the wide folder that would be the project. Returns `None` if there is a project.
    pub fn find(
        project: Option<&TypedPath>,
        directory: Option<&TypedPath>,
    ) -> Result<Option<Self>, TrustError> {
        let context = Context::find(project, directory)?;
        let Some(refused) = context.refused_root() else { return Ok(None) };
        if refused.kind == WideFolder::Top {
            context.require_project()?;
        }
        let description = refused.kind.description();
        let folder = refused.folder.canonical_text().ok_or(TrustError::Name)?.to_owned();
        Ok(Some(Self { context, folder, description }))
    }

    /// Returns the folder, for people.
    pub fn folder(&self) -> String {
        escape_unprintable(&self.folder)
    }

    /// Records that a person means this folder as a project.
    pub fn accept(&self) -> Result<(), TrustError> {
        Ok(wide_roots::record(&self.context.environment, &self.folder)?)
    }
}
