//! `mere keys`: what a person does with their own keys, through the one door.
//!
//! Private keys are read and written by the engine; this file only asks for passphrases.

use std::io;
use std::process::ExitCode;

use mere_core::reply::ReplyType;
use mere_core::request::{KeysCommand, Passphrase, PersonCommand};

use crate::arguments::{GenerateArguments, KeysArguments, KeysCommandArguments, RotateArguments};
use crate::commands::passphrase;
use crate::commands::person_session::PersonSession;
use crate::print::reply::ReplySentences;
use crate::print::{Printer, terminal};

const TOOL: &str = "keys";

impl PersonSession {
    pub(crate) fn run_keys(&self, arguments: KeysArguments) -> io::Result<ExitCode> {
        match arguments.what {
            KeysCommandArguments::Generate(arguments) => self.generate_key(arguments),
            KeysCommandArguments::List(answer) => self.call_and_print(
                TOOL,
                PersonCommand::Keys(KeysCommand::List),
                &answer,
                Printer::keys,
            ),
            KeysCommandArguments::Export { key, answer } => {
                let command = PersonCommand::Keys(KeysCommand::Export { key });
                self.call_and_print(TOOL, command, &answer, Printer::public_key)
            }
            KeysCommandArguments::Import { file, answer } => {
                let command = PersonCommand::Keys(KeysCommand::Import { file });
                self.call_and_print(TOOL, command, &answer, Printer::own_key)
            }
            KeysCommandArguments::Use { key, answer } => {
                let command = PersonCommand::Keys(KeysCommand::Use(key));
                self.call_and_print(TOOL, command, &answer, Printer::own_key)
            }
            KeysCommandArguments::Rotate(arguments) => self.rotate_key(&arguments),
        }
    }

    fn generate_key(&self, arguments: GenerateArguments) -> io::Result<ExitCode> {
        let passphrase = if arguments.no_passphrase {
            Some(Passphrase::None)
        } else {
            passphrase::ask_for_new_key()?
        };
        let Some(passphrase) = passphrase else { return Ok(report_given_up()) };
        let command =
            PersonCommand::Keys(KeysCommand::Generate { name: arguments.name, passphrase });
        self.call_and_print(TOOL, command, &arguments.answer, Printer::own_key)
    }

    /// Rotates a key. Only the proof goes to standard output, so that it can be redirected to a
    /// file.
    fn rotate_key(&self, arguments: &RotateArguments) -> io::Result<ExitCode> {
        let rotate = |passphrase| {
            let (to, out) = (arguments.to, arguments.out.clone());
            let rotate = KeysCommand::Rotate { to, passphrase, out };
            self.call(TOOL, PersonCommand::Keys(rotate))
        };
        let reply = if arguments.to.is_some() {
            passphrase::call_with_next_key(rotate)
        } else if arguments.no_passphrase {
            rotate(Passphrase::None)
        } else {
            match passphrase::ask_for_new_key()? {
                Some(passphrase) => rotate(passphrase),
                None => return Ok(report_given_up()),
            }
        };
        if arguments.out.is_some() {
            return self.print_reply(&reply, &arguments.answer, Printer::rotation_file);
        }
        let code = self.print_reply(&reply, &arguments.answer, Printer::rotation_proof)?;
        if reply.reply_type() == ReplyType::Success && !arguments.answer.json {
            terminal::print_note(&ReplySentences::read(&reply)?.message);
        }
        Ok(code)
    }
}

fn report_given_up() -> ExitCode {
    terminal::print_failure("no key was generated", terminal::REFUSED)
}
