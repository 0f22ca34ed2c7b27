//! `mere run`, `chain`, `lock` and `prepare`: the commands that run tools and pin what they run on.
//!
//! The tool's output streams through; everything else is a request to the engine like any other.

use std::io;
use std::process::ExitCode;
use std::time::Instant;

use mere_core::gate::ClearedText;
use mere_core::reply::ReplyType;
use mere_core::request::{LockCommand, PersonCommand, Verb};
use mere_core::turn::{OutputStream, Progress, Turn};

use crate::arguments::{
    ChainArguments, LocationArguments, LockArguments, PrepareArguments, RunArguments,
    SessionArguments,
};
use crate::commands::items::{PersonSession, with_session};
use crate::print::reply::ReplyView;
use crate::print::run::RunResult;
use crate::print::{Printer, terminal};

/// Runs a tool. Its output streams are passed on as they arrive, and a failed tool has an exit
/// status of its own.
pub(crate) fn run(place: LocationArguments, asked: &RunArguments) -> io::Result<ExitCode> {
    let session =
        if asked.is_dry() { SessionArguments::default() } else { SessionArguments::for_run() };
    with_session(place, &session, |desk| run_in_session(desk, asked))
}

fn run_in_session(desk: &PersonSession, asked: &RunArguments) -> io::Result<ExitCode> {
    let tool = Verb::Person(PersonCommand::Run(asked.to_request()));
    let is_quiet = asked.is_dry() || asked.answer.json;
    let reply = if is_quiet {
        desk.call("run", tool)
    } else {
        desk.call_with_turn("run", tool, || OutputTurn(Printer::new(asked.answer.color, None)))
    };
    if asked.is_dry() || reply.reply_type() != ReplyType::Success {
        return desk.print_reply(&reply, &asked.answer, Printer::dry_run);
    }
    let view = ReplyView::<RunResult>::read(&reply)?;
    let has_failed = !view.data.success;
    let code = if has_failed { ExitCode::from(terminal::TOOL_FAILED) } else { ExitCode::SUCCESS };
    if asked.answer.json {
        return terminal::print_reply(&reply).map(|()| code);
    }
    if view.data.truncated {
        terminal::print_note("it said more than is kept; the rest is left out");
    }
    if has_failed {
        terminal::print_note(&view.message);
    }
    Ok(code)
}

/// The turn of a person who sees the tool's output as it arrives.
struct OutputTurn(Printer);

impl Turn for OutputTurn {
    fn progress(&mut self, _note: &Progress) {}

    fn is_cancelled(&self) -> bool {
        false
    }

    fn deadline(&self) -> Option<Instant> {
        None
    }

    fn show_output(&mut self, stream: OutputStream, text: &ClearedText) {
        let text = self.0.tool_output(text.as_str());
        match stream {
            // If the reader has gone away, the error shows when the answer is printed.
            OutputStream::Output => drop(terminal::print_text(&text)),
            OutputStream::Error => terminal::print_error_text(&text),
        }
    }
}

/// Shows a chain.
pub(crate) fn show_chain(place: LocationArguments, asked: ChainArguments) -> io::Result<ExitCode> {
    with_session(place, &SessionArguments::default(), |desk| {
        desk.run_command(
            "chain",
            PersonCommand::Chain { item: asked.item },
            &asked.answer,
            Printer::chain,
        )
    })
}

/// Pins chains, or compares them with their lockfiles.
pub(crate) fn lock(place: LocationArguments, asked: &LockArguments) -> io::Result<ExitCode> {
    with_session(place, &SessionArguments::default(), |desk| {
        let request = asked.to_request();
        let is_check = matches!(request, LockCommand::Check);
        let reply = desk.call("lock", Verb::Person(PersonCommand::Lock(request)));
        if is_check {
            desk.print_reply(&reply, &asked.answer, Printer::lockfiles)
        } else {
            desk.print_reply(&reply, &asked.answer, Printer::outcome)
        }
    })
}

/// Fetches the packages that a tool needs.
pub(crate) fn prepare(place: LocationArguments, asked: PrepareArguments) -> io::Result<ExitCode> {
    with_session(place, &SessionArguments::default(), |desk| {
        desk.run_command(
            "prepare",
            PersonCommand::Prepare { item: asked.item },
            &asked.answer,
            Printer::outcome,
        )
    })
}
