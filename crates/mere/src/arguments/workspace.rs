//! The arguments of `mere workspace`.
//!
//! They are only turned into requests here.

use clap::{Args, Subcommand};
use mere_core::address::AgentName;

use super::AnswerArguments;

/// Each agent has a workspace, the only folder in which it may write: .ai/workspaces/NAME.
#[derive(Args)]
pub(crate) struct WorkspaceArguments {
    #[command(subcommand)]
    pub(crate) what: WorkspaceCommandArguments,
}

#[derive(Subcommand)]
pub(crate) enum WorkspaceCommandArguments {
    /// List the workspaces, what they hold and what they may hold
    #[command(after_help = "Example:
  mere workspace list --json")]
    List(AnswerArguments),
    /// Delete what is in the workspaces, after asking
    ///
    /// Proposals stay: decide on them with `mere review`.
    #[command(after_help = "Examples:
  mere workspace clean --dry-run           what would be deleted
  mere workspace clean --agent claude      only that agent's
  mere workspace clean --yes               without asking")]
    Clean(CleanArguments),
}

#[derive(Args)]
pub(crate) struct CleanArguments {
    /// Only the workspace of this agent
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<AgentName>,
    /// Only show what would be deleted
    #[arg(long)]
    pub(crate) dry_run: bool,
    /// Answer yes to all questions
    #[arg(long, short, conflicts_with = "dry_run")]
    pub(crate) yes: bool,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
}
