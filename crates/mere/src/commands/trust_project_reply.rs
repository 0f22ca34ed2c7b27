//! `mere trust project --json`: the same decision without a question, as one reply.
//!
//! It names host paths, so it is for the operator and never for an agent.

use std::io;
use std::process::ExitCode;

use mere_core::reply::codes;
use mere_engine::{ProjectApproval, TrustError, WideRootApproval};
use serde_json::{Value, json};

use crate::arguments::{LocationArguments, TrustProjectArguments};
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

const TOOL: &str = "trust project";

/// What became of the command.
enum ProjectDecision {
    Decided { message: &'static str, data: Value },
    NobodyAnswered { message: &'static str, data: Value },
}

/// Runs the command.
pub(super) fn run(
    location: &LocationArguments,
    arguments: &TrustProjectArguments,
) -> io::Result<ExitCode> {
    let (reply, code) = match decide(location, arguments) {
        Ok(ProjectDecision::Decided { message, data }) => {
            (operator_reply(codes::TRUST_PROJECT, TOOL, message, &data), 0)
        }
        Ok(ProjectDecision::NobodyAnswered { message, data }) => {
            let reply = operator_reply(codes::TRUST_PROJECT_REFUSED, TOOL, message, &data);
            (reply, terminal::REFUSED)
        }
        Err(error) => {
            let message = error.to_string();
            let reply = operator_reply(codes::TRUST_PROJECT_FAILED, TOOL, &message, &Value::Null);
            (reply, terminal::BROKEN)
        }
    };
    terminal::print_line(&format!("{reply:#}"))?;
    Ok(ExitCode::from(code))
}

fn decide(
    location: &LocationArguments,
    arguments: &TrustProjectArguments,
) -> Result<ProjectDecision, TrustError> {
    if let Some(wide) = WideRootApproval::find(location.project(), location.directory())? {
        return Ok(ProjectDecision::NobodyAnswered {
            message: "Whether this folder is meant as a project is asked at a terminal.",
            data: json!({ "folder": wide.folder(), "description": wide.description }),
        });
    }
    let project = ProjectApproval::find(location.project(), location.directory())?;
    let folder = project.folder();
    if arguments.revoke {
        let data = json!({ "folder": folder, "revoked": project.forget()? });
        return Ok(ProjectDecision::Decided { message: "No trust is recorded.", data });
    }
    let widening = project.widening()?;
    let data = |trusted: bool| {
        let lines = widening.describe().into_iter().collect::<Vec<_>>();
        json!({ "folder": folder, "widens": lines, "trusted": trusted })
    };
    if widening.is_empty() {
        let message = "This project's config widens nothing: there is nothing to trust.";
        return Ok(ProjectDecision::Decided { message, data: data(false) });
    }
    if project.is_trusted(&widening) {
        return Ok(ProjectDecision::Decided { message: "This is trusted.", data: data(true) });
    }
    if !arguments.yes {
        let message = "Nothing was recorded: `--yes` trusts exactly this.";
        return Ok(ProjectDecision::NobodyAnswered { message, data: data(false) });
    }
    project.trust(&widening)?;
    Ok(ProjectDecision::Decided { message: "This is trusted.", data: data(true) })
}
