//! `mere uninstall`: removes what the program keeps on this machine, after naming it.
//!
//! It prints host paths, so it is for the operator and never for an agent.

use std::io;
use std::process::ExitCode;

use mere_core::reply::codes;
use mere_engine::{OwnFolder, OwnFolders};
use serde_json::{Value, json};

use crate::arguments::UninstallArguments;
use crate::print::operator_reply::operator_reply;
use crate::print::terminal;

const ONLY_AT_A_TERMINAL: &str =
    "`--all` removes keys and your own items, so it works only at a terminal. Nothing was removed";
const NOBODY_TO_ASK: &str =
    "nobody can be asked here: pass `--yes` to remove these folders. Nothing was removed";

/// A folder that was named, and what became of it.
struct Removal {
    folder: OwnFolder,
    path: String,
    outcome: Option<io::Result<()>>,
}

/// Runs the command.
pub(crate) fn run(arguments: &UninstallArguments) -> io::Result<ExitCode> {
    let own = match OwnFolders::find() {
        Ok(own) => own,
        Err(error) => return Ok(terminal::print_failure(&error.to_string(), terminal::USAGE)),
    };
    let chosen = own.existing().into_iter().filter(|(folder, _)| is_chosen(*folder, arguments));
    let mut removals =
        chosen.map(|(folder, path)| Removal { folder, path, outcome: None }).collect::<Vec<_>>();
    if !arguments.json {
        for line in announcement(&removals) {
            terminal::print_line(&line)?;
        }
    }
    if !arguments.dry_run && !removals.is_empty() {
        if let Some(refused) = refusal(arguments)? {
            return Ok(refused);
        }
        for removal in &mut removals {
            removal.outcome = Some(own.remove(removal.folder));
        }
    }
    report(&removals, arguments)
}

fn is_chosen(folder: OwnFolder, arguments: &UninstallArguments) -> bool {
    match folder {
        OwnFolder::Cache | OwnFolder::State => true,
        OwnFolder::Data | OwnFolder::Config | OwnFolder::UserSpace => arguments.all,
    }
}

/// What is not removed, and what removes it.
const KEPT: &str = "The settings of clients and git hooks stay as they are: `mere connect all --remove` and removing \
                    `.git/hooks/pre-commit` come first.";

fn announcement(removals: &[Removal]) -> Vec<String> {
    if removals.is_empty() {
        return vec!["There is nothing to remove.".to_owned()];
    }
    let folders = removals.iter().map(|one| format!("{}  ({})", one.path, one.folder.contents()));
    folders.chain([KEPT.to_owned()]).collect()
}

/// Asks, where somebody can be asked. Returns the exit status if nothing may be removed.
fn refusal(arguments: &UninstallArguments) -> io::Result<Option<ExitCode>> {
    if arguments.yes {
        return Ok(None);
    }
    if !terminal::can_ask() {
        let words = if arguments.all { ONLY_AT_A_TERMINAL } else { NOBODY_TO_ASK };
        return Ok(Some(terminal::print_failure(words, terminal::REFUSED)));
    }
    if terminal::ask_yes_or_no("Remove these folders and everything in them?")? {
        return Ok(None);
    }
    terminal::print_line("Nothing was removed.")?;
    Ok(Some(ExitCode::from(terminal::REFUSED)))
}

fn report(removals: &[Removal], arguments: &UninstallArguments) -> io::Result<ExitCode> {
    let failed = removals.iter().filter_map(|one| match &one.outcome {
        Some(Err(error)) => Some(format!("{} could not be removed: {error}", one.path)),
        _ => None,
    });
    let failed = failed.collect::<Vec<_>>();
    if arguments.json {
        terminal::print_line(&format!("{:#}", reply(removals, &failed)))?;
    } else if failed.is_empty() && !arguments.dry_run && !removals.is_empty() {
        terminal::print_line(
            "Removed. The program itself stays: delete the file `mere`, or `cargo uninstall mere`.",
        )?;
    }
    if failed.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    if arguments.json {
        return Ok(ExitCode::from(terminal::BROKEN));
    }
    Ok(terminal::print_failure(&failed.join("\n"), terminal::BROKEN))
}

/// Builds the same answer in the form of a reply.
fn reply(removals: &[Removal], failed: &[String]) -> Value {
    let folders = removals.iter().map(|one| {
        let is_removed = matches!(one.outcome, Some(Ok(())));
        json!({ "name": one.folder.name(), "path": one.path, "removed": is_removed })
    });
    let data = json!({ "folders": folders.collect::<Vec<_>>(), "failed": failed });
    if failed.is_empty() {
        let message = "The folders that this program keeps on this machine.";
        operator_reply(codes::UNINSTALL, "uninstall", message, &data)
    } else {
        let message = "A folder could not be removed.";
        operator_reply(codes::UNINSTALL_FAILED, "uninstall", message, &data)
    }
}
