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

/// Search indexes, approvals, grants and receipts are removed. With `--all`, so are models, registry
/// data, your keys, secrets and your own items; a person at a terminal has to confirm that. The
/// spaces of your projects and the program itself stay.
#[derive(Args)]
#[command(after_help = "Examples:
  mere uninstall --dry-run     name the folders
  mere uninstall               remove caches and state
  mere uninstall --all         remove keys and your own space too")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
pub(crate) struct UninstallArguments {
    /// Name the folders, and remove nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Remove data, keys and your own space too; only at a terminal
    #[arg(long)]
    pub(crate) all: bool,
    /// Do not ask; not with `--all`
    #[arg(long, conflicts_with = "all")]
    pub(crate) yes: bool,
    /// Print the reply as JSON
    #[arg(long)]
    pub(crate) json: bool,
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
