//! The project of a run, as its tool sees it at `/project`.
//!
//! What may not be seen is decided elsewhere and given as a [`ProjectSurvey`]. The view is an
//! overlay: a layer of whiteouts over the project, and above both, if the tool may propose changes,
//! an empty layer that takes what it writes. Where the kernel has no such overlay, the visible files
//! are copied. Either way nothing that the tool does reaches the project; what it changed is read
//! from the layer once everything in the cell has ended. ADR 18 has the reasons.

#[cfg(target_os = "linux")]
mod copy;
mod difference;
#[cfg(target_os = "linux")]
mod difference_walk;
#[cfg(target_os = "linux")]
pub(super) mod mount;
#[cfg(target_os = "linux")]
mod project_run;
#[cfg(target_os = "linux")]
mod seen_files;
mod survey;
mod view_scratch;

pub use difference::{
    ChangedFile, DifferenceBound, FileState, LeftOut, LeftOutPath, MAX_CHANGED_BYTES,
    MAX_CHANGED_FILES, NewContent, ProjectDifference,
};
#[cfg(target_os = "linux")]
pub(super) use project_run::ProjectRun;
pub use survey::{ProjectSurvey, SurveyLimit};
pub use view_scratch::ViewScratch;

use mere_core::address::{EntryForm, RelPath};
use mere_core::item::ProjectAccess;

use crate::Folder;

/// The largest number of files of a project that are copied where there is no overlay.
pub const MAX_COPIED_FILES: u64 = 20_000;
/// The largest number of their bytes.
pub const MAX_COPIED_BYTES: u64 = 512 * 1024 * 1024;

/// Decides whether a change at a path may be proposed. Returns the reason if it may not.
pub type ChangeJudge<'a> = dyn Fn(&RelPath, EntryForm) -> Option<LeftOut> + 'a;

/// The project of a run.
pub struct ProjectView<'a> {
    /// The project.
    pub folder: &'a Folder,
    /// What of it may be seen.
    pub survey: &'a ProjectSurvey,
    /// What the tool may do in it.
    pub access: ProjectAccess,
    /// Where the layer lies that takes what the tool writes.
    pub scratch: &'a ViewScratch,
    /// Decides which changes may be proposed.
    pub judge: &'a ChangeJudge<'a>,
}
