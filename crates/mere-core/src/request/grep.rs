//! The `grep` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CURSOR, CallError, HOME, Verb};
use crate::cursor::Cursor;
use crate::pattern::Pattern;
use crate::spoken::Spoken;

pub(super) const ABOUT: &str = "Find lines by a regular expression (Rust syntax), in one file or \
    below a directory. Ignored and binary files, .git and node_modules are left out.";

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "pattern",
        kind: ParameterKind::Text,
        need: Need::Required,
        about: "The expression; it is matched line by line.",
    },
    Parameter {
        name: "path",
        kind: ParameterKind::Text,
        need: Need::Optional,
        about: "A file or a directory; without it the home root.",
    },
    Parameter {
        name: "glob",
        kind: ParameterKind::Text,
        need: Need::Optional,
        about: "Only in files that match, such as *.rs.",
    },
    Parameter {
        name: "context",
        kind: ParameterKind::Integer { minimum: 0, maximum: 20, default: Some(0) },
        need: Need::Optional,
        about: "How many lines around each match.",
    },
    Parameter {
        name: "limit",
        kind: ParameterKind::Integer { minimum: 1, maximum: 10_000, default: Some(200) },
        need: Need::Optional,
        about: "How many matches at most.",
    },
    Parameter {
        name: "ignore_case",
        kind: ParameterKind::Flag,
        need: Need::Optional,
        about: "Whether case does not count.",
    },
    CURSOR,
    HOME,
];

/// One `grep` call.
#[derive(Clone, Debug)]
pub struct Grep {
    /// The regular expression, not yet compiled.
    pub pattern: String,
    /// Where.
    pub path: Spoken,
    /// Only in files whose paths match.
    pub glob: Option<Pattern>,
    /// How many lines around each match.
    pub context: usize,
    /// How many matches at most.
    pub limit: usize,
    /// Whether case does not count.
    pub ignore_case: bool,
    /// Where to go on.
    pub cursor: Option<Cursor>,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let pattern = arguments.text("pattern")?;
    let pattern =
        pattern.ok_or_else(|| arguments.missing_error("pattern", "a regular expression"))?;
    Ok(Verb::Grep(Grep {
        pattern: pattern.to_owned(),
        path: arguments.path_or_home("path")?,
        glob: arguments.pattern("glob")?,
        context: arguments.count("context")?,
        limit: arguments.count("limit")?,
        ignore_case: arguments.flag("ignore_case")?,
        cursor: arguments.cursor()?,
    }))
}
