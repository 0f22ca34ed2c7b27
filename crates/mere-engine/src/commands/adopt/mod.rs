//! `mere adopt`: takes over what other programs keep, or only reports on it.
//!
//! The report needs no space and no key. It names host paths, so no agent sees it. What is adopted
//! is unsigned until a person signs it.

mod archive;
mod comparison;
mod conversion;
mod plan;
pub(crate) mod survey;

use std::io;
use std::sync::Arc;

use mere_core::item::SKILL_FILE;
use mere_core::text::yaml::amend;
use mere_host::{
    ClientFile, ClientFileError, Folder, GitRepository, TypedPath, UnpackedFolder, WriteError,
    open_typed_folder, read_typed_file,
};
use serde_json::json;

pub use archive::ArchiveError;
use archive::{ArchiveFiles, MAX_PACKED, read_archive};
pub use comparison::SharedName;
use comparison::find_shared_names;
pub use plan::AdoptionPlan;
use survey::Survey;
pub use survey::{Adoptable, AdoptableKind, SurveyedPlace};

use super::connect::record::{RECORDS_FOLDER, SettingsChange, SettingsRecords};
use crate::config;
use crate::space::git_attributes;
use crate::world::{Context, OpenError};

/// The config that names the folders which are used in place.
const CONFIG: &str = ".ai/config.yaml";

/// What other programs keep in the project, in the home folder and in a folder that was named.
pub struct AdoptSurvey {
    context: Context,
    surveys: Vec<Survey>,
    /// What was in an archive, as long as it is looked at.
    _unpacked: Option<UnpackedFolder>,
}

/// Why nothing was adopted. For people: it names host paths.
#[derive(Debug, thiserror::Error)]
pub enum AdoptError {
    /// The project or the environment cannot be used.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A folder cannot be read.
    #[error("{0} cannot be looked through: {1}")]
    Unreadable(String, io::Error),
    /// An archive is refused.
    #[error("{0} was not unpacked: {1}")]
    Archive(String, ArchiveError),
    /// The project has no space.
    #[error("the project has no space yet: run `mere init` first")]
    NoSpace,
    /// A file cannot be read or written.
    #[error("{0} was not changed: {1}")]
    File(String, ClientFileError),
    /// The configuration cannot be changed.
    #[error("{CONFIG} was not changed: {0}. Add `folders: {{directives: [{1}]}}` to it yourself")]
    Config(String, String),
    /// What was there could not be recorded.
    #[error("nothing was changed: {0}")]
    Record(#[from] WriteError),
    /// There is no folder for the records.
    #[error("nothing was changed: there is no folder for the old files, because HOME is not set")]
    NoStateFolder,
}

/// What became of the files of an adoption that is taken back.
#[derive(Clone, Debug, Default)]
pub struct UndoReport {
    /// The files that are what they were before.
    pub restored: Vec<String>,
    /// The files that were changed since, and stay.
    pub left: Vec<String>,
}

/// Returns the folder of an archive in which its content begins. Archives often have one folder
/// around everything; if that is a skill, its name counts.
fn content_folder(files: &ArchiveFiles) -> &str {
    let mut tops = files.keys().map(|path| path.as_str().split_once('/'));
    let Some(Some((top, _))) = tops.next() else { return "" };
    let is_around_all = tops.all(|path| path.is_some_and(|(other, _)| other == top));
    let main = format!("{top}/{SKILL_FILE}");
    let is_skill = files.keys().any(|path| path.as_str() == main);
    let is_client_folder = top.starts_with('.');
    if is_around_all && !is_skill && !is_client_folder { top } else { "" }
}

impl Adoptable {
    /// Returns its path for people, `~/` for the home folder.
    pub fn shown_path(&self) -> String {
        match self.place {
            SurveyedPlace::Home => format!("~/{}", self.path),
            SurveyedPlace::Project | SurveyedPlace::Named => self.path.clone(),
        }
    }
}

/// Compares the copies of a skill in the folders of the clients, in the project and at home.
pub(super) fn compare_client_copies(context: &Context, name: &str) -> io::Result<SharedName> {
    let home = context.environment.open_home().ok().map(Arc::new);
    let project = context.project().ok().map(Arc::clone);
    let places = [(SurveyedPlace::Project, project), (SurveyedPlace::Home, home)];
    let mut found = Vec::new();
    for (place, folder) in places {
        if let Some(folder) = folder {
            found.extend(Survey::take_skill(place, folder, name)?.found);
        }
    }
    Ok(SharedName::compare(name, &found.iter().collect::<Vec<_>>()))
}

impl AdoptSurvey {
    /// Looks through the project and the home folder, or only through a folder.
    pub fn take(
        project: Option<&TypedPath>,
        directory: Option<&TypedPath>,
        folder: Option<&TypedPath>,
    ) -> Result<Self, AdoptError> {
        let context = Context::find(project, directory)?;
        let home = context.environment.open_home().ok().map(Arc::new);
        let home_text = home.as_ref().map(|home| home.display_path());
        let mut places = Vec::new();
        let mut unpacked = None;
        if let Some(typed) = folder {
            let unreadable = |cause| AdoptError::Unreadable(typed.display_text(), cause);
            let opened = match read_typed_file(typed, directory, MAX_PACKED).map_err(unreadable)? {
                None => Arc::new(open_typed_folder(typed, directory).map_err(unreadable)?),
                Some(bytes) => {
                    let refused = |error| AdoptError::Archive(typed.display_text(), error);
                    let files = read_archive(&bytes).map_err(refused)?;
                    let listed = files.iter().map(|(path, bytes)| (path, bytes.as_slice()));
                    let folder = UnpackedFolder::create(listed).map_err(unreadable)?;
                    let opened = folder.open(content_folder(&files)).map_err(unreadable)?;
                    unpacked = Some(folder);
                    opened
                }
            };
            places.push((SurveyedPlace::Named, opened));
        } else {
            let own = context.project().ok().map(Arc::clone);
            let is_home =
                |own: &Folder| home.as_ref().is_some_and(|home| home.identity() == own.identity());
            places.extend(own.filter(|own| !is_home(own)).map(|own| (SurveyedPlace::Project, own)));
            places.extend(home.map(|home| (SurveyedPlace::Home, home)));
        }
        let surveys = places.into_iter().map(|(place, folder)| {
            let shown = folder.display_path();
            let survey = Survey::take(place, folder, home_text.clone());
            survey.map_err(|cause| AdoptError::Unreadable(shown, cause))
        });
        let surveys = surveys.collect::<Result<_, _>>()?;
        Ok(Self { context, surveys, _unpacked: unpacked })
    }

