//! `mere trust add|list|remove|revoke|rotate`: the keys of others, through the one door.

use std::io;
use std::process::ExitCode;

use mere_core::request::{PersonCommand, TrustCommand};

use crate::arguments::SignersCommand;
use crate::items::{Desk, Shown};
use crate::paper::Paper;

const TOOL: &str = "trust";

impl Desk {
    pub(crate) fn signers(&self, asked: SignersCommand) -> io::Result<ExitCode> {
        let (command, answer, show) = match asked {
            SignersCommand::Add(asked) => {
                let limits = asked.limits();
                let add = TrustCommand::Add { key: asked.key, name: asked.name, limits };
                (add, asked.answer, Paper::signer as Shown)
            }
            SignersCommand::List(answer) => (TrustCommand::List, answer, Paper::signers as _),
            SignersCommand::Remove(asked) => {
                (TrustCommand::Remove(asked.signer), asked.answer, Paper::outcome as _)
            }
            SignersCommand::Revoke(asked) => {
                (TrustCommand::Revoke(asked.signer), asked.answer, Paper::outcome as _)
            }
            SignersCommand::Rotate(asked) => {
                (TrustCommand::Rotate { file: asked.file }, asked.answer, Paper::signer as _)
            }
        };
        self.keep(TOOL, PersonCommand::Trust(command), &answer, show)
    }
}
