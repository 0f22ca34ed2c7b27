//! `mere trust add|list|remove|revoke|rotate`: the keys of other people, through the one door.
//!
//! `trust.rs` has the other half of the command, `mere trust project`.

use std::io;
use std::process::ExitCode;

use mere_core::request::{PersonCommand, TrustCommand, Verb};

use crate::arguments::SignersCommand;
use crate::commands::items::PersonSession;
use crate::print::Printer;

const TOOL: &str = "trust";

impl PersonSession {
    pub(crate) fn run_signers(&self, asked: SignersCommand) -> io::Result<ExitCode> {
        let run = |command| self.call(TOOL, Verb::Person(PersonCommand::Trust(command)));
        match asked {
            SignersCommand::Add(asked) => {
                let limits = asked.limits();
                let reply = run(TrustCommand::Add { key: asked.key, name: asked.name, limits });
                self.print_reply(&reply, &asked.answer, Printer::signer)
            }
            SignersCommand::List(answer) => {
                self.print_reply(&run(TrustCommand::List), &answer, Printer::signers)
            }
            SignersCommand::Remove(asked) => {
                let reply = run(TrustCommand::Remove(asked.signer));
                self.print_reply(&reply, &asked.answer, Printer::outcome)
            }
            SignersCommand::Revoke(asked) => {
                let reply = run(TrustCommand::Revoke(asked.signer));
                self.print_reply(&reply, &asked.answer, Printer::outcome)
            }
            SignersCommand::Rotate(asked) => {
                let reply = run(TrustCommand::Rotate { file: asked.file });
                self.print_reply(&reply, &asked.answer, Printer::signer)
            }
        }
    }
}
