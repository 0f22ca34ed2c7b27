//! The project of a run: shown to the tool only with the proof that a person granted it.

use std::sync::Arc;

use mere_core::item::ProjectAccess;

use super::project_proposal::count_waiting;
use super::{RunCall, RunError};
use crate::files::error::FileError;
use crate::policy::GrantedPermissions;
use crate::space::ItemChangeError;
use crate::world::{SurveyError, World};
use mere_host::{
    ChangeJudge, Folder, MAX_WAITING_PROPOSALS, ProjectSurvey, ProjectView, SandboxError,
    ViewScratch,
};

/// Why the project cannot be shown to a tool. Nothing was run, unless a proposal was not saved.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ProjectError {
    #[error("the project has too many files")]
    TooLarge,
    #[error("too many proposals wait")]
    TooManyProposals,
    #[error("the project cannot be read")]
    Unreadable(std::io::Error),
    #[error("the proposal was not saved")]
    NotSaved(std::io::Error),
}

/// The project that a tool was granted.
pub(super) struct GrantedProject<'a> {
    folder: Arc<Folder>,
    survey: ProjectSurvey,
    scratch: ViewScratch,
    access: ProjectAccess,
    judge: Box<ChangeJudge<'a>>,
}

impl<'a> GrantedProject<'a> {
    /// Surveys the project, if the tool was granted access to it.
    pub(super) fn prepare(
        call: &RunCall<'a>,
        granted: &GrantedPermissions,
    ) -> Result<Option<Self>, RunError> {
        let Some(access) = granted.grant().project else { return Ok(None) };
        let project = call.context.project().map_err(ItemChangeError::from)?;
        if access == ProjectAccess::Propose {
            let waiting = count_waiting(call.context).map_err(ProjectError::Unreadable)?;
            if waiting >= MAX_WAITING_PROPOSALS {
                return Err(ProjectError::TooManyProposals.into());
            }
        }
        let world: &'a World = &call.items.view.world;
        let survey = world.survey_project(call.is_cancelled).map_err(|error| match error {
            SurveyError::Cancelled => RunError::from(FileError::Cancelled),
            SurveyError::TooLarge => ProjectError::TooLarge.into(),
            SurveyError::Unreadable(cause) => ProjectError::Unreadable(cause).into(),
        })?;
        let scratch = ViewScratch::create(&call.context.environment).map_err(SandboxError::Io)?;
        Ok(Some(Self {
            folder: Arc::clone(project),
            survey,
            scratch,
            access,
            judge: Box::new(|path, form| world.judge_project_change(path, form)),
        }))
    }

    /// Returns the project as the sandbox shows it.
    pub(super) fn view(&self) -> ProjectView<'_> {
        ProjectView {
            folder: &self.folder,
            survey: &self.survey,
            access: self.access,
            scratch: &self.scratch,
            judge: &*self.judge,
        }
    }
}
