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
use std::sync::Arc;

use arguments::{Arguments, advise, command_line, narrow_command_line};
use clap::{CommandFactory, FromArgMatches};
use mere_engine::CellPool;
use print::{json_outcome, terminal};

/// Runs the program with the arguments of the process, and returns its exit code.
pub fn run() -> ExitCode {
    if let Some(code) = mere_engine::run_cell_stage() {
        return code;
    }
    let cells = Arc::new(CellPool::default());
    // A sandbox cell takes longer to build than a command line to parse, so it is begun first.
    if mere_engine::own_arguments().next().is_some_and(|word| word == "run") {
        cells.prepare();
    }
    let arguments = match parse_arguments() {
        Ok(arguments) => arguments,
        Err(error) => return finish(report_usage_error(error)),
    };
    if let Err(error) = arguments.command.start_log() {
        let words = format!("the log cannot be opened: {error}");
        return finish(terminal::print_failure(&words, terminal::USAGE));
    }
    let ended = commands::run(arguments.location, arguments.command, cells);
    let code = ended.unwrap_or_else(|error| terminal::report_print_error(&error));
    log::finish();
    finish(code)
}

fn parse_arguments() -> Result<Arguments, clap::Error> {
    // Most of the time goes into putting the command line together. Only what is printed differs,
    // help or what is wrong, so the whole of it with its help is left for the last.
    let narrow = narrow_command_line(mere_engine::own_arguments());
    let parsed = narrow.and_then(|narrow| narrow.try_get_matches().ok());
    let parsed = parsed.map_or_else(|| Arguments::command().try_get_matches(), Ok);
    let parsed = parsed.or_else(|_| command_line().try_get_matches());
    match &parsed {
        Ok(matches) => json_outcome::begin(matches),
        Err(_) => json_outcome::begin_with_words(mere_engine::own_arguments()),
    }
    parsed.and_then(|matches| Arguments::from_arg_matches(&matches))
}

/// Prints what is wrong with the command line, or the help that was asked for.
fn report_usage_error(mut error: clap::Error) -> ExitCode {
    if !error.use_stderr() {
        let _ = error.print();
        return ExitCode::SUCCESS;
    }
    let words = mere_engine::own_arguments().map(|word| word.to_string_lossy().into_owned());
    let advice = advise(&mut error, &command_line(), words);
    let _ = error.print();
    terminal::print_error_text(&advice.unwrap_or_default());
    terminal::note_usage_error(&error.render().to_string());
    ExitCode::from(terminal::USAGE)
}

/// Makes sure that a command that was asked for JSON has printed a reply.
fn finish(code: ExitCode) -> ExitCode {
    match json_outcome::missing_reply(code) {
        Some(reply) => match terminal::print_line(&format!("{reply:#}")) {
            Ok(()) => code,
            Err(error) => terminal::report_print_error(&error),
        },
        None => code,
    }
}
