//! The `dir` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CURSOR, CallError, FileVerb, HOME, Verb};
use crate::address::{Root, Spoken};
use crate::cursor::Cursor;

pub(super) const ABOUT: &str = "Where you are (`pwd`), which root is home (`cd`), what a directory \
    holds (`list`), which lie below it (`tree`). Paths: ROOT_PROJECT:/src/, or from the home root.";

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "command",
        kind: ParameterKind::ChoiceWithDefault(&["pwd", "cd", "list", "tree"]),
        need: Need::Optional,
        about: "",
    },
    Parameter {
        name: "path",
        kind: ParameterKind::Text,
        need: Need::Optional,
        about: "For `cd` a root: ROOT_USER, mod:docs.",
    },
    Parameter {
        name: "depth",
        kind: ParameterKind::Integer { minimum: 1, maximum: 16, default: Some(3) },
        need: Need::Optional,
        about: "",
    },
    CURSOR,
    HOME,
];

/// One `dir` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Shows the home root and the working directory.
    Pwd,
    /// Makes a root the home root.
    Cd {
        /// The new home root.
        to: Root,
    },
    /// Lists the entries of a directory.
    List {
        /// The directory.
        path: Spoken,
        /// The cursor of the page.
        cursor: Option<Cursor>,
    },
    /// Lists the directories below a directory.
    Tree {
        /// The directory.
        path: Spoken,
        /// The number of levels.
        depth: usize,
        /// The cursor of the page.
        cursor: Option<Cursor>,
    },
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let command = arguments.choice_or_default("command")?;
    let depth = arguments.count("depth")?;
    let cursor = arguments.cursor()?;
    if command == "cd" {
        return parse_cd(arguments);
    }
    let path = arguments.path_or_home("path")?;
    Ok(Verb::Files(FileVerb::Dir(match command {
        "list" => Dir::List { path, cursor },
        "tree" => Dir::Tree { path, depth, cursor },
        _ => Dir::Pwd,
    })))
}

fn parse_cd(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let missing = || arguments.missing_error("path", "a root such as `ROOT_USER` or `mod:<name>`");
    let path = arguments.text("path")?.ok_or_else(missing)?;
    let to = Root::parse_bare(path).map_err(|_| CallError::Root { argument: "path" })?;
    Ok(Verb::Files(FileVerb::Dir(Dir::Cd { to })))
}
