//! `mere git`, and the merge driver that git runs.

use std::io;
use std::process::ExitCode;

use mere_core::request::{GitCommand, ItemCommand};
use mere_engine::{MergeReport, merge_versions};

use crate::arguments::{GitArguments, GitCommandArguments, LocationArguments, MergeFileArguments};
use crate::commands::person_session::with_default_session;
use crate::print::{Printer, terminal};

/// What git takes for a conflict that it reports.
const CONFLICT: u8 = 1;

/// Runs a command about git. A merge opens no session: it reads three files and writes one.
pub(crate) fn run(location: LocationArguments, arguments: GitArguments) -> io::Result<ExitCode> {
    match arguments.what {
        GitCommandArguments::Setup(answer) => with_default_session(location, |session| {
            let setup = ItemCommand::Git(GitCommand::Setup);
            session.call_and_print("git", setup, &answer, Printer::outcome)
        }),
        GitCommandArguments::MergeFile(arguments) => Ok(merge_file(&arguments)),
    }
}

fn merge_file(arguments: &MergeFileArguments) -> ExitCode {
    let path = arguments.path();
    let merged = merge_versions(&arguments.versions(), &path, arguments.marker_length);
    let words = match merged {
        Ok(MergeReport::Merged) => return ExitCode::SUCCESS,
        Ok(MergeReport::Conflict) => return ExitCode::from(CONFLICT),
        Ok(MergeReport::MustBeSigned) => {
            "both sides changed the item; sign it once, when you are done: `mere sign`"
        }
        Ok(MergeReport::MustBeLocked) => {
            "both sides changed the tool; lock it once, when you are done: `mere sign --relock`"
        }
        Err(error) => {
            terminal::print_note(&format!("{} was not merged: {error}", path.escape_debug()));
            return ExitCode::from(CONFLICT);
        }
    };
    terminal::print_note(&format!("{}: {words}", path.escape_debug()));
    ExitCode::SUCCESS
}
