//! Why there is no project, and what to do about it.

use mere_host::{RefusedRoot, WideFolder};

/// What to do without a project.
const ADVICE: &str = "Start it in a project or pass `--project`";

/// There is no project: the folder that would be one is too wide, and nobody said that it is meant.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("there is no project: start it in a project or pass `--project`")]
pub(crate) struct NoProject;

impl NoProject {
    /// Checks whether this is why the machine was said to have failed.
    pub(crate) fn is_cause_of(error: &std::io::Error) -> bool {
        let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<Self>());
        cause.is_some()
    }
}

impl From<NoProject> for std::io::Error {
    fn from(error: NoProject) -> Self {
        Self::new(std::io::ErrorKind::NotFound, error)
    }
}

/// Explains to a person why a folder is no project. It names the folder.
pub(crate) fn describe_refusal(refused: &RefusedRoot) -> String {
    let RefusedRoot { folder, found_by, kind } = refused;
    let what = kind.description();
    let folder = folder.display_path();
    let reason = match *found_by {
        "working directory" => format!("The command ran in {folder}, which is {what}"),
        named => format!("`{named}` names {folder}, which is {what}"),
    };
    match kind {
        WideFolder::Top => format!("{reason} and never a project. {ADVICE}."),
        WideFolder::Home | WideFolder::AboveHome | WideFolder::System => format!(
            "{reason} and a project only if you say so. {ADVICE}; if you mean this folder, run \
             `mere trust project` for it at a terminal, or list it under `wide_roots` in \
             config.yaml of your user space."
        ),
    }
}
