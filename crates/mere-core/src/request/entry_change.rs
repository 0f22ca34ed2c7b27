//! The arguments of the tools that rearrange the workspace: `delete`, `move` and `mkdir`.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CallError, EXPECT_SHA256, FileVerb, HOME, RUN, Verb};
use crate::address::Spoken;
use crate::digest::ShownDigest;

pub(super) const DELETE_ABOUT: &str = "Delete a file of your workspace, or a directory with all in \
    it if its path ends in `/`.";
pub(super) const MOVE_ABOUT: &str =
    "Move or rename a file or directory within your workspace. Nothing is replaced.";
pub(super) const MAKE_ABOUT: &str =
    "Make a directory in your workspace, with those above it that are missing.";

const fn path_parameter(name: &'static str, about: &'static str) -> Parameter {
    Parameter { name, kind: ParameterKind::Text, need: Need::Required, about }
}

pub(super) const DELETE: &[Parameter] =
    &[path_parameter("path", "Such as ROOT_WORKSPACE:/old.md."), EXPECT_SHA256, HOME, RUN];
pub(super) const MOVE: &[Parameter] = &[
    path_parameter("from", "What to move."),
    path_parameter("to", "Its new path, with its name."),
    EXPECT_SHA256,
    HOME,
    RUN,
];
pub(super) const MAKE: &[Parameter] =
    &[path_parameter("path", "Such as ROOT_WORKSPACE:/notes/."), HOME, RUN];

/// One call that rearranges the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EntryChange {
    /// Deletes a file, or a directory with all in it.
    Delete {
        /// The file or directory.
        path: Spoken,
        /// The digest that the file must have.
        expect: Option<ShownDigest>,
    },
    /// Gives a file or directory another path.
    Move {
        /// The present path.
        from: Spoken,
        /// The new path.
        to: Spoken,
        /// The digest that the file must have.
        expect: Option<ShownDigest>,
    },
    /// Makes a directory.
    MakeDirectory {
        /// The directory.
        path: Spoken,
    },
}

pub(super) fn parse_delete(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let (path, expect) = (arguments.path("path")?, arguments.digest("expect_sha256")?);
    Ok(Verb::Files(FileVerb::Rearrange(EntryChange::Delete { path, expect })))
}

pub(super) fn parse_move(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let (from, to) = (arguments.path("from")?, arguments.path("to")?);
    let expect = arguments.digest("expect_sha256")?;
    Ok(Verb::Files(FileVerb::Rearrange(EntryChange::Move { from, to, expect })))
}

pub(super) fn parse_make(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let path = arguments.path("path")?;
    Ok(Verb::Files(FileVerb::Rearrange(EntryChange::MakeDirectory { path })))
}
