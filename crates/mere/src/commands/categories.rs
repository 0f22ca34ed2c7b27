//! `mere category`: what a person does with the categories of a store. The store's rules decide
//! what is permitted.

use std::io;
use std::process::ExitCode;

use mere_core::category::Force;
use mere_core::reply::ReplyType;
use mere_core::request::{CategoryCall, CategoryChange, ListMemories, MemoryCall, StoreCommand};
use serde::Deserialize;

use crate::arguments::{
    CategoryArguments, CategoryCommandArguments, CreateCategoryArguments, DeleteCategoryArguments,
    LocationArguments, SessionArguments,
};
use crate::commands::person_session::{PersonSession, report_refusal, with_session};
use crate::print::reply::ReplyView;
use crate::print::{Printer, terminal};

const TOOL: &str = "category";

/// What is in a category that is about to be deleted.
#[derive(Deserialize)]
struct CountedContents {
    contents: String,
}

/// Runs the command.
pub(crate) fn run(
    location: LocationArguments,
    arguments: CategoryArguments,
) -> io::Result<ExitCode> {
    if arguments.is_forced() && !terminal::is_interactive() {
        return Ok(terminal::print_failure(terminal::FORCE_NEEDS_TERMINAL, terminal::USAGE));
    }
    let session = SessionArguments::for_store(arguments.store);
    with_session(location, &session, |session| session.run_category(arguments.what))
}

impl PersonSession {
    fn run_category(&self, arguments: CategoryCommandArguments) -> io::Result<ExitCode> {
        match arguments {
            CategoryCommandArguments::Create(arguments) => self.create_category(arguments),
            CategoryCommandArguments::Delete(arguments) => self.delete_category(&arguments),
            CategoryCommandArguments::Describe { path, description, answer } => {
                let what = CategoryChange::Describe { description };
                let call = CategoryCall { path, change: what, force: Force::No };
                self.call_and_print(TOOL, call, &answer, Printer::outcome)
            }
            CategoryCommandArguments::Define { path, description, answer } => {
                let define = StoreCommand::Define { path, description };
                self.call_and_print(TOOL, define, &answer, Printer::outcome)
            }
            CategoryCommandArguments::Undefine { path, answer } => {
                let undefine = StoreCommand::Undefine { path };
                self.call_and_print(TOOL, undefine, &answer, Printer::outcome)
            }
            CategoryCommandArguments::List { category, answer } => {
                let category = category.unwrap_or_default();
                let list = ListMemories { category, limit: 1, ..ListMemories::default() };
                let reply = self.call(TOOL, MemoryCall::List(list));
                if reply.reply_type() != ReplyType::Success || answer.json {
                    return self.print_reply(&reply, &answer, Printer::categories);
                }
                // The hint about the next page is for agents, not for people.
                let printer = self.printer(answer.color);
                let text = printer.categories(&ReplyView::read(&reply)?);
                terminal::print_text(&text).map(|()| ExitCode::SUCCESS)
            }
        }
    }

    fn create_category(&self, arguments: CreateCategoryArguments) -> io::Result<ExitCode> {
        let force = arguments.force();
        let change = CategoryChange::Create { description: arguments.description };
        let call = CategoryCall { path: arguments.path, change, force };
        self.call_and_print(TOOL, call, &arguments.answer, Printer::outcome)
    }

    /// Says what would be deleted, asks, and deletes it.
    fn delete_category(&self, arguments: &DeleteCategoryArguments) -> io::Result<ExitCode> {
        if !arguments.yes {
            let mut question = format!("Delete the category `{}`?", arguments.path);
            if arguments.recursive {
                let count = CategoryChange::CountContents;
                let path = arguments.path.clone();
                let call = CategoryCall { path, change: count, force: Force::No };
                let reply = self.call(TOOL, call);
                if reply.reply_type() != ReplyType::Success {
                    return self.print_reply(&reply, &arguments.answer, Printer::outcome);
                }
                let counted = ReplyView::<CountedContents>::read(&reply)?.data.contents;
                question = format!(
                    "Delete the category `{}` and everything in it ({counted})?",
                    arguments.path
                );
            }
            if !terminal::can_ask() || !terminal::ask_yes_or_no(&question)? {
                return Ok(report_refusal("nothing was deleted", "use `--yes`"));
            }
        }
        let what = CategoryChange::Delete { depth: arguments.contents() };
        let call =
            CategoryCall { path: arguments.path.clone(), change: what, force: arguments.force() };
        self.call_and_print(TOOL, call, &arguments.answer, Printer::outcome)
    }
}
