//! The `dir` tool's arguments.

use super::arguments::{ArgumentError, Arguments, Kind, Parameter};
use super::{CallError, Verb};
use crate::cursor::Cursor;
use crate::root::Root;
use crate::spoken::Spoken;

pub(super) const ABOUT: &str = "Look around: where you are (`pwd`), which root is home (`cd`), \
    what a directory holds (`list`), which directories lie below it (`tree`, \
    without .git and node_modules). Paths are addresses \
    such as ROOT_PROJECT:/src/ or relative to the home root.";

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter {
        name: "command",
        kind: Kind::Choice(&["pwd", "cd", "list", "tree"]),
        about: "What to do.",
    },
    Parameter {
        name: "path",
        kind: Kind::Text,
        about: "An address or a path from the home root; for `cd` a root such as ROOT_USER or mod:docs.",
    },
    Parameter {
        name: "depth",
        kind: Kind::Whole { least: 1, most: 16, default: 3 },
        about: "How deep `tree` goes.",
    },
    Parameter { name: "home", kind: Kind::Text, about: "The home root for this call only." },
    Parameter { name: "cursor", kind: Kind::Text, about: "The `next` of the page before." },
];

/// One `dir` command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dir {
    /// Where am I?
    Pwd,
    /// Make a root home.
    Cd {
        /// Which one.
        to: Root,
    },
    /// The entries of a directory.
    List {
        /// Which directory.
        path: Spoken,
        /// Where to go on.
        cursor: Option<Cursor>,
    },
    /// The directories below a directory.
    Tree {
        /// Which directory.
        path: Spoken,
        /// How deep.
        depth: usize,
        /// Where to go on.
        cursor: Option<Cursor>,
    },
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let tool = arguments.tool();
    let command = arguments.choice("command")?;
    let path = arguments.text("path")?;
    let depth = usize::try_from(arguments.whole("depth")?).unwrap_or(usize::MAX);
    let cursor = arguments.text("cursor")?.map(str::parse::<Cursor>).transpose();
    let cursor = cursor.map_err(|_| CallError::Cursor { tool })?;
    if command == "cd" {
        return cd(tool, path);
    }
    let path = path.unwrap_or_default().parse::<Spoken>();
    let path = path.map_err(|_| CallError::Path { tool })?;
    Ok(Verb::Dir(match command {
        "list" => Dir::List { path, cursor },
        "tree" => Dir::Tree { path, depth, cursor },
        _ => Dir::Pwd,
    }))
}

fn cd(tool: &'static str, path: Option<&str>) -> Result<Verb, CallError> {
    let Some(path) = path else {
        let takes = "a root such as `ROOT_USER` or `mod:<name>`";
        let error = ArgumentError::Missing { name: "path", takes };
        return Err(CallError::Argument { tool, error });
    };
    let to = Root::parse_alone(path).map_err(|_| CallError::Path { tool })?;
    Ok(Verb::Dir(Dir::Cd { to }))
}
