//! The sentences about what the run of a directive does not permit.

use mere_core::reply::{Content, Draft, Fields, Prose, codes};

use crate::policy::RunRefusal;

/// Answers a tool run or a write that a run does not permit.
pub(super) fn run_refusal_reply(refusal: &RunRefusal) -> Draft {
    let missing = match refusal {
        RunRefusal::Missing(missing) => missing,
        RunRefusal::HandleNeeded => return handle_needed_reply(),
    };
    let message = Prose::words("The directive that you follow does not permit `")
        .content(Content::mention(missing.to_string()))
        .and("`. Nothing was done.");
    let data = Fields::default().with("missing", Content::mention(missing.to_string()));
    Draft::denied(codes::RUN_OUTSIDE, message)
        .hint(
            "Do without it, or tell the user what is missing: the author of the directive can list \
             it under `permissions`. `execute` with `action` close ends the run.",
        )
        .data(data)
}

fn handle_needed_reply() -> Draft {
    let message = "You have an open run of a directive, and the call does not say whether it \
        belongs to it. Nothing was done.";
    Draft::denied(codes::RUN_HANDLE, message).hint(
        "Pass the `run` that the directive's answer gave you, or end that run with `execute`, \
         `action` close and `run`.",
    )
}

/// Answers a call that names a run which is not open.
pub(super) fn unknown_run_reply() -> Draft {
    Draft::invalid(codes::RUN_UNKNOWN, "You have no open run with that handle.").hint(
        "It was closed, has expired, or was never given to you: run the directive again, or leave \
         `run` out.",
    )
}