    /// Returns everything that was found.
    pub fn found(&self) -> Vec<Adoptable> {
        self.surveys.iter().flat_map(|survey| survey.found.iter().cloned()).collect()
    }

    /// Returns the names that several skills have.
    pub fn shared_names(&self) -> Vec<SharedName> {
        find_shared_names(&self.found())
    }

    /// Plans the adoption. What exists already under the same name is left out.
    pub fn plan(&self) -> Result<AdoptionPlan, AdoptError> {
        let used = self.used_folders().unwrap_or_default();
        let failed = |cause| AdoptError::Unreadable("a file".to_owned(), cause);
        let mut plan = AdoptionPlan::make(&self.surveys, &used).map_err(failed)?;
        let Ok(project) = self.context.project() else { return Ok(plan) };
        let mut left = Vec::new();
        plan.files.retain(|path, bytes| {
            let before = open_file(project, path).and_then(|file| file.read_bytes());
            match before {
                Ok(None) => true,
                Ok(Some(before)) if before == *bytes => false,
                _ => {
                    left.push((path.clone(), "another file is there".to_owned()));
                    false
                }
            }
        });
        plan.left.append(&mut left);
        if !plan.is_empty() && GitRepository::discover(project).is_some() {
            let lines = git_attributes::byte_lines(used.into_iter().chain(plan.in_place.clone()));
            plan.attributes =
                git_attributes::missing_lines(&self.context, &lines).unwrap_or_default();
        }
        Ok(plan)
    }

    /// Checks that there is a space in which something can be adopted.
    pub fn check_space(&self) -> Result<(), AdoptError> {
        self.context.require_project()?;
        match self.context.space() {
            Ok(Some(space)) if space.dir().is_file("space.json") => Ok(()),
            _ => Err(AdoptError::NoSpace),
        }
    }

