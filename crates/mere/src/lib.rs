//! `mere`: the trusted home for what AI agents use.
//!
//! This crate only translates: command lines and MCP messages become requests, and cleared replies
//! become text and messages. It makes no policy decisions and names no host path to an agent.

mod arguments;
mod commands;
mod log;
mod mcp;
mod print;
mod ui;

use std::process::ExitCode;

use arguments::{Arguments, command_line};
use clap::FromArgMatches;
use print::terminal;

/// Runs the program with the arguments of the process, and returns its exit code.
pub fn run() -> ExitCode {
    if let Some(code) = mere_engine::run_cell_stage() {
        return code;
    }
    let matches = command_line().get_matches();
    let arguments = Arguments::from_arg_matches(&matches).unwrap_or_else(|error| error.exit());
    if let Err(error) = arguments.command.start_log() {
        return terminal::print_failure(
            &format!("the log cannot be opened: {error}"),
            terminal::USAGE,
        );
    }
    let ended = commands::run(arguments.location, arguments.command);
    let code = ended.unwrap_or_else(|error| terminal::report_print_error(&error));
    log::finish();
    code
}
