//! `mere run`, `chain`, `lock` and `prepare`: the commands that run tools and pin what they run on.
//!
//! The tool's output streams through; everything else is a request to the engine like any other.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use mere_core::gate::ClearedText;
use mere_core::reply::ReplyType;
use mere_core::request::{ItemCommand, LockCommand, ToolCommand};
use mere_core::turn::{OutputStream, Progress, Turn};
use mere_engine::CellPool;

use crate::arguments::{
    ChainArguments, LocationArguments, LockArguments, PrepareArguments, RunArguments,
    SessionArguments,
};
use crate::commands::person_session::{PersonSession, with_default_session, with_session};
use crate::commands::review::ReviewContext;
use crate::print::refusal::RefusalDetails;
use crate::print::reply::ReplyView;
use crate::print::run::RunResult;
use crate::print::{Printer, terminal};

const NO_TERMINAL_TO_APPLY: &str = "`--apply` asks, and works only at a terminal. Nothing was run; without it, the changes wait in \
     `mere review`";

/// Runs a tool. Its output streams are passed on as they arrive, and a failed tool has an exit
/// status of its own.
pub(crate) fn run(
    location: LocationArguments,
    arguments: &RunArguments,
    cells: Arc<CellPool>,
) -> io::Result<ExitCode> {
    if arguments.has_misplaced() {
        return with_default_session(location, |session| session.correct_run(arguments));
    }
    if arguments.apply && !terminal::can_ask() {
        return Ok(terminal::print_failure(NO_TERMINAL_TO_APPLY, terminal::USAGE));
    }
    let session = if arguments.is_dry() {
        SessionArguments::default()
    } else {
        SessionArguments::for_run(cells)
    };
    with_session(location, &session, |session| session.run_tool(arguments))
}

impl PersonSession {
    /// Says how the parameters of a run are typed.
    fn correct_run(&self, arguments: &RunArguments) -> io::Result<ExitCode> {
        let tool = arguments.tool().to_string();
        let item = [("item_type", "tool".to_owned()), ("item_id", tool)];
        let item = item.map(|(name, value)| (name.to_owned(), value.into()));
        let loaded = self.call_tool("load", &item.into_iter().collect());
        let inputs = ReplyView::<RefusalDetails>::read(&loaded)?.data;
        let correction = arguments.correction(&inputs.needed());
        let words = format!("parameters are passed with `--param`: `{correction}`");
        let code = terminal::print_failure(&words, terminal::USAGE);
        inputs.inputs().iter().for_each(|line| terminal::print_detail(line));
        Ok(code)
    }

    fn run_tool(&self, arguments: &RunArguments) -> io::Result<ExitCode> {
        let tool = ItemCommand::Tool(ToolCommand::Run(arguments.to_request()));
        let is_quiet = arguments.is_dry() || arguments.answer.json;
        let call = || {
            if is_quiet {
                return self.call("run", tool.clone());
            }
            self.call_with_turn("run", tool.clone(), |_| {
                OutputTurn(Printer::new(arguments.answer.color, None))
            })
        };
        let mut reply = call();
        if !is_quiet && self.grant_what_is_missing(arguments.tool(), &reply)? {
            reply = call();
        }
        if arguments.is_dry() || reply.reply_type() != ReplyType::Success {
            return self.print_reply(&reply, &arguments.answer, Printer::dry_run);
        }
        let view = ReplyView::<RunResult>::read(&reply)?;
        let has_failed = !view.data.success;
        let code =
            if has_failed { ExitCode::from(terminal::TOOL_FAILED) } else { ExitCode::SUCCESS };
        if arguments.answer.json {
            return terminal::print_reply(&reply).map(|()| code);
        }
        if view.data.truncated {
            terminal::print_note("the output was too long; the rest was dropped");
        }
        if has_failed {
            terminal::print_note(&view.message);
        }
        let printer = self.printer(arguments.answer.color);
        terminal::print_error_text(
            &printer.refused_hosts(&view.data, &arguments.tool().to_string()),
        );
        terminal::print_error_text(&printer.run_changes(&view.data));
        if let Some(proposal) = view.data.proposal.filter(|_| arguments.apply) {
            self.decide_on_proposal(&proposal.id, &arguments.answer, ReviewContext::Review)?;
        }
        Ok(code)
    }

    /// Shows a chain.
    pub(crate) fn show_chain(&self, arguments: ChainArguments) -> io::Result<ExitCode> {
        let chain = ItemCommand::Tool(ToolCommand::Chain { item: arguments.item });
        self.call_and_print("chain", chain, &arguments.answer, Printer::chain)
    }

    /// Pins chains, or compares them with their lockfiles.
    pub(crate) fn lock(&self, arguments: &LockArguments) -> io::Result<ExitCode> {
        let request = arguments.to_request();
        let is_check = matches!(request, LockCommand::Check);
        let lock = ItemCommand::Tool(ToolCommand::Lock(request));
        if is_check {
            self.call_and_print("lock", lock, &arguments.answer, Printer::lockfiles)
        } else {
            self.call_and_print("lock", lock, &arguments.answer, Printer::outcome)
        }
    }

    /// Fetches the packages that a tool needs.
    pub(crate) fn prepare(&self, arguments: PrepareArguments) -> io::Result<ExitCode> {
        let prepare = ItemCommand::Tool(ToolCommand::Prepare { item: arguments.item });
        self.call_and_print("prepare", prepare, &arguments.answer, Printer::outcome)
    }
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
