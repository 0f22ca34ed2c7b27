//! `mere`: the trusted home for what AI agents use.
//!
//! This crate only translates: command lines and MCP messages become requests, and cleared replies
//! become text and messages. It makes no policy decisions and names no host path to an agent.

mod arguments;
mod commands;
mod log;
mod mcp;
mod print;

use std::process::ExitCode;

use crate::commands::items::ItemCommand;
use crate::commands::{
    allow, call, categories, files, items, locations, memories, run, search, stores, trust,
};
use crate::print::terminal;
use arguments::{Arguments, Command};
use clap::Parser;

fn main() -> ExitCode {
    if let Some(code) = mere_engine::run_cell_stage() {
        return code;
    }
    let arguments = Arguments::parse();
    if let Err(error) = arguments.command.start_log() {
        return terminal::print_failure(
            &format!("the log cannot be opened: {error}"),
            terminal::USAGE,
        );
    }
    let place = arguments.location;
    let ended = match arguments.command {
        Command::Init(asked) => items::run(place, ItemCommand::Init(asked)),
        Command::List(asked) => items::run(place, ItemCommand::List(asked)),
        Command::Search(asked) => search::run(place, &asked),
        Command::Show(asked) => items::run(place, ItemCommand::Show(asked)),
        Command::Memory(asked) => memories::run(place, *asked),
        Command::Category(asked) => categories::run(place, asked),
        Command::Store(asked) => stores::run(place, asked),
        Command::New(asked) => items::run(place, ItemCommand::New(asked)),
        Command::Copy(asked) => items::run(place, ItemCommand::Copy(asked)),
        Command::Move(asked) => items::run(place, ItemCommand::Move(asked)),
        Command::Rename(asked) => items::run(place, ItemCommand::Rename(asked)),
        Command::Delete(asked) => items::run(place, ItemCommand::Delete(asked)),
        Command::Why(asked) => items::run(place, ItemCommand::Why(asked)),
        Command::Review(asked) => items::run(place, ItemCommand::Review(asked)),
        Command::Sign(asked) => items::run(place, ItemCommand::Sign(asked)),
        Command::Verify(asked) => items::run(place, ItemCommand::Verify(asked)),
        Command::Draft(asked) => items::run(place, ItemCommand::Draft(asked)),
        Command::Edit(asked) => items::run(place, ItemCommand::Edit(asked)),
        Command::Graph(asked) => items::run(place, ItemCommand::Graph(asked)),
        Command::Doctor(asked) => items::run(place, ItemCommand::Doctor(asked)),
        Command::Index(asked) => items::run(place, ItemCommand::Index(asked)),
        Command::Model(asked) => items::run(place, ItemCommand::Model(asked)),
        Command::Config(asked) => items::run(place, ItemCommand::Config(asked)),
        Command::Team(asked) => items::run(place, ItemCommand::Team(asked)),
        Command::Join(asked) => items::run(place, ItemCommand::Join(asked)),
        Command::Leave(asked) => items::run(place, ItemCommand::Leave(asked)),
        Command::Keys(asked) => items::run(place, ItemCommand::Keys(asked)),
        Command::Run(asked) => run::run(place, &asked),
        Command::Chain(asked) => run::show_chain(place, asked),
        Command::Lock(asked) => run::lock(place, &asked),
        Command::Prepare(asked) => run::prepare(place, asked),
        Command::Call(call) => call::run(place, &call),
        Command::Mcp(mcp) => mcp::run(place, &mcp),
        Command::Read(asked) => files::read(place, &asked),
        Command::Glob(asked) => files::glob(place, &asked),
        Command::Grep(asked) => files::grep(place, &asked),
        Command::Tree(asked) => files::tree(place, &asked),
        Command::Allow(asked) => allow::run(&place, &asked),
        Command::Trust(asked) => trust::run(place, asked),
        Command::Where(asked) => locations::run(&place, &asked),
    };
    let code = ended.unwrap_or_else(|error| terminal::report_print_error(&error));
    log::finish();
    code
}
