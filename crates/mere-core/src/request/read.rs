//! The `read` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CallError, FileVerb, HOME, Verb};
use crate::address::Spoken;

pub(super) const ABOUT: &str = "Read a text file, or get information about a binary one. Long \
    files come in parts: while `truncated` is true, continue with `offset` after `last`.";

/// The number of lines that are returned unless the caller says otherwise.
const DEFAULT_LIMIT: u64 = 2000;

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "path", kind: ParameterKind::Text, need: Need::Required, about: "" },
    Parameter {
        name: "offset",
        kind: ParameterKind::Integer { minimum: 1, maximum: u32::MAX as u64, default: Some(1) },
        need: Need::Optional,
        about: "From line 1.",
    },
    Parameter {
        name: "limit",
        kind: ParameterKind::Integer {
            minimum: 1,
            maximum: 1_000_000,
            default: Some(DEFAULT_LIMIT),
        },
        need: Need::Optional,
        about: "",
    },
    HOME,
];

/// One `read` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The file.
    pub path: Spoken,
    /// The first line, from 1.
    pub offset: u64,
    /// The number of lines.
    pub limit: u64,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    Ok(Verb::Files(FileVerb::Read(Read {
        path: arguments.path("path")?,
        offset: arguments.integer("offset")?.unwrap_or(1),
        limit: arguments.integer("limit")?.unwrap_or(DEFAULT_LIMIT),
    })))
}
