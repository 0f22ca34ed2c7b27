//! The arguments of `mere secret`.
//!
//! No value is ever an argument, because other processes can see the command line.

use clap::{Args, Subcommand};
use mere_core::item::SecretName;

use super::AnswerArguments;

/// Secrets are kept on this machine, in a file that only you can read. A tool is given one only if its
/// manifest asks for it and you granted it; it is removed from what the tool prints.
#[derive(Args)]
#[command(after_help = "Examples:
  mere secret set API_KEY                                  type it, unseen
  mere secret set API_KEY < key.txt
  mere secret set API_KEY --from-command 'pass show api'   ask a password manager each time
  mere secret list
  mere secret remove API_KEY")]
pub(crate) struct SecretArguments {
    #[command(subcommand)]
    pub(crate) what: SecretCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum SecretCommandArguments {
    /// Keep a secret; its value comes from the terminal or from standard input
    #[command(after_help = "Example:
  mere secret set API_KEY < key.txt")]
    Set {
        /// Its name, such as `API_KEY`
        name: SecretName,
        /// A shell command that prints the value whenever it is needed
        #[arg(long, value_name = "CMD")]
        from_command: Option<String>,
        #[command(flatten)]
        answer: AnswerArguments,
    },
    /// List the names of your secrets
    #[command(after_help = "Example:
  mere secret list")]
    List(AnswerArguments),
    /// Forget a secret
    #[command(after_help = "Example:
  mere secret remove API_KEY")]
    Remove {
        /// Its name
        name: SecretName,
        #[command(flatten)]
        answer: AnswerArguments,
    },
}
