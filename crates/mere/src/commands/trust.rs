//! `mere trust`. The keys of other people go through the one door; `mere trust project` shows what
//! a project's config would widen, and records a person's yes.

use std::io;
use std::io::IsTerminal;
use std::process::ExitCode;

use mere_engine::{ProjectApproval, TrustError, WideRootApproval, WideningRequest, has_terminal};

use crate::arguments::{
    LocationArguments, TrustArguments, TrustCommandArguments, TrustProjectArguments,
};
use crate::commands::person_session::with_default_session;
use crate::commands::trust_project_reply;
use crate::print::terminal;

/// Runs the command.
pub(crate) fn run(location: LocationArguments, arguments: TrustArguments) -> io::Result<ExitCode> {
    match arguments.what {
        TrustCommandArguments::Project(arguments) => trust_project(&location, &arguments),
        TrustCommandArguments::Item(arguments) => {
            with_default_session(location, |session| session.accept_version(arguments))
        }
        TrustCommandArguments::Keys(command) => {
            with_default_session(location, |session| session.run_signers(command))
        }
    }
}

fn trust_project(
    location: &LocationArguments,
    arguments: &TrustProjectArguments,
) -> io::Result<ExitCode> {
    if arguments.json {
        return trust_project_reply::run(location, arguments);
    }
    match WideRootApproval::find(location.project(), location.directory()) {
        Ok(None) => {}
        Ok(Some(_)) if arguments.revoke => {
            terminal::print_line("There was nothing to revoke.")?;
            return Ok(ExitCode::SUCCESS);
        }
        Ok(Some(wide)) => {
            if let Some(refused) = ask_about_wide_root(&wide)? {
                return Ok(refused);
            }
        }
        Err(error) => return Ok(report_error(&error)),
    }
    let project = match ProjectApproval::find(location.project(), location.directory()) {
        Ok(project) => project,
        Err(error) => return Ok(report_error(&error)),
    };
    if arguments.revoke {
        return revoke_trust(&project);
    }
    match project.widening() {
        Ok(widening) => ask_and_trust(&project, &widening, arguments),
        Err(error) => Ok(report_error(&error)),
    }
}

/// Asks whether a wide folder is meant as a project, and records a yes. Only a person at a terminal
/// can say it. Returns the exit status if they did not.
fn ask_about_wide_root(wide: &WideRootApproval) -> io::Result<Option<ExitCode>> {
    let folder = wide.folder();
    terminal::print_line(&format!(
        "{folder} is {}. As a project, agents see all of it except sensitive files.\n",
        wide.description
    ))?;
    // An answer from a pipe is nobody's.
    if !has_terminal() || !io::stdin().is_terminal() {
        let words = "nobody can be asked here: list the folder under `wide_roots` in config.yaml \
                     of your user space, or run this at a terminal";
        return Ok(Some(terminal::print_failure(words, terminal::REFUSED)));
    }
    if !terminal::ask_yes_or_no("Is this folder meant as a project?")? {
        terminal::print_line("Nothing was recorded.")?;
        return Ok(Some(ExitCode::from(terminal::REFUSED)));
    }
    if let Err(error) = wide.accept() {
        return Ok(Some(report_error(&error)));
    }
    terminal::print_line(&format!(
        "{folder} is a project now; `mere trust project --revoke` takes that back."
    ))?;
    Ok(None)
}

fn revoke_trust(project: &ProjectApproval) -> io::Result<ExitCode> {
    let words = match project.forget() {
        Ok(true) => "Trust revoked.",
        Ok(false) => "There was nothing to revoke.",
        Err(error) => return Ok(report_error(&error)),
    };
    terminal::print_line(words)?;
    Ok(ExitCode::SUCCESS)
}

/// Shows the widening, asks where somebody can be asked, and records the answer. Nothing is
/// recorded that could not be shown.
fn ask_and_trust(
    project: &ProjectApproval,
    widening: &WideningRequest,
    arguments: &TrustProjectArguments,
) -> io::Result<ExitCode> {
    if widening.is_empty() {
        terminal::print_line("This project's config widens nothing: there is nothing to trust.")?;
        return Ok(ExitCode::SUCCESS);
    }
    terminal::print_line(&format!("In {} this would apply to agents:\n", project.folder()))?;
    for line in widening.describe() {
        terminal::print_line(&format!("  {line}"))?;
    }
    terminal::print_line("")?;
    if project.is_trusted(widening) {
        terminal::print_line("This is trusted already.")?;
        return Ok(ExitCode::SUCCESS);
    }
    if !arguments.yes && !terminal::ask_yes_or_no("Trust exactly this?")? {
        terminal::print_line("Nothing was recorded. (Use `--yes` if nobody can be asked.)")?;
        return Ok(ExitCode::from(terminal::REFUSED));
    }
    if let Err(error) = project.trust(widening) {
        return Ok(report_error(&error));
    }
    terminal::print_line(
        "Trusted. If a setting changes, trust it again; `mere trust project --revoke` revokes it.",
    )?;
    Ok(ExitCode::SUCCESS)
}

fn report_error(error: &TrustError) -> ExitCode {
    let code = match error {
        TrustError::Project(_) => terminal::USAGE,
        _ => terminal::BROKEN,
    };
    terminal::print_failure(&error.to_string(), code)
}
