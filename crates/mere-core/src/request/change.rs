//! The arguments of the tools that change files: `write`, `edit` and `patch_section`.

use super::arguments::{ArgumentError, Arguments, Kind, Need, Parameter};
use super::{CallError, HOME, Verb};
use crate::digest::Sha256;
use crate::markdown::Section;
use crate::spoken::Spoken;

pub(super) const WRITE_ABOUT: &str = "Write a whole file in your workspace, ROOT_WORKSPACE:/. \
    Everywhere else agents only read.";
pub(super) const EDIT_ABOUT: &str = "Replace a piece of text in a file of your workspace. The old \
    text must occur exactly once.";
pub(super) const PATCH_ABOUT: &str = "Replace one part of a Markdown file of your workspace: the \
    text under a heading, a block marked ^id, or a key of the frontmatter. Say one of `heading`, \
    `block`, `frontmatter_key`.";

const fn text(name: &'static str, need: Need, about: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Text, need, about }
}

const PATH: Parameter =
    text("path", Need::Required, "Which file, such as ROOT_WORKSPACE:/notes.md.");
const CONTENT: Parameter = text("content", Need::Required, "The new text.");
const EXPECT: Parameter = Parameter {
    name: "expect_sha256",
    kind: Kind::Sha256,
    need: Need::Optional,
    about: "The `sha256` you read: nothing is changed if the file is another by now.",
};

pub(super) const WRITE: &[Parameter] = &[
    PATH,
    CONTENT,
    EXPECT,
    Parameter {
        name: "create_dirs",
        kind: Kind::Flag,
        need: Need::Optional,
        about: "Whether missing directories are made.",
    },
    HOME,
];

pub(super) const EDIT: &[Parameter] = &[
    PATH,
    text("old", Need::Required, "The text to replace."),
    text("new", Need::Required, "What takes its place."),
    EXPECT,
    HOME,
];

pub(super) const PATCH: &[Parameter] = &[
    PATH,
    text("heading", Need::Optional, "The heading whose section is replaced."),
    text("block", Need::Optional, "The id of the block that is replaced."),
    text("frontmatter_key", Need::Optional, "The key whose value is replaced, as YAML."),
    Parameter {
        name: "occurrence",
        kind: Kind::Whole { least: 1, most: 1_000_000, default: None },
        need: Need::Optional,
        about: "Which one, from 1, if there are several.",
    },
    CONTENT,
    EXPECT,
    HOME,
];

/// One call that changes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which file.
    pub path: Spoken,
    /// What it must be before.
    pub expect: Option<Sha256>,
    /// What becomes of it.
    pub how: How,
}

/// What becomes of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// It gets a new content.
    Write {
        /// All of it.
        content: String,
        /// Whether missing directories are made.
        create_dirs: bool,
    },
    /// A piece of text is replaced.
    Edit {
        /// Which piece; it must occur once.
        old: String,
        /// What takes its place.
        new: String,
    },
    /// A part of a Markdown file is replaced.
    Patch {
        /// Which part.
        section: Section,
        /// Which one of several, from 1.
        occurrence: Option<usize>,
        /// What takes its place.
        content: String,
    },
}

pub(super) fn write(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let content = arguments.required("content")?.to_owned();
    let create_dirs = arguments.flag("create_dirs")?;
    change(arguments, How::Write { content, create_dirs })
}

pub(super) fn edit(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let old = arguments.required("old")?.to_owned();
    let new = arguments.required("new")?.to_owned();
    change(arguments, How::Edit { old, new })
}

pub(super) fn patch(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let content = arguments.required("content")?.to_owned();
    let named = [
        arguments.text("heading")?.map(|text| Section::Heading(text.to_owned())),
        arguments.text("block")?.map(|text| Section::Block(text.to_owned())),
        arguments.text("frontmatter_key")?.map(|text| Section::FrontmatterKey(text.to_owned())),
    ];
    let mut named = named.into_iter().flatten();
    let (Some(section), None) = (named.next(), named.next()) else {
        let error = ArgumentError::OneOf { names: &["heading", "block", "frontmatter_key"] };
        return Err(CallError::Argument { tool: arguments.tool(), error });
    };
    let occurrence = arguments.whole("occurrence")?;
    let occurrence = occurrence.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    change(arguments, How::Patch { section, occurrence, content })
}

fn change(arguments: &Arguments<'_>, how: How) -> Result<Verb, CallError> {
    let path = arguments.path("path")?;
    let expect = arguments.sha256("expect_sha256")?;
    Ok(Verb::Change(Change { path, expect, how }))
}
