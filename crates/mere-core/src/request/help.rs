//! The `help` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CallError, Verb};

pub(super) const ABOUT: &str = "How to use this server, and what each tool is for.";

/// The topics of the help.
pub const TOPICS: &[&str] = &["tools", "addresses", "items", "memories", "changes", "replies"];

pub(super) const PARAMETERS: &[Parameter] = &[Parameter {
    name: "topic",
    kind: ParameterKind::Choice(TOPICS),
    need: Need::Optional,
    about: "",
}];

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    Ok(Verb::Help { topic: arguments.choice("topic")? })
}
