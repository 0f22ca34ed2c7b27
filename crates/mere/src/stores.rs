//! `mere store`: the stores of memories, and a new one, asked for at a terminal.

use std::io;
use std::process::ExitCode;

use clap::ValueEnum;
use mere_core::item::Scope;
use mere_core::name::{ModName, NameError};
use mere_core::request::{NewStore, PersonCommand, StoreCommand, Verb};

use crate::arguments::{
    InitStoreArguments, ModeArgument, PlaceArguments, SessionArguments, StoreArguments,
    StoreCommandArguments, StoreTemplateArgument,
};
use crate::items::{Desk, at_desk};
use crate::paper::Paper;
use crate::render;

const TOOL: &str = "store";

/// Runs the command.
pub(crate) fn run(place: PlaceArguments, asked: StoreArguments) -> io::Result<ExitCode> {
    let store = match &asked.what {
        StoreCommandArguments::Reindex { store, .. } => store.clone(),
        _ => None,
    };
    at_desk(place, &SessionArguments::of_store(store), |desk| match asked.what {
        StoreCommandArguments::Init(asked) => desk.init_store(asked),
        StoreCommandArguments::List(answer) => {
            desk.answer(TOOL, Verb::Stores, &answer, Paper::stores)
        }
        StoreCommandArguments::Sync(answer) => {
            desk.keep(TOOL, PersonCommand::Store(StoreCommand::Sync), &answer, Paper::store_made)
        }
        StoreCommandArguments::Reindex { answer, .. } => {
            desk.keep(TOOL, PersonCommand::Store(StoreCommand::Reindex), &answer, Paper::reindexed)
        }
    })
}

impl Desk {
    fn init_store(&self, asked: InitStoreArguments) -> io::Result<ExitCode> {
        let is_asked = render::at_terminal() && !asked.answer.json;
        let asking = if is_asked { Asking::Yes } else { Asking::No };
        let usual = if asked.user { personal() } else { ModName::default_store() };
        let Some(name) = asking.name(asked.name, usual)? else { return Ok(given_up()) };
        let Some(template) = asking.template(asked.template)? else { return Ok(given_up()) };
        let mode = match asking.mode(asked.mode)? {
            Said::This(mode) => Some(mode.into()),
            Said::Nothing => None,
            Said::GivenUp => return Ok(given_up()),
        };
        let store = NewStore {
            name,
            scope: if asked.user { Scope::User } else { Scope::Project },
            path: asked.path,
            template: template.into(),
            mode,
        };
        let init = PersonCommand::Store(StoreCommand::Init(store));
        self.keep(TOOL, init, &asked.answer, Paper::store_made)
    }
}

/// What a person's own store is called if they do not say: projects have a `memory`, and a name
/// counts once.
fn personal() -> ModName {
    ModName::from_title("personal").unwrap_or_else(ModName::default_store)
}

fn given_up() -> ExitCode {
    render::failure("no store was made", render::REFUSED)
}

/// Whether a person is asked for what was not said.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asking {
    Yes,
    No,
}

/// What a person says to a question.
#[derive(Debug, PartialEq, Eq)]
enum Said<T> {
    This(T),
    /// The default will do.
    Nothing,
    /// There is nothing more to read.
    GivenUp,
}

impl<T> Said<T> {
    fn or(self, default: T) -> Option<T> {
        match self {
            Self::This(said) => Some(said),
            Self::Nothing => Some(default),
            Self::GivenUp => None,
        }
    }
}

impl Asking {
    fn name(self, said: Option<ModName>, usual: ModName) -> io::Result<Option<ModName>> {
        let parse = |text: &str| text.parse().map_err(|error: NameError| error.to_string());
        let question = format!("Name [{usual}]:");
        Ok(self.of(said, &question, parse)?.or(usual))
    }

    fn template(
        self,
        said: Option<StoreTemplateArgument>,
    ) -> io::Result<Option<StoreTemplateArgument>> {
        let question = "Template: blank, project or team [project]:";
        Ok(self.of(said, question, one_of)?.or(StoreTemplateArgument::Project))
    }

    fn mode(self, said: Option<ModeArgument>) -> io::Result<Said<ModeArgument>> {
        self.of(said, "Mode: free, subcategories or strict [as the template says]:", one_of)
    }

    /// What was said before, or is said now.
    fn of<T>(
        self,
        said: Option<T>,
        question: &str,
        parse: impl Fn(&str) -> Result<T, String>,
    ) -> io::Result<Said<T>> {
        match said {
            Some(said) => return Ok(Said::This(said)),
            None if self == Self::No => return Ok(Said::Nothing),
            None => {}
        }
        loop {
            let Some(line) = render::ask_line(question)? else { return Ok(Said::GivenUp) };
            if line.is_empty() {
                return Ok(Said::Nothing);
            }
            match parse(&line) {
                Ok(said) => return Ok(Said::This(said)),
                Err(error) => render::note(&error),
            }
        }
    }
}

/// One of the words that an argument takes.
fn one_of<T: ValueEnum>(text: &str) -> Result<T, String> {
    T::from_str(text, true).map_err(|_| {
        let names = T::value_variants().iter().filter_map(ValueEnum::to_possible_value);
        let names = names.map(|value| value.get_name().to_owned()).collect::<Vec<_>>();
        format!("that is none of {}", names.join(", "))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_is_one_of_those_that_the_argument_takes() {
        assert_eq!(one_of("Team"), Ok(StoreTemplateArgument::Team));
        assert_eq!(one_of("strict"), Ok(ModeArgument::Strict));
        let wrong = one_of::<ModeArgument>("loose");
        assert_eq!(wrong, Err("that is none of free, subcategories, strict".to_owned()));
    }

    #[test]
    fn where_nobody_is_asked_defaults_hold() {
        assert_eq!(Asking::No.name(None, personal()).expect("no terminal"), Some(personal()));
        let template = Asking::No.template(None).expect("no terminal");
        assert_eq!(template, Some(StoreTemplateArgument::Project));
        assert_eq!(Asking::No.mode(None).expect("no terminal"), Said::Nothing);
    }
}
