//! `mere trust add|list|remove|revoke|rotate`: the keys of other people, through the one door.
//!
//! `trust.rs` has the other half of the command, `mere trust project`.

use std::io;
use std::process::ExitCode;

use mere_core::request::{PersonCommand, TrustCommand};

use crate::arguments::SignersCommand;
use crate::commands::items::{PersonSession, PrintMethod};
use crate::print::Printer;

const TOOL: &str = "trust";

impl PersonSession {
    pub(crate) fn run_signers(&self, asked: SignersCommand) -> io::Result<ExitCode> {
        let (command, answer, show) = match asked {
            SignersCommand::Add(asked) => {
                let limits = asked.limits();
                let add = TrustCommand::Add { key: asked.key, name: asked.name, limits };
                (add, asked.answer, Printer::signer as PrintMethod)
            }
            SignersCommand::List(answer) => (TrustCommand::List, answer, Printer::signers as _),
            SignersCommand::Remove(asked) => {
                (TrustCommand::Remove(asked.signer), asked.answer, Printer::outcome as _)
            }
            SignersCommand::Revoke(asked) => {
                (TrustCommand::Revoke(asked.signer), asked.answer, Printer::outcome as _)
            }
            SignersCommand::Rotate(asked) => {
                (TrustCommand::Rotate { file: asked.file }, asked.answer, Printer::signer as _)
            }
        };
        self.run_command(TOOL, PersonCommand::Trust(command), &answer, show)
    }
}
