//! `mere store`: lists the stores of memories, and creates new ones with questions at a terminal.
//!
//! Without a terminal nothing is asked, and the defaults hold.

use std::io;
use std::process::ExitCode;

use clap::ValueEnum;
use mere_core::address::{ModName, NameError};
use mere_core::category::Force;
use mere_core::item::Scope;
use mere_core::request::{NewStore, StoreCommand, StoreVerb, StrayRename};

use crate::arguments::{
    InitStoreArguments, LocationArguments, ModeArgument, RenameStrayArguments, SessionArguments,
    StoreArguments, StoreCommandArguments, StoreTemplateArgument,
};
use crate::commands::person_session::{PersonSession, with_session};
use crate::print::{Printer, terminal};

const TOOL: &str = "store";

/// Runs the command.
pub(crate) fn run(location: LocationArguments, arguments: StoreArguments) -> io::Result<ExitCode> {
    let store = match &arguments.what {
        StoreCommandArguments::Reindex { store, .. } => store.clone(),
        StoreCommandArguments::Rename(arguments) => arguments.store.clone(),
        _ => None,
    };
    if let StoreCommandArguments::Rename(RenameStrayArguments { force: true, .. }) = arguments.what
        && !terminal::is_interactive()
    {
        return Ok(terminal::print_failure(terminal::FORCE_NEEDS_TERMINAL, terminal::USAGE));
    }
    with_session(location, &SessionArguments::for_store(store), |session| match arguments.what {
        StoreCommandArguments::Init(arguments) => session.init_store(arguments),
        StoreCommandArguments::List(answer) => {
            session.call_and_print(TOOL, StoreVerb::List, &answer, Printer::stores)
        }
        StoreCommandArguments::Sync(answer) => {
            session.call_and_print(TOOL, StoreCommand::Sync, &answer, Printer::store_sync)
        }
        StoreCommandArguments::Rename(arguments) => {
            let force = if arguments.force { Force::Mode } else { Force::No };
            let rename = StrayRename { from: arguments.from, to: arguments.to, force };
            let rename = StoreCommand::Rename(rename);
            session.call_and_print(TOOL, rename, &arguments.answer, Printer::outcome)
        }
        StoreCommandArguments::Reindex { answer, .. } => {
            session.call_and_print(TOOL, StoreCommand::Reindex, &answer, Printer::reindex_result)
        }
    })
}

impl PersonSession {
    fn init_store(&self, arguments: InitStoreArguments) -> io::Result<ExitCode> {
        // Whoever states anything gets the defaults for the rest.
        let is_bare = arguments.name.is_none()
            && arguments.template.is_none()
            && arguments.mode.is_none()
            && arguments.path.is_none();
        let is_asked = is_bare && terminal::can_ask() && !arguments.answer.json;
        let asking = if is_asked { Prompting::On } else { Prompting::Off };
        let usual = if arguments.user { default_user_store() } else { ModName::default_store() };
        let Some(name) = asking.ask_name(arguments.name, usual)? else {
            return Ok(report_given_up());
        };
        let Some(template) = asking.ask_template(arguments.template)? else {
            return Ok(report_given_up());
        };
        let mode = match asking.ask_mode(arguments.mode)? {
            PromptAnswer::Value(mode) => Some(mode.into()),
            PromptAnswer::Default => None,
            PromptAnswer::EndOfInput => return Ok(report_given_up()),
        };
        let store = NewStore {
            name,
            scope: if arguments.user { Scope::User } else { Scope::Project },
            path: arguments.path,
            template: template.into(),
            mode,
        };
        let init = StoreCommand::Init(store);
        self.call_and_print(TOOL, init, &arguments.answer, Printer::new_store)
    }
}

/// Returns the default name of a person's own store. It differs from the project's default,
/// `memory`, because a name counts only once.
fn default_user_store() -> ModName {
    ModName::from_title("personal").unwrap_or_else(ModName::default_store)
}

fn report_given_up() -> ExitCode {
    terminal::print_failure("no store was created", terminal::REFUSED)
}

/// Whether a person is asked for options that were not given.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Prompting {
    On,
    Off,
}

/// A person's answer to a prompt.
#[derive(Debug, PartialEq, Eq)]
enum PromptAnswer<T> {
    Value(T),
    /// The person accepts the default.
    Default,
    /// There is nothing more to read.
    EndOfInput,
}

impl<T> PromptAnswer<T> {
    fn or(self, default: T) -> Option<T> {
        match self {
            Self::Value(given) => Some(given),
            Self::Default => Some(default),
            Self::EndOfInput => None,
        }
    }
}

impl Prompting {
    fn ask_name(self, given: Option<ModName>, usual: ModName) -> io::Result<Option<ModName>> {
        let parse = |text: &str| text.parse().map_err(|error: NameError| error.to_string());
        let question = format!("Name [{usual}]:");
        Ok(self.ask(given, &question, parse)?.or(usual))
    }

    fn ask_template(
        self,
        given: Option<StoreTemplateArgument>,
    ) -> io::Result<Option<StoreTemplateArgument>> {
        let question = "Template: blank, project or team [project]:";
        Ok(self.ask(given, question, parse_value)?.or(StoreTemplateArgument::Project))
    }

    fn ask_mode(self, given: Option<ModeArgument>) -> io::Result<PromptAnswer<ModeArgument>> {
        self.ask(given, "Mode: free, subcategories or strict [from the template]:", parse_value)
    }

    /// Returns the value that was given, or asks for one until it can be parsed.
    fn ask<T>(
        self,
        given: Option<T>,
        question: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> io::Result<PromptAnswer<T>> {
        match given {
            Some(given) => return Ok(PromptAnswer::Value(given)),
            None if self == Self::Off => return Ok(PromptAnswer::Default),
            None => {}
        }
        loop {
            let Some(line) = terminal::ask_line(question)? else {
                return Ok(PromptAnswer::EndOfInput);
            };
            if line.is_empty() {
                return Ok(PromptAnswer::Default);
            }
            match parse(&line) {
                Ok(given) => return Ok(PromptAnswer::Value(given)),
                Err(error) => terminal::print_note(&error),
            }
        }
    }
}

/// Parses one of the values that an argument accepts.
fn parse_value<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, true).map_err(|_| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names = names.map(|value| value.get_name().to_owned()).collect::<Vec<_>>();
        format!("expected one of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_of_those_that_the_argument_takes() {
        assert_eq!(parse_value("Team"), Ok(StoreTemplateArgument::Team));
        assert_eq!(parse_value("strict"), Ok(ModeArgument::Strict));
        let wrong = parse_value::<ModeArgument>("loose");
        assert_eq!(wrong, Err("expected one of free, subcategories, strict".to_owned()));
    }

    #[test]
    fn where_nobody_is_asked_defaults_hold() {
        assert_eq!(
            Prompting::Off.ask_name(None, default_user_store()).expect("no terminal"),
            Some(default_user_store())
        );
        let template = Prompting::Off.ask_template(None).expect("no terminal");
        assert_eq!(template, Some(StoreTemplateArgument::Project));
        assert_eq!(Prompting::Off.ask_mode(None).expect("no terminal"), PromptAnswer::Default);
    }
}
