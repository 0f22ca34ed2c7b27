//! `mere store`: lists the stores of memories, and creates new ones with questions at a terminal.
//!
//! Without a terminal nothing is asked, and the defaults hold.

use std::io;
use std::process::ExitCode;

use clap::ValueEnum;
use mere_core::address::{ModName, NameError};
use mere_core::item::Scope;
use mere_core::request::{NewStore, PersonCommand, StoreCommand, Verb};

use crate::arguments::{
    InitStoreArguments, LocationArguments, ModeArgument, SessionArguments, StoreArguments,
    StoreCommandArguments, StoreTemplateArgument,
};
use crate::commands::items::{PersonSession, with_session};
use crate::print::Printer;
use crate::print::terminal;

const TOOL: &str = "store";

/// Runs the command.
pub(crate) fn run(place: LocationArguments, asked: StoreArguments) -> io::Result<ExitCode> {
    let store = match &asked.what {
        StoreCommandArguments::Reindex { store, .. } => store.clone(),
        _ => None,
    };
    with_session(place, &SessionArguments::for_store(store), |desk| match asked.what {
        StoreCommandArguments::Init(asked) => desk.init_store(asked),
        StoreCommandArguments::List(answer) => {
            desk.call_and_print(TOOL, Verb::Stores, &answer, Printer::stores)
        }
        StoreCommandArguments::Sync(answer) => desk.run_command(
            TOOL,
            PersonCommand::Store(StoreCommand::Sync),
            &answer,
            Printer::new_store,
        ),
        StoreCommandArguments::Reindex { answer, .. } => desk.run_command(
            TOOL,
            PersonCommand::Store(StoreCommand::Reindex),
            &answer,
            Printer::reindex_result,
        ),
    })
}

impl PersonSession {
    fn init_store(&self, asked: InitStoreArguments) -> io::Result<ExitCode> {
        let is_asked = terminal::can_ask() && !asked.answer.json;
        let asking = if is_asked { Prompting::On } else { Prompting::Off };
        let usual = if asked.user { default_user_store() } else { ModName::default_store() };
        let Some(name) = asking.ask_name(asked.name, usual)? else { return Ok(report_given_up()) };
        let Some(template) = asking.ask_template(asked.template)? else {
            return Ok(report_given_up());
        };
        let mode = match asking.ask_mode(asked.mode)? {
            PromptAnswer::Value(mode) => Some(mode.into()),
            PromptAnswer::Default => None,
            PromptAnswer::EndOfInput => return Ok(report_given_up()),
        };
        let store = NewStore {
            name,
            scope: if asked.user { Scope::User } else { Scope::Project },
            path: asked.path,
            template: template.into(),
            mode,
        };
        let init = PersonCommand::Store(StoreCommand::Init(store));
        self.run_command(TOOL, init, &asked.answer, Printer::new_store)
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
            Self::Value(said) => Some(said),
            Self::Default => Some(default),
            Self::EndOfInput => None,
        }
    }
}

impl Prompting {
    fn ask_name(self, said: Option<ModName>, usual: ModName) -> io::Result<Option<ModName>> {
        let parse = |text: &str| text.parse().map_err(|error: NameError| error.to_string());
        let question = format!("Name [{usual}]:");
        Ok(self.ask(said, &question, parse)?.or(usual))
    }

    fn ask_template(
        self,
        said: Option<StoreTemplateArgument>,
    ) -> io::Result<Option<StoreTemplateArgument>> {
        let question = "Template: blank, project or team [project]:";
        Ok(self.ask(said, question, parse_value)?.or(StoreTemplateArgument::Project))
    }

    fn ask_mode(self, said: Option<ModeArgument>) -> io::Result<PromptAnswer<ModeArgument>> {
        self.ask(said, "Mode: free, subcategories or strict [from the template]:", parse_value)
    }

    /// Returns the value that was given, or asks for one until it can be parsed.
    fn ask<T>(
        self,
        said: Option<T>,
        question: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> io::Result<PromptAnswer<T>> {
        match said {
            Some(said) => return Ok(PromptAnswer::Value(said)),
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
                Ok(said) => return Ok(PromptAnswer::Value(said)),
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
