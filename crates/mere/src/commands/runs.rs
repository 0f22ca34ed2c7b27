//! `mere runs`: lists, shows, checks and exports receipts, and repeats a run.

use std::io;
use std::process::ExitCode;
use std::sync::Arc;

use mere_core::reply::ReplyType;
use mere_core::request::{
    ItemCommand, PersonCommand, ReceiptCommand, ReceiptCursor, ToolCommand, Verb,
};

use crate::arguments::{
    LocationArguments, ReceiptArguments, RunsArguments, RunsCommandArguments, SessionArguments,
};
use crate::commands::person_session::{PersonSession, with_default_session, with_session};
use crate::print::reply::ReplyView;
use crate::print::runs::{ExportPage, ReplayedRun};
use crate::print::{Printer, terminal};

const TOOL: &str = "runs";

/// Runs a `mere runs` command.
pub(crate) fn run(location: LocationArguments, arguments: RunsArguments) -> io::Result<ExitCode> {
    match arguments.what {
        Some(RunsCommandArguments::Replay(arguments)) => {
            let for_run = SessionArguments::for_run(Arc::default());
            with_session(location, &for_run, |session| session.replay(&arguments))
        }
        what => with_default_session(location, |session| match what {
            Some(RunsCommandArguments::Show(ReceiptArguments { receipt, answer })) => {
                let show = ReceiptCommand::Show { receipt };
                session.call_and_print(TOOL, verb(show), &answer, Printer::receipt)
            }
            Some(RunsCommandArguments::Verify(answer)) => {
                let verify = verb(ReceiptCommand::Verify);
                session.call_and_print(TOOL, verify, &answer, Printer::checked_receipts)
            }
            Some(RunsCommandArguments::Export(_)) => session.export_receipts(),
            _ => {
                let list = &arguments.list;
                session.call_and_print(TOOL, verb(list.to_request()), &list.answer, Printer::runs)
            }
        }),
    }
}

fn verb(command: ReceiptCommand) -> Verb {
    Verb::Person(PersonCommand::Receipts(command))
}

impl PersonSession {
    /// Prints all receipts, page by page.
    fn export_receipts(&self) -> io::Result<ExitCode> {
        let mut from = None;
        loop {
            let reply = self.call(TOOL, verb(ReceiptCommand::Export { from }));
            if reply.reply_type() != ReplyType::Success {
                terminal::print_refusal(&reply)?;
                return Ok(terminal::exit_code(reply.reply_type()));
            }
            let ExportPage { lines, next } = ReplyView::<ExportPage>::read(&reply)?.data;
            let text = lines.into_iter().map(|line| line + "\n").collect::<String>();
            terminal::print_text(&text)?;
            let Some(next) = next else { return Ok(ExitCode::SUCCESS) };
            from = Some(ReceiptCursor { file: next.file, line: next.line });
        }
    }

    fn replay(&self, arguments: &ReceiptArguments) -> io::Result<ExitCode> {
        let receipt = arguments.receipt;
        let replay = ItemCommand::Tool(ToolCommand::Replay { receipt });
        let reply = self.call(TOOL, replay);
        let code = self.print_reply(&reply, &arguments.answer, Printer::replayed_run)?;
        if reply.reply_type() != ReplyType::Success {
            return Ok(code);
        }
        let is_same = ReplyView::<ReplayedRun>::read(&reply)?.data.same;
        Ok(if is_same { code } else { ExitCode::from(terminal::INVALID) })
    }
}
