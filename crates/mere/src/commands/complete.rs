//! `mere complete`: what a shell asks while somebody types. Whatever goes wrong, it prints nothing,
//! because nobody reads it.

use std::io;
use std::process::ExitCode;

use mere_core::item::ItemType;
use mere_core::reply::ReplyType;
use mere_core::request::{ItemCommand, ListItems};

use crate::arguments::{CompleteArguments, CompletionKind, LocationArguments};
use crate::commands::person_session::{PersonSession, with_default_session};
use crate::print::items::ItemNames;
use crate::print::reply::ReplyView;
use crate::print::terminal;

/// Prints the candidates for the word after the given ones.
pub(crate) fn run(
    location: LocationArguments,
    arguments: &CompleteArguments,
) -> io::Result<ExitCode> {
    match CompletionKind::after(&arguments.words) {
        CompletionKind::Other => Ok(ExitCode::SUCCESS),
        CompletionKind::ItemType => {
            ItemType::ALL.iter().try_for_each(|kind| terminal::print_line(kind.name()))?;
            Ok(ExitCode::SUCCESS)
        }
        CompletionKind::Item(kind) => {
            with_default_session(location, |session| session.print_names(kind))
        }
    }
}

impl PersonSession {
    fn print_names(&self, kind: ItemType) -> io::Result<ExitCode> {
        let list = ListItems { kind: Some(kind), scope: None, category: None };
        let reply = self.call("list", ItemCommand::List(list));
        if reply.reply_type() == ReplyType::Success {
            let names = ReplyView::<ItemNames>::read(&reply)?.data.sorted();
            names.iter().try_for_each(|name| terminal::print_line(name))?;
        }
        Ok(ExitCode::SUCCESS)
    }
}
