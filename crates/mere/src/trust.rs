//! `mere trust`: the keys of others go through the one door. `mere trust project` shows what a project's config would widen, and records a person's
//! yes.

use std::io;
use std::process::ExitCode;

use mere_engine::trust::{ProjectApproval, TrustError, WideningRequest};

use crate::arguments::{PlaceArguments, Trust, TrustArguments};
use crate::items::{self, ItemCommand};
use crate::render;

/// Runs the command.
pub(crate) fn run(place: PlaceArguments, asked: TrustArguments) -> io::Result<ExitCode> {
    match asked.what {
        Trust::Project { yes, revoke } => of_project(&place, yes, revoke),
        Trust::Keys(asked) => items::run(place, ItemCommand::Signers(asked)),
    }
}

fn of_project(place: &PlaceArguments, yes: bool, revoke: bool) -> io::Result<ExitCode> {
    let project = match ProjectApproval::find(place.project(), place.directory()) {
        Ok(project) => project,
        Err(error) => return Ok(failure(&error)),
    };
    if revoke {
        return forget(&project);
    }
    match project.widening() {
        Ok(widening) => decide(&project, &widening, yes),
        Err(error) => Ok(failure(&error)),
    }
}

fn forget(project: &ProjectApproval) -> io::Result<ExitCode> {
    let words = match project.forget() {
        Ok(true) => "Trust taken back.",
        Ok(false) => "There was nothing to take back.",
        Err(error) => return Ok(failure(&error)),
    };
    render::line(words)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows, asks where somebody can be asked, and records. What could not be shown is not recorded.
fn decide(
    project: &ProjectApproval,
    widening: &WideningRequest,
    yes: bool,
) -> io::Result<ExitCode> {
    if widening.is_empty() {
        render::line("This project's config widens nothing: there is nothing to trust.")?;
        return Ok(ExitCode::SUCCESS);
    }
    render::line(&format!("In {} this would count for agents:\n", project.folder()))?;
    for line in widening.describe() {
        render::line(&format!("  {line}"))?;
    }
    render::line("")?;
    if project.is_trusted(widening) {
        render::line("This is trusted already.")?;
        return Ok(ExitCode::SUCCESS);
    }
    if !yes && !render::ask("Trust exactly this?")? {
        render::line("Nothing was recorded. (`--yes` answers where nobody can be asked.)")?;
        return Ok(ExitCode::from(render::REFUSED));
    }
    if let Err(error) = project.trust(widening) {
        return Ok(failure(&error));
    }
    render::line(
        "Trusted. A changed key must be trusted again; `mere trust project --revoke` takes it back.",
    )?;
    Ok(ExitCode::SUCCESS)
}

fn failure(error: &TrustError) -> ExitCode {
    let code = match error {
        TrustError::Project(_) => render::USAGE,
        _ => render::BROKEN,
    };
    render::failure(&error.to_string(), code)
}
