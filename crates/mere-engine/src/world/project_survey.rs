//! What a tool may see of the project: what an agent may see, without version control and `.ai`.
//!
//! This is the one place that decides it, for the files that are there and for those that a tool
//! creates. Whatever cannot be judged is hidden: names that are not text, folders that cannot be
//! read, and links that lead to something hidden.

use std::io;

use mere_core::address::{
    Address, EntryForm, RelPath, RepositoryName, Root, Segment, visible_form,
};

use super::World;
use super::sensitivity::Visibility;
use super::twins::TwinFinder;
use super::walk::{Limits, walk};
use mere_host::{EntryKind, Folder, LeftOut, OpenFolder, ProjectSurvey, SPACE_FOLDER, SurveyLimit};

/// After how many folders the survey checks whether the call is over.
const CHECK_EVERY: usize = 64;

/// The largest number of names that one folder may have.
const MAX_FOLDER_NAMES: usize = 500_000;

/// Why a project could not be surveyed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SurveyError {
    #[error("the call was cancelled")]
    Cancelled,
    #[error("the project has too many files")]
    TooLarge,
    #[error("the project cannot be read")]
    Unreadable(io::Error),
}

impl From<io::Error> for SurveyError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::QuotaExceeded => Self::TooLarge,
            _ => Self::Unreadable(error),
        }
    }
}

impl From<SurveyLimit> for SurveyError {
    fn from(_: SurveyLimit) -> Self {
        Self::TooLarge
    }
}

impl World {
    /// Finds everything in the project that a tool may see, and everything that is hidden from it.
    pub(crate) fn survey_project(
        &self,
        is_cancelled: &dyn Fn() -> bool,
    ) -> Result<ProjectSurvey, SurveyError> {
        let root = Root::Project;
        let project = self.find_root(&root).and_then(|mounted| mounted.folder.as_deref());
        let project = project.ok_or(io::ErrorKind::NotFound).map_err(io::Error::from)?;
        let limits = self.tool_limits(&root);
        let mut tour = ProjectTour { project, limits, survey: ProjectSurvey::default() };
        let mut waiting = vec![(RelPath::default(), Visibility::Plain)];
        let mut seen = 0_usize;
        while let Some((path, visibility)) = waiting.pop() {
            if seen.is_multiple_of(CHECK_EVERY) && is_cancelled() {
                return Err(SurveyError::Cancelled);
            }
            seen += 1;
            tour.visit_folder(&path, visibility, &mut waiting)?;
        }
        Ok(tour.survey)
    }

    /// Decides whether a change that a tool made at a path of the project may be proposed. Returns
    /// the reason if it may not. A folder is judged by its name alone: what lies in it is judged on
    /// its own.
    pub(crate) fn judge_project_change(&self, path: &RelPath, form: EntryForm) -> Option<LeftOut> {
        let (folders, name) = path.split_last()?;
        let is_repository = folders.names().any(is_repository)
            || RepositoryName::recognize(name.as_str(), form).is_some();
        if is_repository {
            return Some(LeftOut::Repository);
        }
        if path.names().any(is_space) {
            return Some(LeftOut::Space);
        }
        let address = Address::file(Root::Project, path.clone());
        let visibility = self.tool_limits(&Root::Project).visibility;
        let is_permitted = self.run.tools.as_ref().is_none_or(|run| run.may_write(&address));
        let is_shown = form == EntryForm::Folder
            || address.is_within_length_limit()
                && visibility.path_visibility(path.as_str()).is_shown()
                && is_permitted;
        (!is_shown).then_some(LeftOut::Hidden)
    }
}

/// A survey on its way through the project.
struct ProjectTour<'a> {
    project: &'a Folder,
    limits: Limits<'a>,
    survey: ProjectSurvey,
}

