//! The `grep` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CURSOR, CallError, FileVerb, HOME, RUN, Verb};
use crate::address::Spoken;
use crate::cursor::Cursor;
use crate::text::pattern::Pattern;

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
        about: "A file or a directory; by default the home root.",
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
        about: "The number of lines to show around each match.",
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
        about: "Ignore case.",
    },
    CURSOR,
    HOME,
    RUN,
];

/// One `grep` call.
#[derive(Clone, Debug)]
pub struct Grep {
    /// The regular expression, not yet compiled.
    pub pattern: String,
    /// The file or directory to search.
    pub path: Spoken,
    /// Restricts the search to files whose paths match.
    pub glob: Option<Pattern>,
    /// The number of lines to show around each match.
    pub context: usize,
    /// The most matches to return.
    pub limit: usize,
    /// Tells whether case is ignored.
    pub ignore_case: bool,
    /// The cursor of the page.
    pub cursor: Option<Cursor>,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let pattern = arguments.text("pattern")?;
    let pattern =
        pattern.ok_or_else(|| arguments.missing_error("pattern", "a regular expression"))?;
    Ok(Verb::Files(FileVerb::Grep(Grep {
        pattern: pattern.to_owned(),
        path: arguments.path_or_home("path")?,
        glob: arguments.pattern("glob")?,
        context: arguments.count("context")?,
        limit: arguments.count("limit")?,
        ignore_case: arguments.flag("ignore_case")?,
        cursor: arguments.cursor()?,
    })))
}
