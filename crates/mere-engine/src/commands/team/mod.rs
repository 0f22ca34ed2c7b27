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
mod show;
mod sign;

use mere_core::reply::Draft;
use mere_core::request::TeamCommand;

use super::ItemCall;
use crate::error::tool_error::ToolError;

pub(super) use join::join;

/// Executes a `mere team` command.
pub(super) fn execute_team_command(
    desk: &ItemCall<'_>,
    asked: &TeamCommand,
) -> Result<Draft, ToolError> {
    match asked {
        TeamCommand::Init(asked) => init::init(desk, asked),
        TeamCommand::Add(asked) => change::add_member(desk, asked),
        TeamCommand::Threshold(threshold) => change::set_threshold(desk, *threshold),
        TeamCommand::Require(kinds) => change::set_required(desk, kinds),
        TeamCommand::PreviewRemoval { member } => remove::preview_removal(desk, member),
        TeamCommand::Remove { member, countersign } => {
            remove::remove_member(desk, member, countersign)
        }
        TeamCommand::Sign { shown_digest: None } => sign::plan_signing(desk),
        TeamCommand::Sign { shown_digest: Some(shown) } => sign::sign_shown(desk, *shown),
        TeamCommand::Restore => restore::restore_roster(desk),
        TeamCommand::Show => show::show_team(desk),
    }
}
