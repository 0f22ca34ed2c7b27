//! `mere category`: what a person does with the categories of a store. The store's rules decide
//! what is permitted.

use std::io;
use std::process::ExitCode;

use mere_core::category::{DeletableContents, Force};
use mere_core::reply::ReplyType;
use mere_core::request::{
    CategoryCall, CategoryChange, ExpiredMemories, ListMemories, MemoryCall, PersonCommand,
    StoreCommand, Verb,
};

use crate::arguments::{
    CategoryArguments, CategoryCommandArguments, CreateCategoryArguments, DeleteCategoryArguments,
    LocationArguments, SessionArguments,
};
use crate::commands::items::{PersonSession, with_session};
use crate::commands::memories::count_listed;
use crate::commands::team::report_refusal;
use crate::print::Printer;
use crate::print::terminal;

const TOOL: &str = "category";
/// How many memories are counted at most before a category is deleted with them.
const MAX_COUNTED: usize = 10_000;

/// Runs the command.
pub(crate) fn run(place: LocationArguments, asked: CategoryArguments) -> io::Result<ExitCode> {
    let is_forced = match &asked.what {
        CategoryCommandArguments::Create(asked) => asked.force,
        CategoryCommandArguments::Delete(asked) => asked.force,
        _ => false,
    };
    if is_forced && !terminal::is_interactive() {
        let words = "`--force` works only at a terminal: standard input and standard output must \
            both be one";
        return Ok(terminal::print_failure(words, terminal::USAGE));
    }
    let session = SessionArguments::for_store(asked.store);
    with_session(place, &session, |desk| desk.run_category(asked.what))
}

impl PersonSession {
    fn run_category(&self, asked: CategoryCommandArguments) -> io::Result<ExitCode> {
        match asked {
            CategoryCommandArguments::Create(asked) => self.create_category(asked),
            CategoryCommandArguments::Delete(asked) => self.delete_category(&asked),
            CategoryCommandArguments::Describe { path, description, answer } => {
                let what = CategoryChange::Describe { description };
                let call = CategoryCall { path, change: what, force: Force::No };
                self.call_and_print(TOOL, Verb::Category(call), &answer, Printer::outcome)
            }
            CategoryCommandArguments::Define { path, description, answer } => {
                let define = StoreCommand::Define { path, description };
                self.run_command(TOOL, PersonCommand::Store(define), &answer, Printer::outcome)
            }
            CategoryCommandArguments::Undefine { path, answer } => {
                let undefine = StoreCommand::Undefine { path };
                self.run_command(TOOL, PersonCommand::Store(undefine), &answer, Printer::outcome)
            }
            CategoryCommandArguments::List { category, answer } => {
                let category = category.unwrap_or_default();
                let list = ListMemories { category, limit: 1, ..ListMemories::default() };
                let reply = self.call(TOOL, Verb::Memory(MemoryCall::List(list)));
                if reply.reply_type() != ReplyType::Success || answer.json {
                    return self.print_reply(&reply, &answer, Printer::categories);
                }
                // The hint about the next page is for agents, not for people.
                let paper = Printer::new(answer.color, self.session.working_address().cloned());
                terminal::print_text(&paper.categories(&reply.to_value()))
                    .map(|()| ExitCode::SUCCESS)
            }
        }
    }

    fn create_category(&self, asked: CreateCategoryArguments) -> io::Result<ExitCode> {
        let what = CategoryChange::Create { description: asked.description };
        let call = CategoryCall { path: asked.path, change: what, force: force(asked.force) };
        self.call_and_print(TOOL, Verb::Category(call), &asked.answer, Printer::outcome)
    }

    /// Says what would be deleted, asks, and deletes it.
    fn delete_category(&self, asked: &DeleteCategoryArguments) -> io::Result<ExitCode> {
        if !asked.yes {
            let mut question = format!("Delete the category `{}`?", asked.path);
            if asked.recursive {
                let (category, expired) = (asked.path.clone(), ExpiredMemories::Included);
                let list = ListMemories { category, expired, ..ListMemories::default() };
                let count = match self.collect_pages(list, MAX_COUNTED) {
                    Ok(reply) => count_listed(&reply),
                    Err(reply) => return self.print_reply(&reply, &asked.answer, Printer::outcome),
                };
                let memories = format_count(count);
                question = format!(
                    "Delete the category `{}` and everything in it ({memories})?",
                    asked.path
                );
            }
            if !terminal::can_ask() || !terminal::ask_yes_or_no(&question)? {
                return Ok(report_refusal("nothing was deleted", "use `--yes`"));
            }
        }
        let depth = if asked.recursive {
            DeletableContents::Everything
        } else {
            DeletableContents::Nothing
        };
        let what = CategoryChange::Delete { depth };
        let call =
            CategoryCall { path: asked.path.clone(), change: what, force: force(asked.force) };
        self.call_and_print(TOOL, Verb::Category(call), &asked.answer, Printer::outcome)
    }
}

fn format_count(count: usize) -> String {
    match count {
        1 => "1 memory".to_owned(),
        MAX_COUNTED => format!("at least {MAX_COUNTED} memories"),
        _ => format!("{count} memories"),
    }
}

fn force(asked: bool) -> Force {
    if asked { Force::Mode } else { Force::No }
}