impl ProjectTour<'_> {
    fn visit_folder(
        &mut self,
        path: &RelPath,
        visibility: Visibility,
        waiting: &mut Vec<(RelPath, Visibility)>,
    ) -> Result<(), SurveyError> {
        let open = || OpenFolder::open(self.project.dir(), path.as_str());
        let Some((above, own_name)) = path.split_last() else {
            // Without the project's own folder there is nothing to show.
            let names = FolderEntries::read(&open()?)?;
            return self.judge_entries(path, visibility, names, waiting);
        };
        let read = open().and_then(|folder| {
            let is_hidden = self.limits.hidden.contains(folder.identity()?);
            Ok(if is_hidden { None } else { Some(FolderEntries::read(&folder)?) })
        });
        match read {
            Ok(Some(entries)) if !entries.is_bare_repository() => {
                self.survey.show(path.as_str().to_owned(), EntryKind::Folder)?;
                self.judge_entries(path, visibility, entries, waiting)
            }
            Err(error)
                if is_out_of_handles(&error) || error.kind() == io::ErrorKind::QuotaExceeded =>
            {
                Err(error.into())
            }
            // A folder that is gone, or that cannot be read, may be another one in a moment.
            Ok(_) | Err(_) => Ok(self.survey.hide(above.as_str(), own_name.as_str().as_bytes())?),
        }
    }

    fn judge_entries(
        &mut self,
        path: &RelPath,
        visibility: Visibility,
        entries: FolderEntries,
        waiting: &mut Vec<(RelPath, Visibility)>,
    ) -> Result<(), SurveyError> {
        let reopen = || OpenFolder::open(self.project.dir(), path.as_str());
        let twins = entries.twins.finish(reopen)?;
        for name in &entries.unaddressable {
            self.survey.hide(path.as_str(), name)?;
        }
        for (name, kind) in entries.named {
            let below = path.join(&name);
            let child =
                self.limits.visibility.child_visibility(visibility, below.as_str(), name.as_str());
            let is_shown = !twins.contains(name.as_str())
                && !is_repository(name.as_str())
                && !is_space(name.as_str())
                && Address::file(Root::Project, below.clone()).is_within_length_limit()
                && match kind {
                    EntryKind::Folder => child != Visibility::Hidden,
                    EntryKind::File => child.is_shown(),
                    EntryKind::Link => {
                        child.is_shown() && walk(self.project.dir(), &below, self.limits).is_ok()
                    }
                    EntryKind::Special => false,
                };
            match kind {
                _ if !is_shown => self.survey.hide(path.as_str(), name.as_str().as_bytes())?,
                EntryKind::Folder => waiting.push((below, child)),
                _ => self.survey.show(below.as_str().to_owned(), kind)?,
            }
        }
        Ok(())
    }
}

/// The names of one folder.
#[derive(Default)]
struct FolderEntries {
    named: Vec<(Segment, EntryKind)>,
    /// The names that no address can have.
    unaddressable: Vec<Vec<u8>>,
    twins: TwinFinder,
}

impl FolderEntries {
    fn read(folder: &OpenFolder) -> io::Result<Self> {
        let mut entries = Self::default();
        folder.for_each_name(|name, kind| {
            if entries.named.len() + entries.unaddressable.len() >= MAX_FOLDER_NAMES {
                return Err(io::ErrorKind::QuotaExceeded.into());
            }
            let text = std::str::from_utf8(name).ok();
            match text.and_then(|text| text.parse::<Segment>().ok()) {
                Some(name) => {
                    entries.twins.note(name.as_str());
                    entries.named.push((name, kind));
                }
                None => entries.unaddressable.push(name.to_vec()),
            }
            Ok(())
        })?;
        Ok(entries)
    }

    /// Checks whether git takes the folder itself for a repository.
    fn is_bare_repository(&self) -> bool {
        let has = |wanted: &str, is_folder: bool| {
            let is_wanted = |(name, kind): &(Segment, EntryKind)| {
                name.as_str().eq_ignore_ascii_case(wanted)
                    && (*kind == EntryKind::Folder) == is_folder
            };
            self.named.iter().any(is_wanted)
        };
        has("HEAD", false) && (has("objects", true) && has("refs", true) || has("commondir", false))
    }
}

/// Checks for the name under which a version control program keeps a repository.
fn is_repository(name: &str) -> bool {
    RepositoryName::recognize(name, EntryForm::Folder).is_some()
}

fn is_space(name: &str) -> bool {
    visible_form(name).eq_ignore_ascii_case(SPACE_FOLDER)
}

/// Checks whether the process has too many open files, so that nothing can be said of a folder.
fn is_out_of_handles(error: &io::Error) -> bool {
    const ENFILE: i32 = 23;
    const EMFILE: i32 = 24;
    matches!(error.raw_os_error(), Some(ENFILE | EMFILE))
}
