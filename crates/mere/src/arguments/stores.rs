//! The arguments of `mere store`.
//!
//! What is left out may be asked for later, so most of them are optional.

use clap::{Args, Subcommand, ValueEnum};
use mere_core::address::{ModName, RelPath};
use mere_core::category::CategoryMode;
use mere_core::item::MemoryPath;
use mere_core::request::StoreTemplate;

use super::AnswerArguments;

/// Commands for stores.
#[derive(Args)]
#[command(after_help = "Examples:
  mere store init                        asks, and writes it to config.yaml
  mere store list
  mere store sync                        after config.yaml was changed by hand")]
pub(crate) struct StoreArguments {
    #[command(subcommand)]
    pub(crate) what: StoreCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum StoreCommandArguments {
    /// Add a store to config.yaml, and create its categories
    ///
    /// At a terminal it asks for what you leave out.
    Init(InitStoreArguments),
    /// List the stores, their modes, and the categories named in config.yaml
    #[command(after_help = "Examples:
  mere store list
  mere store list --json")]
    List(AnswerArguments),
    /// Create the categories named in config.yaml
    #[command(after_help = "Example:
  mere store sync")]
    Sync(AnswerArguments),
    /// Make a memory or a category of a file or a folder with a name that neither can have
    ///
    /// `mere doctor` names them. The rules of the store apply, as they do to a new category or
    /// memory. Nothing is overwritten.
    Rename(RenameStrayArguments),
    /// Read every memory again, and report what is wrong with any of them
    #[command(after_help = "Examples:
  mere store reindex
  mere store reindex --store notes")]
    Reindex {
        /// The memory store [default: `settings.defaultStore`, else the first]
        #[arg(long, value_name = "NAME")]
        store: Option<ModName>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
}

/// The arguments for a file or a folder to rename.
#[derive(Args)]
#[command(after_help = "Examples:
  mere store rename 'Meeting Notes' meeting-notes
  mere store rename 'todo/Big Plan.md' todo/big-plan")]
pub(crate) struct RenameStrayArguments {
    /// The file or the folder, by its path from the folder of the store
    pub(crate) from: RelPath,
    /// The memory or the category that it becomes
    pub(crate) to: MemoryPath,
    /// Rename it even if the store's mode forbids a new category; only at a terminal
    #[arg(long)]
    pub(crate) force: bool,
    /// The memory store [default: `settings.defaultStore`, else the first]
    #[arg(long, value_name = "NAME")]
    pub(crate) store: Option<ModName>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The arguments for a store to create.
#[derive(Args)]
#[command(after_help = "Examples:
  mere store init
  mere store init cortex --template team
  mere store init notes --template blank --mode free --user")]
pub(crate) struct InitStoreArguments {
    /// The name of the store [default: memory, or personal with --user]
    pub(crate) name: Option<ModName>,
    /// Which categories to start with [default: project]
    #[arg(long, value_enum)]
    pub(crate) template: Option<StoreTemplateArgument>,
    /// Who may create and delete categories [default: as the template says]
    #[arg(long, value_enum)]
    pub(crate) mode: Option<ModeArgument>,
    /// Its folder, as written to config.yaml: relative to the .ai folder, absolute, or with ~
    /// [default: ./memory, or ./NAME if another store is there]
    #[arg(long)]
    pub(crate) path: Option<String>,
    /// Add it to your own config.yaml instead of the project's
    #[arg(long)]
    pub(crate) user: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

/// The categories and the mode that a store starts with.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum StoreTemplateArgument {
    /// No categories; free
    Blank,
    /// standards, decisions, todo; subcategories
    Project,
    /// standards with architecture and testing, decisions, runbooks, onboarding, todo; strict
    Team,
}

impl From<StoreTemplateArgument> for StoreTemplate {
    fn from(template: StoreTemplateArgument) -> Self {
        match template {
            StoreTemplateArgument::Blank => Self::Blank,
            StoreTemplateArgument::Project => Self::Project,
            StoreTemplateArgument::Team => Self::Team,
        }
    }
}

/// How strict the categories of a store are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ModeArgument {
    /// Any category may be created and deleted
    Free,
    /// Only categories below the top ones may be created and deleted
    Subcategories,
    /// No category may be created or deleted
    Strict,
}

impl From<ModeArgument> for CategoryMode {
    fn from(mode: ModeArgument) -> Self {
        match mode {
            ModeArgument::Free => Self::Free,
            ModeArgument::Subcategories => Self::Subcategories,
            ModeArgument::Strict => Self::Strict,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arguments::{Arguments, Command, MemorySubcommand};
    use clap::Parser;
    use clap::error::ErrorKind;

    fn parse(words: &[&str]) -> Result<StoreCommandArguments, ErrorKind> {
        let parsed = Arguments::try_parse_from(["mere", "store"].iter().chain(words));
        match parsed.map(|arguments| arguments.command) {
            Ok(Command::Memory(MemorySubcommand::Store(arguments))) => Ok(arguments.what),
            Ok(_) => panic!("another command"),
            Err(error) => Err(error.kind()),
        }
    }

    #[test]
    fn a_store_is_made_of_what_is_said() {
        let words =
            ["init", "cortex", "--template", "team", "--mode", "free", "--path", "../memory"];
        let Ok(StoreCommandArguments::Init(arguments)) = parse(&words) else {
            panic!("another command")
        };
        assert_eq!(arguments.name.as_ref().map(ModName::as_str), Some("cortex"));
        assert_eq!(arguments.template.map(StoreTemplate::from), Some(StoreTemplate::Team));
        assert_eq!(arguments.mode.map(CategoryMode::from), Some(CategoryMode::Free));
        assert_eq!((arguments.path.as_deref(), arguments.user), (Some("../memory"), false));
    }

    #[test]
    fn words_that_mean_nothing_are_refused() {
        assert_eq!(parse(&["init", "a/b"]).err(), Some(ErrorKind::ValueValidation));
        assert_eq!(parse(&["init", "--mode", "loose"]).err(), Some(ErrorKind::InvalidValue));
        assert_eq!(parse(&["sync", "--store", "a"]).err(), Some(ErrorKind::UnknownArgument));
        assert!(parse(&["reindex", "--store", "a"]).is_ok());
    }
}
