//! `mere model`: what a person does with embedding models, through the one door.
//!
//! This file only builds requests; the engine fetches and checks the model.

use std::io;
use std::process::ExitCode;

use mere_core::request::{ItemCommand, ModelCommand, PersonCommand};

use crate::arguments::{ModelArguments, ModelCommandArguments, ModelNameArgument};
use crate::commands::items::PersonSession;
use crate::print::Printer;

const TOOL: &str = "model";

impl PersonSession {
    pub(crate) fn run_model(&self, asked: ModelArguments) -> io::Result<ExitCode> {
        match asked.what {
            ModelCommandArguments::List(answer) => self.run_command(
                TOOL,
                PersonCommand::Items(ItemCommand::Model(ModelCommand::List)),
                &answer,
                Printer::models,
            ),
            ModelCommandArguments::Fetch { model: ModelNameArgument::Minilm, from, answer } => {
                let keep = PersonCommand::Items(ItemCommand::Model(ModelCommand::Fetch { from }));
                self.run_command(TOOL, keep, &answer, Printer::fetched_model)
            }
            ModelCommandArguments::Remove { model: ModelNameArgument::Minilm, answer } => self
                .run_command(
                    TOOL,
                    PersonCommand::Items(ItemCommand::Model(ModelCommand::Remove)),
                    &answer,
                    Printer::outcome,
                ),
        }
    }
}
