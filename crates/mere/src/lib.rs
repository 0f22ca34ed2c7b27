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

use std::env;
use std::process::ExitCode;
use std::sync::Arc;

use arguments::{Arguments, command_line};
use clap::FromArgMatches;
use mere_engine::CellPool;
use print::terminal;

/// Runs the program with the arguments of the process, and returns its exit code.
pub fn run() -> ExitCode {
    if let Some(code) = mere_engine::run_cell_stage() {
        return code;
    }
    let cells = Arc::new(CellPool::default());
    // A sandbox cell takes longer to build than a command line to parse, so it is begun first.
    if env::args_os().nth(1).is_some_and(|word| word == "run") {
        cells.prepare();
    }
    let matches = command_line().try_get_matches();
    let arguments = match matches.and_then(|matches| Arguments::from_arg_matches(&matches)) {
        Ok(arguments) => arguments,
        Err(error) => {
            drop(cells);
            error.exit()
        }
    };
    if let Err(error) = arguments.command.start_log() {
        return terminal::print_failure(
            &format!("the log cannot be opened: {error}"),
            terminal::USAGE,
        );
    }
    let ended = commands::run(arguments.location, arguments.command, cells);
    let code = ended.unwrap_or_else(|error| terminal::report_print_error(&error));
    log::finish();
    code
}
