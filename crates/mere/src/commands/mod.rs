//! The commands that people type, one module for each or for a few that belong together.
//!
//! A command makes a request, sends it through the one door, and prints the reply. It decides
//! nothing. [`run`] finds the module of a command, group by group.

mod adopt;
mod allow;
mod call;
mod categories;
mod complete;
mod connect;
mod content;
mod files;
mod git;
mod grants;
mod import_mcp;
mod init;
mod items;
mod keys;
mod locations;
mod memories;
mod models;
mod passphrase;
mod person_session;
mod question_loop;
mod registry;
mod registry_examples;
mod review;
mod run;
mod runs;
mod search;
mod secrets;
mod sharing;
mod shell;
mod sign_questions;
mod signers;
mod signing;
mod stores;
mod team;
mod torture;
mod trust;
mod trust_project_reply;
mod uninstall;
mod up;
mod upkeep;
mod witness;
mod workspaces;

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use mere_engine::CellPool;

use crate::arguments::{
    AgentSubcommand, BasicSubcommand, Command, FileSubcommand, LocationArguments, MemorySubcommand,
    ToolSubcommand, TrustSubcommand,
};
use crate::mcp;
use crate::print::{Printer, terminal};
use crate::ui;
use person_session::with_default_session;

/// Runs a command, and returns the exit code of the process.
pub(crate) fn run(
    location: LocationArguments,
    command: Command,
    cells: Arc<CellPool>,
) -> io::Result<ExitCode> {
    match command {
        Command::Basic(command) => run_basic(location, command),
        Command::Memory(command) => run_memory(location, command),
        Command::Items(command) => {
            with_default_session(location, |session| session.change(command))
        }
        Command::Signing(command) => {
            with_default_session(location, |session| session.run_signing(command))
        }
        Command::Tools(command) => run_tools(location, command, cells),
        Command::Sharing(command) => {
            with_default_session(location, |session| session.run_sharing(command))
        }
        Command::Upkeep(command) => {
            with_default_session(location, |session| session.run_upkeep(command))
        }
        Command::Agents(command) => run_agents(location, command),
        Command::Files(command) => run_files(location, command),
        Command::Trust(command) => run_trust(location, command),
        Command::Registry(arguments) => registry::run(*arguments),
        Command::Witness(arguments) => witness::run(*arguments),
        Command::Git(arguments) => git::run(location, arguments),
        Command::Where(arguments) => locations::run(&location, &arguments),
        Command::Complete(arguments) => complete::run(location, &arguments),
        Command::Completions(arguments) => shell::print_completions(&arguments),
        Command::Man(arguments) => shell::print_manual(&arguments),
        Command::Uninstall(arguments) => uninstall::run(&arguments),
        Command::Torture(arguments) => torture::run(&arguments),
    }
}

fn run_basic(location: LocationArguments, command: BasicSubcommand) -> io::Result<ExitCode> {
    match command {
        BasicSubcommand::Adopt(arguments) => adopt::run(&location, &arguments),
        BasicSubcommand::Up(arguments) => up::run(location, &arguments),
        BasicSubcommand::Ui(arguments) => ui::run(location, &arguments),
        BasicSubcommand::Init(arguments) => {
            let here = location.clone();
            with_default_session(location, |session| session.init(&arguments, &here))
        }
        BasicSubcommand::List(arguments) => {
            with_default_session(location, |session| session.list(&arguments))
        }
        BasicSubcommand::Search(arguments) => search::run(location, &arguments),
        BasicSubcommand::Show(arguments) => {
            with_default_session(location, |session| session.show(arguments))
        }
    }
}

fn run_memory(location: LocationArguments, command: MemorySubcommand) -> io::Result<ExitCode> {
    match command {
        MemorySubcommand::Memory(arguments) => memories::run(location, *arguments),
        MemorySubcommand::Category(arguments) => categories::run(location, arguments),
        MemorySubcommand::Store(arguments) => stores::run(location, arguments),
    }
}

fn run_tools(
    mut location: LocationArguments,
    command: ToolSubcommand,
    cells: Arc<CellPool>,
) -> io::Result<ExitCode> {
    match command {
        ToolSubcommand::Run(arguments) => run::run(location, &arguments, cells),
        ToolSubcommand::Runs(arguments) => runs::run(location, arguments),
        ToolSubcommand::Chain(arguments) => {
            with_default_session(location, |session| session.show_chain(arguments))
        }
        ToolSubcommand::Grant(arguments) => match location.take_project_access() {
            Ok(access) => {
                with_default_session(location, |session| session.grant(&arguments, access))
            }
            Err(meaning) => Ok(terminal::print_failure(meaning, terminal::USAGE)),
        },
        ToolSubcommand::Grants(arguments) => {
            with_default_session(location, |session| session.list_grants(&arguments))
        }
        ToolSubcommand::Revoke(arguments) => {
            with_default_session(location, |session| session.revoke(arguments))
        }
        ToolSubcommand::Lock(arguments) => {
            with_default_session(location, |session| session.lock(&arguments))
        }
        ToolSubcommand::Prepare(arguments) => {
            with_default_session(location, |session| session.prepare(arguments))
        }
        ToolSubcommand::ImportMcp(arguments) => {
            with_default_session(location, |session| session.import_mcp(&arguments))
        }
    }
}

fn run_agents(location: LocationArguments, command: AgentSubcommand) -> io::Result<ExitCode> {
    match command {
        AgentSubcommand::Connect(arguments) => {
            connect::run(&location, arguments.client, &arguments.options)
        }
        AgentSubcommand::Install(arguments) => {
            connect::run(&location, arguments.client, &arguments.options)
        }
        AgentSubcommand::Call(arguments) => call::run(location, &arguments),
        AgentSubcommand::Calls(arguments) => with_default_session(location, |session| {
            session.call_and_print(
                "calls",
                arguments.to_request(),
                &arguments.answer,
                Printer::calls,
            )
        }),
        AgentSubcommand::Mcp(arguments) => mcp::run(location, &arguments),
    }
}

fn run_files(location: LocationArguments, command: FileSubcommand) -> io::Result<ExitCode> {
    match command {
        FileSubcommand::Ls(arguments) => files::list_folder(location, &arguments),
        FileSubcommand::Read(arguments) => files::read(location, &arguments),
        FileSubcommand::Glob(arguments) => files::glob(location, &arguments),
        FileSubcommand::Grep(arguments) => files::grep(location, &arguments),
        FileSubcommand::Tree(arguments) => files::tree(location, &arguments),
        FileSubcommand::Allow(arguments) => allow::run(&location, &arguments),
    }
}

fn run_trust(location: LocationArguments, command: TrustSubcommand) -> io::Result<ExitCode> {
    match command {
        TrustSubcommand::Team(arguments) => {
            with_default_session(location, |session| session.run_team(arguments))
        }
        TrustSubcommand::Join(arguments) => {
            with_default_session(location, |session| session.join(&arguments))
        }
        TrustSubcommand::Leave(arguments) => {
            with_default_session(location, |session| session.leave(&arguments))
        }
        TrustSubcommand::Keys(arguments) => {
            with_default_session(location, |session| session.run_keys(arguments))
        }
        TrustSubcommand::Secret(arguments) => {
            with_default_session(location, |session| session.run_secrets(arguments))
        }
        TrustSubcommand::Trust(arguments) => trust::run(location, arguments),
    }
}
