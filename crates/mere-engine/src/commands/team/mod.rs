//! `mere team` and `mere join`: who may sign in a space, and whether that is in force for the user.
//!
//! A change makes a new roster with the next serial, from the roster in force for whoever makes it.
//! It takes effect for others once enough admins have signed it; until then the previous one
//! applies.

mod change;
mod init;
mod join;
mod publish;
mod remove;
mod restore;
mod rotate;
mod show;
mod sign;

use mere_core::reply::Draft;
use mere_core::request::TeamCommand;

use crate::commands::CommandCall;
use crate::error::tool_error::ToolError;

pub(super) use join::join;

/// Executes a `mere team` command.
pub(super) fn execute_team_command(
    call: &CommandCall<'_>,
    command: &TeamCommand,
) -> Result<Draft, ToolError> {
    match command {
        TeamCommand::Init(command) => init::init(call.change, command),
        TeamCommand::Add(command) => change::add_member(call.change, command),
        TeamCommand::Threshold(threshold) => change::set_threshold(call.change, *threshold),
        TeamCommand::Require(kinds) => change::set_required(call.change, kinds),
        TeamCommand::PreviewRemoval { member } => remove::preview_removal(call, member),
        TeamCommand::Remove { member, countersign } => {
            remove::remove_member(call.change, member, countersign)
        }
        TeamCommand::Sign { shown_digest: None } => sign::plan_signing(call.change),
        TeamCommand::Sign { shown_digest: Some(shown) } => sign::sign_shown(call.change, *shown),
        TeamCommand::Rotate { proof } => rotate::rotate_key(call.change, proof),
        TeamCommand::Restore => restore::restore_roster(call.change),
        TeamCommand::Show => show::show_team(call.change),
    }
}
