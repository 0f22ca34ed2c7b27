//! `mere`: the trusted home for what AI agents use.
//!
//! This crate translates: command lines and MCP messages into requests, cleared replies into text
//! and messages. It decides nothing and names no host path.

mod allow;
mod arguments;
mod call;
mod converse;
mod files;
mod log;
mod mcp;
mod paper;
mod render;
mod report;
mod trust;
mod whereabouts;

use std::process::ExitCode;

use arguments::{Arguments, Command};
use clap::Parser;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if let Err(error) = arguments.command.start_log() {
        return render::failure(&format!("the log cannot be opened: {error}"), render::USAGE);
    }
    let place = arguments.place;
    let ended = match arguments.command {
        Command::Call(call) => call::run(place, &call),
        Command::Mcp(mcp) => mcp::run(place, &mcp),
        Command::Read(asked) => files::read(place, &asked),
        Command::Glob(asked) => files::glob(place, &asked),
        Command::Grep(asked) => files::grep(place, &asked),
        Command::Tree(asked) => files::tree(place, &asked),
        Command::Allow(asked) => allow::run(&place, &asked),
        Command::Trust(trust) => trust::run(&place, &trust),
        Command::Where(asked) => whereabouts::run(&place, &asked),
    };
    let code = ended.unwrap_or_else(|error| render::unwritten(&error));
    log::finish();
    code
}
