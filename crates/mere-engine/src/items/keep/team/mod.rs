//! `mere team` and `mere join`: who signs in a space, and whether that counts for the user.
//!
//! A change makes a new roster, one serial higher, from the one that counts for whoever makes it. It
//! counts for others when enough admins have signed it; until then the one before holds.

mod change;
mod fault;
mod init;
mod join;
mod published;
mod remove;
mod restore;
mod show;
mod sign;

use mere_core::reply::Draft;
use mere_core::request::TeamCommand;

use super::Desk;
use crate::tool_error::ToolError;

pub(crate) use fault::TeamFault;
pub(super) use join::join;

/// Does what a person asks for.
pub(super) fn team(desk: &Desk<'_>, asked: &TeamCommand) -> Result<Draft, ToolError> {
    match asked {
        TeamCommand::Init(asked) => init::init(desk, asked),
        TeamCommand::Add(asked) => change::add(desk, asked),
        TeamCommand::Threshold(threshold) => change::threshold(desk, *threshold),
        TeamCommand::Require(kinds) => change::require(desk, kinds),
        TeamCommand::PreviewRemoval { member } => remove::leaving(desk, member),
        TeamCommand::Remove { member, countersign } => remove::remove(desk, member, countersign),
        TeamCommand::Sign { shown_digest: None } => sign::plan(desk),
        TeamCommand::Sign { shown_digest: Some(shown) } => sign::sign(desk, *shown),
        TeamCommand::Restore => restore::restore(desk),
        TeamCommand::Show => show::show(desk),
    }
}
