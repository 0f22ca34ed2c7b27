//! `mere allow`: the sensitive files that a person shows to agents.
//!
//! The approvals are recorded on this machine and not in the project, so a repository cannot
//! approve its own files.

use std::io;
use std::process::ExitCode;

use mere_core::address::Address;
use mere_core::reply::codes;
use mere_engine::{AllowError, AllowedFiles, VisibleBefore};
use serde_json::json;

use crate::arguments::{AllowArguments, LocationArguments};
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

/// The end of the message that is printed when there is nothing to revoke.
const NOT_ALLOWED: &str = "was not allowed.";

/// Runs the command.
pub(crate) fn run(
    location: &LocationArguments,
    arguments: &AllowArguments,
) -> io::Result<ExitCode> {
    let allowed = AllowedFiles::find(location.project(), location.directory());
    match allowed.and_then(|allowed| apply(&allowed, arguments)) {
        Ok((message, list)) if arguments.json => {
            let list = list.iter().map(ToString::to_string).collect::<Vec<_>>();
            let data = json!({ "allowed": list });
            terminal::print_line(&format!(
                "{:#}",
                operator_reply(codes::ALLOW, "allow", &message, &data)
            ))?;
            Ok(ExitCode::SUCCESS)
        }
        Ok((_, list)) if arguments.list => {
            if list.is_empty() {
                terminal::print_note("no sensitive file is allowed in this project");
            }
            for address in list {
                terminal::print_line(&address.to_string())?;
            }
            Ok(ExitCode::SUCCESS)
        }
        Ok((message, _)) if message.ends_with(NOT_ALLOWED) => {
            Ok(terminal::print_failure(&message, terminal::INVALID))
        }
        Ok((message, _)) => terminal::print_line(&message).map(|()| ExitCode::SUCCESS),
        Err(error) => {
            let code = match error {
                AllowError::Address(_) | AllowError::Unaddressable(_) | AllowError::Missing(_) => {
                    terminal::INVALID
                }
                AllowError::Open(_) => terminal::USAGE,
                _ => terminal::BROKEN,
            };
            Ok(terminal::print_failure(&error.to_string(), code))
        }
    }
}

/// Applies the change, and returns a message about it and the list of what is allowed afterwards.
fn apply(
    allowed: &AllowedFiles,
    arguments: &AllowArguments,
) -> Result<(String, Vec<Address>), AllowError> {
    let message = match (&arguments.address, &arguments.revoke) {
        (Some(typed), _) => {
            let (address, before) = allowed.add(typed)?;
            let words = match before {
                VisibleBefore::Hidden => "is shown from now on to the agents of this project.",
                VisibleBefore::Allowed => "was already visible to the agents of this project.",
                VisibleBefore::Masked => {
                    "is not sensitive, so the agents of this project saw it already; from now on \
                     secrets in it are not masked either."
                }
            };
            format!("{address} {words}")
        }
        (None, Some(typed)) => {
            let (address, was) = allowed.revoke(typed)?;
            let words = if was { "is no longer visible." } else { NOT_ALLOWED };
            format!("{address} {words}")
        }
        (None, None) => "The sensitive files that agents of this project can see.".to_owned(),
    };
    Ok((message, allowed.list()))
}
