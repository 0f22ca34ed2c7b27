//! The arguments of `mere runs`.
//!
//! They are only turned into requests here.

use clap::{Args, Subcommand};
use mere_core::request::{ReceiptCommand, ReceiptScope};
use mere_core::trust::ReceiptId;

use super::AnswerArguments;

/// Every run of a tool, and every refusal to run one, leaves a receipt on this machine, in a chain
/// that a key of this machine signs.
#[derive(Args)]
#[command(
    args_conflicts_with_subcommands = true,
    after_help = "Examples:
  mere runs                     the last runs in this project
  mere runs --all --limit 100   the last hundred, wherever they were
  mere runs show ID             one of them, with its inputs
  mere runs verify              was a receipt edited, dropped or reordered?
  mere runs export --jsonl      all of them, for other programs; without inputs
  mere runs replay ID           run the same tool on the same inputs again"
)]
pub(crate) struct RunsArguments {
    #[command(subcommand)]
    pub(crate) what: Option<RunsCommandArguments>,
    #[command(flatten)]
    pub(crate) list: ListRunsArguments,
}

#[derive(Args)]
pub(crate) struct ListRunsArguments {
    /// Runs in any folder, not only in this project
    #[arg(long)]
    all: bool,
    /// How many at most
    #[arg(long, value_name = "N", default_value = "20", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    limit: u16,
    /// Only those before this one
    #[arg(long, value_name = "ID")]
    before: Option<ReceiptId>,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

impl ListRunsArguments {
    pub(crate) fn to_request(&self) -> ReceiptCommand {
        let scope = if self.all { ReceiptScope::Everywhere } else { ReceiptScope::Project };
        ReceiptCommand::List { scope, limit: usize::from(self.limit), before: self.before }
    }
}

#[derive(Subcommand)]
pub(crate) enum RunsCommandArguments {
    /// Show one receipt, and the inputs that are kept with it
    Show(ReceiptArguments),
    /// Check that no receipt was edited, dropped or reordered; exit status 4 if one was
    Verify(AnswerArguments),
    /// Print all receipts as they are stored and signed, without inputs
    Export(ExportRunsArguments),
    /// Run the same tool on the same inputs again, and compare the outputs
    ///
    /// The tool and everything that it runs on must be what they were. It runs in your own
    /// workspace, as `mere run` does.
    #[command(after_help = "Exit status: 1 if the outputs differ")]
    Replay(ReceiptArguments),
}

#[derive(Args)]
pub(crate) struct ReceiptArguments {
    /// The receipt, as `mere runs` lists it
    #[arg(value_name = "ID")]
    pub(crate) receipt: ReceiptId,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}

#[derive(Args)]
pub(crate) struct ExportRunsArguments {
    /// One JSON object on each line, the only format so far
    #[arg(long, required = true)]
    jsonl: bool,
}
