//! `mere search`: an agent's `search`, asked for and read by a person.
//!
//! Hints that only help an agent, such as how to get the next page, are not printed.

use std::io;
use std::process::ExitCode;

use mere_core::reply::{ReplyType, reword_for_person};
use mere_core::request::ItemVerb;

use crate::arguments::{LocationArguments, SearchArguments};
use crate::commands::person_session::{PersonSession, with_session};
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

const TOOL: &str = "search";

/// Runs the command.
pub(crate) fn run(
    location: LocationArguments,
    arguments: &SearchArguments,
) -> io::Result<ExitCode> {
    with_session(location, &arguments.session, |session| session.search(arguments))
}

impl PersonSession {
    fn search(&self, arguments: &SearchArguments) -> io::Result<ExitCode> {
        let reply = self.call(TOOL, ItemVerb::Search(arguments.to_search()));
        if arguments.answer.json || reply.reply_type() != ReplyType::Success {
            return self.print_reply(&reply, &arguments.answer, Printer::outcome);
        }
        let view = ReplyView::read(&reply)?;
        let printer = self.printer(arguments.answer.color);
        terminal::print_text(&printer.hits(&view))?;
        if let Some(hint) = view.hint.filter(|hint| is_for_people(hint)) {
            terminal::print_note(&reword_for_person(&hint));
        }
        Ok(terminal::exit_code(reply.reply_type()))
    }
}

/// Checks whether the hint says more than how an agent gets the next page.
fn is_for_people(hint: &str) -> bool {
    !hint.contains("`cursor`")
}
