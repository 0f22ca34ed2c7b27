//! Why the project was not shown to a tool, or why the changes of a tool were not applied.

use mere_core::address::{Address, RelPath, Root};
use mere_core::reply::{Data, Draft, Fields, Prose, codes};

use crate::run::ProjectError;
use mere_host::{LockHeld, MAX_COPIED_BYTES, MAX_COPIED_FILES, MAX_WAITING_PROPOSALS};

/// Answers a run to which the project could not be shown.
pub(super) fn project_error_reply(error: &ProjectError) -> Draft {
    match error {
        ProjectError::TooLarge => {
            let message = "The project has too many files to be shown to a tool. Nothing was run.";
            Draft::invalid(codes::RUN_PROJECT, message)
                .hint("docs/running.md has the bounds. Run the tool in a smaller project.")
        }
        ProjectError::TooManyProposals => {
            let message = format!(
                "{MAX_WAITING_PROPOSALS} proposals of tools wait for a person. Nothing was run."
            );
            Draft::invalid(codes::RUN_PROJECT, Prose::words(message))
                .hint("Ask a person to run `mere review` first.")
        }
        ProjectError::Unreadable(cause) => {
            tracing::error!(%cause, "the project cannot be surveyed");
            Draft::fault(codes::RUN_SANDBOX, "The project cannot be read. Nothing was run.")
                .hint("Try again; the log says what failed.")
        }
        ProjectError::NotSaved(cause) if LockHeld::is_cause_of(cause) => {
            super::lock_held_reply(Prose::words("The tool ran, and its changes were not saved"))
        }
        ProjectError::NotSaved(cause) => {
            tracing::error!(%cause, "a proposal was not saved");
            let message = "The tool ran, but its changes to the project could not be saved.";
            Draft::fault(codes::RUN_PROPOSAL, message)
                .hint("Nothing was changed. The log says what failed; run the tool again.")
        }
    }
}

/// Answers a run for which the project would have to be copied, and is too large for that.
pub(super) fn too_large_to_copy_reply() -> Draft {
    let mebibytes = MAX_COPIED_BYTES / 1024 / 1024;
    let message = format!(
        "The project must be copied for the tool here, and has more than {MAX_COPIED_FILES} files \
         or {mebibytes} MiB. Nothing was run."
    );
    let data =
        Fields::default().with("max_files", MAX_COPIED_FILES).with("max_bytes", MAX_COPIED_BYTES);
    Draft::invalid(codes::RUN_PROJECT, Prose::words(message))
        .hint("docs/running.md says when no copy is needed.")
        .data(data)
}

/// Answers the attempt to apply a proposal to files that are not what the tool saw.
pub(super) fn conflict_reply(paths: &[RelPath]) -> Draft {
    let address = |path: &RelPath| Address::file(Root::Project, path.clone());
    let message = match paths {
        [path] => Prose::words("").address(address(path)).and(" is not what the tool saw."),
        _ => Prose::words(format!("{} files are not what the tool saw.", paths.len())),
    };
    let files = paths.iter().map(|path| Data::from(address(path))).collect::<Data>();
    Draft::invalid(codes::REVIEW_CONFLICT, message.and(" Nothing was changed."))
        .hint("Run the tool again, and reject this proposal.")
        .data(Fields::default().with("files", files))
}
