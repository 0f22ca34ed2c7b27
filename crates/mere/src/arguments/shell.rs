//! The arguments of the commands that help a shell and its user: completions and manual pages.

use clap::Args;
use clap_complete::Shell;

/// Writes a script that completes commands and options. Load it in your shell's start-up file.
#[derive(Args)]
#[command(after_help = "Examples:
  source <(mere completions bash)                    in ~/.bashrc
  mere completions zsh > ~/.zfunc/_mere              in a folder of fpath
  mere completions fish > ~/.config/fish/completions/mere.fish")]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: Shell,
}

/// The page is printed in the format of `man`.
#[derive(Args)]
#[command(after_help = "Examples:
  mere man | man -l -
  mere man sign > mere-sign.1")]
pub(crate) struct ManArguments {
    /// The command, such as `sign` or `team add` [default: `mere` itself]
    #[arg(value_name = "COMMAND")]
    pub(crate) command: Vec<String>,
}
