//! What a person does with the agents' workspaces.

use super::DryRun;
use crate::address::AgentName;

/// One command about workspaces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkspaceCommand {
    /// Lists the workspaces, and what they hold.
    List,
    /// Deletes what is in the workspaces.
    Clean {
        /// The agent whose workspace is meant, or `None` for all of them.
        agent: Option<AgentName>,
        /// Whether it is done or only reported.
        dry_run: DryRun,
    },
}
