//! `mere trust add|list|remove|revoke|rotate`: the keys of other people, through the one door.
//!
//! `trust.rs` has the other half of the command, `mere trust project`.

use std::io;
use std::process::ExitCode;

use mere_core::request::{PersonCommand, TrustCommand};

use crate::arguments::SignersCommand;
use crate::commands::person_session::{PersonSession, PrintMethod};
use crate::print::Printer;

const TOOL: &str = "trust";

impl PersonSession {
    pub(crate) fn run_signers(&self, arguments: SignersCommand) -> io::Result<ExitCode> {
        let (command, answer, show) = match arguments {
            SignersCommand::Add(arguments) => {
                let limits = arguments.limits();
                let add = TrustCommand::Add { key: arguments.key, name: arguments.name, limits };
                (add, arguments.answer, Printer::signer as PrintMethod)
            }
            SignersCommand::List(answer) => (TrustCommand::List, answer, Printer::signers as _),
            SignersCommand::Remove(arguments) => {
                (TrustCommand::Remove(arguments.signer), arguments.answer, Printer::outcome as _)
            }
            SignersCommand::Revoke(arguments) => {
                (TrustCommand::Revoke(arguments.signer), arguments.answer, Printer::outcome as _)
            }
            SignersCommand::Rotate(arguments) => (
                TrustCommand::Rotate { file: arguments.file },
                arguments.answer,
                Printer::signer as _,
            ),
        };
        self.call_and_print(TOOL, PersonCommand::Trust(command), &answer, show)
    }
}
