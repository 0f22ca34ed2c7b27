//! `mere model`: what a person does with embedding models, through the one door.
//!
//! This file only builds requests; the engine fetches and checks the model.

use std::io;
use std::process::ExitCode;

use mere_core::request::{ItemCommand, ModelCommand};

use crate::arguments::{ModelArguments, ModelCommandArguments, ModelNameArgument};
use crate::commands::person_session::PersonSession;
use crate::print::Printer;

const TOOL: &str = "model";

impl PersonSession {
    pub(crate) fn run_model(&self, arguments: ModelArguments) -> io::Result<ExitCode> {
        match arguments.what {
            ModelCommandArguments::List(answer) => self.call_and_print(
                TOOL,
                ItemCommand::Model(ModelCommand::List),
                &answer,
                Printer::models,
            ),
            ModelCommandArguments::Fetch { model: ModelNameArgument::Minilm, from, answer } => {
                let command = ItemCommand::Model(ModelCommand::Fetch { from });
                self.call_and_print(TOOL, command, &answer, Printer::fetched_model)
            }
            ModelCommandArguments::Remove { model: ModelNameArgument::Minilm, answer } => self
                .call_and_print(
                    TOOL,
                    ItemCommand::Model(ModelCommand::Remove),
                    &answer,
                    Printer::outcome,
                ),
        }
    }
}