    /// Carries out a plan. Everything can be taken back.
    pub fn adopt(&self, plan: &AdoptionPlan) -> Result<(), AdoptError> {
        self.check_space()?;
        let project = self.context.require_project()?;
        let records = self.records()?;
        let mut files = plan.files.clone();
        files.extend(self.amend_attributes(plan)?);
        if !plan.in_place.is_empty() {
            files.insert(CONFIG.to_owned(), self.amend_config(plan)?.into_bytes());
        }
        let list_name = self.list_name();
        let mut list = records.read_list(&list_name)?;
        list.extend(files.keys().cloned());
        list.sort();
        list.dedup();
        records.save_list(&list_name, &list)?;
        for (path, bytes) in files {
            let failed = |error| AdoptError::File(path.clone(), error);
            let file = open_file(project, &path).map_err(failed)?;
            let now = file.read().map_err(failed)?;
            let shown = file.display_path();
            let known = records.find(&shown, now.as_deref().unwrap_or_default().as_bytes())?;
            let before = known.map_or_else(|| now.clone(), |(_, before)| before);
            let made_folders = file.missing_folders();
            let change = SettingsChange { before: before.as_deref(), after: &bytes, made_folders };
            records.save(&shown, &change)?;
            file.replace(now.as_deref().map(str::as_bytes), &bytes).map_err(failed)?;
        }
        Ok(())
    }

    /// Takes back what was adopted in this project. What was changed since stays.
    pub fn undo(&self) -> Result<UndoReport, AdoptError> {
        let project = self.context.require_project()?;
        let records = self.records()?;
        let list_name = self.list_name();
        let mut report = UndoReport::default();
        for path in records.read_list(&list_name)?.into_iter().rev() {
            let failed = |error| AdoptError::File(path.clone(), error);
            let file = open_file(project, &path).map_err(failed)?;
            let shown = file.display_path();
            let Some(now) = file.read_bytes().map_err(failed)? else {
                records.forget(&shown)?;
                continue;
            };
            match records.find(&shown, &now)? {
                None => report.left.push(path),
                Some((_, Some(before))) => {
                    file.replace(Some(&now), before.as_bytes()).map_err(failed)?;
                    report.restored.push(path);
                }
                Some((record, None)) => {
                    file.remove(&now, record.made_folders).map_err(failed)?;
                    report.restored.push(path);
                }
            }
            records.forget(&shown)?;
        }
        records.save_list(&list_name, &[])?;
        Ok(report)
    }

    fn list_name(&self) -> String {
        let project = self.context.project_folder().map(Folder::display_path);
        format!("adopt {}", project.unwrap_or_default())
    }

    fn records(&self) -> Result<SettingsRecords, AdoptError> {
        let folder = self.context.environment.state_folder(RECORDS_FOLDER);
        Ok(SettingsRecords::new(folder.ok_or(AdoptError::NoStateFolder)?.lock()?))
    }

    /// Returns the folders that the config of the project uses in place.
    fn used_folders(&self) -> Option<Vec<String>> {
        let project = self.context.project().ok()?;
        let space = self.context.space().ok().flatten()?;
        let config = config::read_project(&self.context.environment, project, &space).ok()?;
        let folders = config.untrusted_config().skill_folders;
        Some(folders.iter().map(ToString::to_string).collect())
    }

    /// Returns the new `.gitattributes`, if it lacks something.
    fn amend_attributes(
        &self,
        plan: &AdoptionPlan,
    ) -> Result<Option<(String, Vec<u8>)>, AdoptError> {
        let path = git_attributes::ATTRIBUTES_FILE.to_owned();
        let failed = |error| AdoptError::File(path.clone(), error);
        let project = self.context.require_project()?;
        let old = open_file(project, &path).and_then(|file| file.read()).map_err(failed)?;
        let new = git_attributes::with_lines(old.unwrap_or_default(), &plan.attributes);
        Ok(new.map(|new| (path, new.into_bytes())))
    }

    fn amend_config(&self, plan: &AdoptionPlan) -> Result<String, AdoptError> {
        let mut folders = self.used_folders().unwrap_or_default();
        folders.extend(plan.in_place.iter().cloned());
        let project = self.context.require_project()?;
        let failed = |error| AdoptError::File(CONFIG.to_owned(), error);
        let old = open_file(project, CONFIG).and_then(|file| file.read()).map_err(failed)?;
        let value = json!(folders);
        let new =
            amend::set(old.as_deref().unwrap_or_default(), &["folders", "directives"], &value);
        new.map_err(|error| AdoptError::Config(error.to_string(), folders.join(", ")))
    }
}

fn open_file(project: &Arc<Folder>, path: &str) -> Result<ClientFile, ClientFileError> {
    let path = path.parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
    Ok(ClientFile::new(Arc::clone(project), path))
}
