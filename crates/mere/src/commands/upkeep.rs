//! `mere graph`, `doctor`, `index`, `model`, `config`, `space` and `workspace`: looks after the spaces and what is derived
//! from them.

use std::io;
use std::process::ExitCode;

use mere_core::request::{GraphCommand, IndexCommand, ItemCommand, PersonCommand};

use crate::arguments::{ConfigCommand, RenewSpaceArguments, SpaceCommand, UpkeepSubcommand};
use crate::commands::person_session::{PersonSession, report_refusal};
use crate::print::{Printer, terminal};

impl PersonSession {
    pub(crate) fn run_upkeep(&self, command: UpkeepSubcommand) -> io::Result<ExitCode> {
        match command {
            UpkeepSubcommand::Graph(arguments) => {
                let request = arguments.to_request();
                let is_check = matches!(request, GraphCommand::Check);
                let graph = ItemCommand::Graph(request);
                if is_check {
                    self.call_and_print("graph", graph, &arguments.answer, Printer::checks)
                } else {
                    self.call_and_print("graph", graph, &arguments.answer, Printer::graph)
                }
            }
            UpkeepSubcommand::Doctor(arguments) => {
                let doctor = ItemCommand::Doctor(arguments.to_request());
                self.call_and_print("doctor", doctor, &arguments.answer, Printer::checks)
            }
            UpkeepSubcommand::Index(arguments) => {
                let request = arguments.to_request();
                let index = ItemCommand::Index(request);
                match request {
                    IndexCommand::Check => {
                        self.call_and_print("index", index, &arguments.answer, Printer::index_check)
                    }
                    IndexCommand::Update | IndexCommand::Rebuild => self.call_and_print(
                        "index",
                        index,
                        &arguments.answer,
                        Printer::index_update,
                    ),
                }
            }
            UpkeepSubcommand::Model(arguments) => self.run_model(arguments),
            UpkeepSubcommand::Config(arguments) => {
                let ConfigCommand::Check(answer) = arguments.what;
                self.call_and_print("config", PersonCommand::CheckConfig, &answer, Printer::config)
            }
            UpkeepSubcommand::Space(arguments) => {
                let SpaceCommand::Renew(arguments) = arguments.what;
                self.renew_space(&arguments)
            }
            UpkeepSubcommand::Workspace(arguments) => self.run_workspace(arguments),
        }
    }

    /// Asks, and gives the space a new id.
    fn renew_space(&self, arguments: &RenewSpaceArguments) -> io::Result<ExitCode> {
        let question =
            "Give this space an id of its own? What is signed in it must be signed again.";
        let agrees = arguments.yes || terminal::can_ask() && terminal::ask_yes_or_no(question)?;
        if !agrees {
            return Ok(report_refusal("nothing was changed", "use `--yes`"));
        }
        let renew = ItemCommand::RenewSpace(arguments.scope());
        self.call_and_print("space", renew, &arguments.answer, Printer::outcome)
    }
}
