//! `mere model`: what a person does with models, through the one door.

use std::io;
use std::process::ExitCode;

use mere_core::request::{ModelCommand, PersonCommand};

use crate::arguments::{FetchedArgument, ModelArguments, ModelCommandArguments};
use crate::items::Desk;
use crate::paper::Paper;

const TOOL: &str = "model";

impl Desk {
    pub(crate) fn model(&self, asked: ModelArguments) -> io::Result<ExitCode> {
        match asked.what {
            ModelCommandArguments::List(answer) => {
                self.keep(TOOL, PersonCommand::Model(ModelCommand::List), &answer, Paper::models)
            }
            ModelCommandArguments::Fetch { model: FetchedArgument::Minilm, from, answer } => {
                let keep = PersonCommand::Model(ModelCommand::Fetch { from });
                self.keep(TOOL, keep, &answer, Paper::fetched_model)
            }
            ModelCommandArguments::Remove { model: FetchedArgument::Minilm, answer } => {
                self.keep(TOOL, PersonCommand::Model(ModelCommand::Remove), &answer, Paper::outcome)
            }
        }
    }
}
