//! What could be typed next, as far as the command line alone can say: it is read up to the cursor,
//! and the name of the next value says what kind of thing is wanted.

use clap::{Arg, Args, Command, CommandFactory};
use mere_core::item::ItemType;

use super::Arguments;

/// Shells ask this while somebody types. It prints one candidate per line, and nothing if there is
/// none.
#[derive(Args)]
#[command(after_help = "Examples:
  mere complete -- show tool      the names of all tools")]
pub(crate) struct CompleteArguments {
    /// The words before the cursor, without the name of the program
    #[arg(value_name = "WORD", trailing_var_arg = true, allow_hyphen_values = true)]
    pub(crate) words: Vec<String>,
}

/// The kind of thing that could be typed next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CompletionKind {
    /// The word for a type of items.
    ItemType,
    /// The name of an item of this type.
    Item(ItemType),
    /// Something that only the shell completes: a command, an option, a file.
    Other,
}

/// The command line up to the cursor.
struct TypedWords<'a> {
    command: Command,
    /// The names of the subcommands.
    path: Vec<&'a str>,
    values: Vec<&'a str>,
    /// The option whose value comes next.
    option: Option<Arg>,
}

impl CompletionKind {
    /// Finds what could follow these words.
    pub(crate) fn after(words: &[String]) -> Self {
        let typed = TypedWords::read(words);
        let positionals = typed.command.get_positionals().collect::<Vec<_>>();
        let next = positionals.get(typed.values.len()).or(positionals.last()).copied();
        let Some(wanted) = typed.option.as_ref().or(next) else { return Self::Other };
        let name = wanted.get_value_names().and_then(<[_]>::first).map(clap::builder::Str::as_str);
        let stated_type = || typed.values.first().and_then(|word| word.parse().ok());
        match name {
            Some("TYPE") => Self::ItemType,
            Some("TOOL") => Self::Item(ItemType::Tool),
            Some("ID") => stated_type().map_or(Self::Other, Self::Item),
            Some("TYPE ID|GLOB") => stated_type().map_or(Self::ItemType, Self::Item),
            _ if typed.path.first() == Some(&"memory") && wanted.get_id() == "path" => {
                Self::Item(ItemType::Memory)
            }
            _ => Self::Other,
        }
    }
}

impl<'a> TypedWords<'a> {
    fn read(words: &'a [String]) -> Self {
        let mut command = Arguments::command();
        command.build();
        let mut typed = Self { command, path: Vec::new(), values: Vec::new(), option: None };
        for word in words {
            typed.read_word(word);
        }
        typed
    }

    fn read_word(&mut self, word: &'a str) {
        if self.option.take().is_some() {
            return;
        }
        if word.starts_with('-') && word != "-" {
            self.option = self.find_option(word).filter(|_| !word.contains('=')).cloned();
            return;
        }
        let below = if self.values.is_empty() { self.command.find_subcommand(word) } else { None };
        match below.cloned() {
            Some(command) => {
                self.command = command;
                self.path.push(word);
            }
            None => self.values.push(word),
        }
    }

    /// Finds an option that takes a value.
    fn find_option(&self, word: &str) -> Option<&Arg> {
        let is_it = |arg: &&Arg| {
            let long = arg.get_long().is_some_and(|long| word == format!("--{long}"));
            let short = arg.get_short().is_some_and(|short| word == format!("-{short}"));
            (long || short) && arg.get_action().takes_values()
        };
        self.command.get_arguments().find(is_it)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_next_follows_from_what_was_typed() {
        use CompletionKind::{Item, ItemType as Types, Other};
        let check = |line: &str, expected: CompletionKind| {
            let words = line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
            assert_eq!(CompletionKind::after(&words), expected, "{line}");
        };
        check("", Other);
        check("show", Types);
        check("show tool", Item(ItemType::Tool));
        check("show skill", Item(ItemType::Directive));
        check("-C elsewhere show --scope user notes", Item(ItemType::Knowledge));
        check("show --scope", Other);
        check("show --json tool", Item(ItemType::Tool));
        check("show nonsense", Other);
        check("list", Types);
        check("run", Item(ItemType::Tool));
        check("run hello --param", Other);
        check("chain", Item(ItemType::Tool));
        check("sign", Types);
        check("sign tool", Item(ItemType::Tool));
        check("verify tool a", Item(ItemType::Tool));
        check("memory get", Item(ItemType::Memory));
        check("rename tool a", Other);
        check("trust item", Types);
        check("trust item tool", Item(ItemType::Tool));
        check("read", Other);
        check("no-such-command", Other);
    }
}
