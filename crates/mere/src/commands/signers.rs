//! `mere trust add|list|remove|revoke|rotate`: the keys of other people, through the one door.
//!
//! `mere trust item`, which accepts a version, goes the same way. `trust.rs` has the rest of the
//! command, `mere trust project`.

use std::io;
use std::process::ExitCode;

use mere_core::request::{ItemCommand, PersonCommand, TrustCommand};

use crate::arguments::{SignersCommand, TrustItemArguments};
use crate::commands::person_session::PersonSession;
use crate::print::Printer;

const TOOL: &str = "trust";

impl PersonSession {
    pub(crate) fn accept_version(&self, arguments: TrustItemArguments) -> io::Result<ExitCode> {
        let TrustItemArguments { item, source, answer } = arguments;
        let (kind, item, source) = (item.kind.kind, item.item, source.source());
        let command = ItemCommand::AcceptVersion { kind, item, source };
        self.call_and_print(TOOL, command, &answer, Printer::outcome)
    }

    pub(crate) fn run_signers(&self, arguments: SignersCommand) -> io::Result<ExitCode> {
        let run = |command| self.call(TOOL, PersonCommand::Trust(command));
        match arguments {
            SignersCommand::Add(add) => {
                let limits = add.limits();
                let reply = run(TrustCommand::Add { key: add.key, name: add.name, limits });
                self.print_reply(&reply, &add.answer, Printer::signer)
            }
            SignersCommand::List(answer) => {
                self.print_reply(&run(TrustCommand::List), &answer, Printer::signers)
            }
            SignersCommand::Remove(remove) => {
                let reply = run(TrustCommand::Remove(remove.signer));
                self.print_reply(&reply, &remove.answer, Printer::outcome)
            }
            SignersCommand::Revoke(revoke) => {
                let reply = run(TrustCommand::Revoke(revoke.signer));
                self.print_reply(&reply, &revoke.answer, Printer::outcome)
            }
            SignersCommand::Rotate(rotate) => {
                let reply = run(TrustCommand::Rotate { file: rotate.file });
                self.print_reply(&reply, &rotate.answer, Printer::signer)
            }
        }
    }
}
