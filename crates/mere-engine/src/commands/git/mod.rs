//! What git is told about a project: which bytes it keeps, and how it merges what is signed.

pub(super) mod attributes;
mod merge;
mod setup;

use mere_core::reply::Draft;
use mere_core::request::GitCommand;

use super::CommandCall;
use crate::error::tool_error::ToolError;
pub use merge::{MergeReport, merge_versions};
pub(super) use setup::{find_missing_setup, install_merge_driver};

/// Executes a person's command about git.
pub(super) fn execute_git_command(
    call: &CommandCall<'_>,
    command: GitCommand,
) -> Result<Draft, ToolError> {
    match command {
        GitCommand::Setup => setup::set_up(call),
    }
}
