//! `mere keys`: what a person does with their own keys, through the one door.
//!
//! Private keys are read and written by the engine; this file only asks for passphrases.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{KeysCommand, Passphrase, PersonCommand, Verb};

use crate::arguments::{GenerateArguments, KeysArguments, KeysCommandArguments, RotateArguments};
use crate::commands::items::PersonSession;
use crate::commands::passphrase;
use crate::print::reply::ReplySentences;
use crate::print::{Printer, terminal};

const TOOL: &str = "keys";

impl PersonSession {
    pub(crate) fn run_keys(&self, asked: KeysArguments) -> io::Result<ExitCode> {
        match asked.what {
            KeysCommandArguments::Generate(asked) => self.generate_key(asked),
            KeysCommandArguments::List(answer) => self.run_command(
                TOOL,
                PersonCommand::Keys(KeysCommand::List),
                &answer,
                Printer::keys,
            ),
            KeysCommandArguments::Export { key, answer } => {
                let keep = PersonCommand::Keys(KeysCommand::Export { key });
                self.run_command(TOOL, keep, &answer, Printer::public_key)
            }
            KeysCommandArguments::Import { file, answer } => {
                let keep = PersonCommand::Keys(KeysCommand::Import { file });
                self.run_command(TOOL, keep, &answer, Printer::own_key)
            }
            KeysCommandArguments::Use { key, answer } => {
                let keep = PersonCommand::Keys(KeysCommand::Use(key));
                self.run_command(TOOL, keep, &answer, Printer::own_key)
            }
            KeysCommandArguments::Rotate(asked) => self.rotate_key(&asked),
        }
    }

    fn generate_key(&self, asked: GenerateArguments) -> io::Result<ExitCode> {
        let Some(passphrase) = new_passphrase(asked.no_passphrase)? else {
            return Ok(report_given_up());
        };
        let keep = PersonCommand::Keys(KeysCommand::Generate { name: asked.name, passphrase });
        self.run_command(TOOL, keep, &asked.answer, Printer::own_key)
    }

    /// Rotates a key. Only the proof goes to standard output, so that it can be redirected to a
    /// file.
    fn rotate_key(&self, asked: &RotateArguments) -> io::Result<ExitCode> {
        let rotate = |passphrase| {
            let (to, out) = (asked.to, asked.out.clone());
            let rotate = KeysCommand::Rotate { to, passphrase, out };
            self.call(TOOL, Verb::Person(PersonCommand::Keys(rotate)))
        };
        let reply = if asked.to.is_some() {
            passphrase::call_with_next_key(rotate)
        } else {
            let chosen = new_passphrase(asked.no_passphrase)?;
            let Some(passphrase) = chosen else { return Ok(report_given_up()) };
            rotate(passphrase)
        };
        if asked.out.is_some() {
            return self.print_reply(&reply, &asked.answer, Printer::rotation_file);
        }
        let code = self.print_reply(&reply, &asked.answer, Printer::rotation_proof)?;
        if reply.reply_type() == ReplyType::Success && !asked.answer.json {
            terminal::print_note(&ReplySentences::read(&reply)?.message);
        }
        Ok(code)
    }
}

/// Asks for the passphrase of a new key. Returns `None` if the person gives up.
fn new_passphrase(unwanted: bool) -> io::Result<Option<Passphrase>> {
    if unwanted { Ok(Some(Passphrase::None)) } else { passphrase::ask_for_new_key() }
}

fn report_given_up() -> ExitCode {
    terminal::print_failure("no key was made", terminal::REFUSED)
}
