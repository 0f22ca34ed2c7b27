//! The `glob` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CURSOR, CallError, FileVerb, HOME, RUN, Verb};
use crate::address::{Address, RelPath, Root, Spoken};
use crate::cursor::Cursor;
use crate::text::pattern::Pattern;

pub(super) const ABOUT: &str = "Find files by name: `*.rs` anywhere, `src/**/*.rs` from the \
    project root. Ignored files (.gitignore, .aiignore), .git and node_modules are left out.";

/// The number of files on a page unless the caller says otherwise.
const DEFAULT_LIMIT: u64 = 500;

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "pattern",
        kind: ParameterKind::Text,
        need: Need::Required,
        about: "*, ?, **, [a-z] and {a,b}. Without a slash it matches names at any depth.",
    },
    Parameter {
        name: "path",
        kind: ParameterKind::Text,
        need: Need::Optional,
        about: "The directory to search; by default the project root.",
    },
    LIMIT,
    CURSOR,
    HOME,
    RUN,
];

const LIMIT: Parameter = Parameter {
    name: "limit",
    kind: ParameterKind::Integer { minimum: 1, maximum: 10_000, default: Some(DEFAULT_LIMIT) },
    need: Need::Optional,
    about: "How many files at most.",
};

/// One `glob` call.
#[derive(Clone, Debug)]
pub struct Glob {
    /// The pattern that the paths must match.
    pub pattern: Pattern,
    /// The directory to search.
    pub path: Spoken,
    /// The most files to return.
    pub limit: usize,
    /// The cursor of the page.
    pub cursor: Option<Cursor>,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let pattern = arguments.pattern("pattern")?;
    let path = match (arguments.text("path")?, arguments.text("home")?) {
        (None, None) => Spoken::Rooted(Address::directory(Root::Project, RelPath::default())),
        _ => arguments.path_or_home("path")?,
    };
    Ok(Verb::Files(FileVerb::Glob(Glob {
        pattern: pattern.ok_or_else(|| arguments.missing_error("pattern", "a glob pattern"))?,
        path,
        limit: arguments.count("limit")?,
        cursor: arguments.cursor()?,
    })))
}
