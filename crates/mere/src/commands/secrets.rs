//! `mere secret`: what a person does with their secrets, through the one door.
//!
//! A value comes from the terminal, where nothing shows while it is typed, or from standard input.

use std::io::{self, IsTerminal, Read};
use std::process::ExitCode;

use mere_core::item::SecretName;
use mere_core::request::{PersonCommand, Secret, SecretInput, SecretsCommand};
use mere_core::secrets::MAX_SECRET_BYTES;
use mere_engine::Terminal;

use crate::arguments::{SecretArguments, SecretCommandArguments};
use crate::commands::person_session::PersonSession;
use crate::print::{Printer, terminal};

const TOOL: &str = "secret";

impl PersonSession {
    pub(crate) fn run_secrets(&self, arguments: SecretArguments) -> io::Result<ExitCode> {
        match arguments.what {
            SecretCommandArguments::Set { name, from_command, answer } => {
                let value = match from_command {
                    Some(command) => Some(SecretInput::Command(command)),
                    None => read_value(&name)?.map(SecretInput::Value),
                };
                let Some(value) = value else {
                    let words = "no value was given; nothing was changed";
                    return Ok(terminal::print_failure(words, terminal::INVALID));
                };
                let command = PersonCommand::Secrets(SecretsCommand::Set { name, value });
                self.call_and_print(TOOL, command, &answer, Printer::outcome)
            }
            SecretCommandArguments::List(answer) => {
                let command = PersonCommand::Secrets(SecretsCommand::List);
                self.call_and_print(TOOL, command, &answer, Printer::secrets)
            }
            SecretCommandArguments::Remove { name, answer } => {
                let command = PersonCommand::Secrets(SecretsCommand::Remove { name });
                self.call_and_print(TOOL, command, &answer, Printer::outcome)
            }
        }
    }
}

/// Reads a value from the terminal, or from standard input if that is something else. Returns `None`
/// if nothing was given.
fn read_value(name: &SecretName) -> io::Result<Option<Secret>> {
    if io::stdin().is_terminal() {
        let Some(mut terminal) = Terminal::open() else { return Ok(None) };
        let value = terminal.ask_hidden(&format!("Value of {name}: "))?;
        return Ok(value.filter(|value| !value.is_empty()));
    }
    let mut text = String::new();
    io::stdin().lock().take(MAX_SECRET_BYTES as u64 + 2).read_to_string(&mut text)?;
    let end = text.strip_suffix('\n').map_or(text.len(), |text| text.trim_end_matches('\r').len());
    text.truncate(end);
    Ok(Some(Secret::new(text)).filter(|value| !value.is_empty()))
}
