//! The arguments of the tools that change files: `write`, `edit` and `patch_section`.

use super::arguments::{ArgumentError, Arguments, Need, Parameter, ParameterKind};
use super::{CallError, EXPECT_SHA256, FileVerb, HOME, RUN, Verb};
use crate::address::Spoken;
use crate::digest::ShownDigest;
use crate::text::markdown::Section;

pub(super) const WRITE_ABOUT: &str = "Write a whole file in your workspace, ROOT_WORKSPACE:/. \
    Everywhere else agents only read.";
pub(super) const EDIT_ABOUT: &str = "Replace a piece of text in a file of your workspace. The old \
    text must occur exactly once.";
pub(super) const PATCH_ABOUT: &str = "Replace one part of a Markdown file of your workspace: the \
    text under a heading, a block marked ^id, or a key of the frontmatter. Say one of `heading`, \
    `block`, `frontmatter_key`.";

const fn text_parameter(name: &'static str, need: Need, about: &'static str) -> Parameter {
    Parameter { name, kind: ParameterKind::Text, need, about }
}

const PATH: Parameter =
    text_parameter("path", Need::Required, "Which file, such as ROOT_WORKSPACE:/notes.md.");
const CONTENT: Parameter = text_parameter("content", Need::Required, "The new text.");
pub(super) const WRITE: &[Parameter] = &[
    PATH,
    CONTENT,
    EXPECT_SHA256,
    Parameter {
        name: "create_dirs",
        kind: ParameterKind::Flag,
        need: Need::Optional,
        about: "Create missing directories.",
    },
    HOME,
    RUN,
];

pub(super) const EDIT: &[Parameter] = &[
    PATH,
    text_parameter("old", Need::Required, "The text to replace."),
    text_parameter("new", Need::Required, "The new text."),
    EXPECT_SHA256,
    HOME,
    RUN,
];

pub(super) const PATCH: &[Parameter] = &[
    PATH,
    text_parameter("heading", Need::Optional, "The heading whose section is replaced."),
    text_parameter("block", Need::Optional, "The id of the block that is replaced."),
    text_parameter("frontmatter_key", Need::Optional, "The key whose value is replaced, as YAML."),
    Parameter {
        name: "occurrence",
        kind: ParameterKind::Integer { minimum: 1, maximum: 1_000_000, default: None },
        need: Need::Optional,
        about: "Which one, from 1, if there are several.",
    },
    CONTENT,
    EXPECT_SHA256,
    HOME,
    RUN,
];

/// One call that changes a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// The file.
    pub path: Spoken,
    /// The digest that the file must have before the change.
    pub expect: Option<ShownDigest>,
    /// The kind of change.
    pub kind: FileChangeKind,
}

/// The kinds of change to a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileChangeKind {
    /// Replaces the whole content.
    Write {
        /// The new content.
        content: String,
        /// Tells whether missing directories are created.
        create_dirs: bool,
    },
    /// Replaces a piece of text.
    Edit {
        /// The old text, which must occur exactly once.
        old: String,
        /// The new text.
        new: String,
    },
    /// Replaces a part of a Markdown file.
    Patch {
        /// The part to replace.
        section: Section,
        /// The number of the occurrence, from 1, if there are several.
        occurrence: Option<usize>,
        /// The new content.
        content: String,
    },
}

pub(super) fn parse_write(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let content = arguments.required_text("content")?.to_owned();
    let create_dirs = arguments.flag("create_dirs")?;
    file_change(arguments, FileChangeKind::Write { content, create_dirs })
}

pub(super) fn parse_edit(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let old = arguments.required_text("old")?.to_owned();
    let new = arguments.required_text("new")?.to_owned();
    file_change(arguments, FileChangeKind::Edit { old, new })
}

pub(super) fn parse_patch(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let content = arguments.required_text("content")?.to_owned();
    let named = [
        arguments.text("heading")?.map(|text| Section::Heading(text.to_owned())),
        arguments.text("block")?.map(|text| Section::Block(text.to_owned())),
        arguments.text("frontmatter_key")?.map(|text| Section::FrontmatterKey(text.to_owned())),
    ];
    let mut named = named.into_iter().flatten();
    let (Some(section), None) = (named.next(), named.next()) else {
        let error = ArgumentError::ExactlyOneOf { names: &["heading", "block", "frontmatter_key"] };
        return Err(CallError::Argument { tool: arguments.tool_name(), error });
    };
    let occurrence = arguments.integer("occurrence")?;
    let occurrence = occurrence.map(|number| usize::try_from(number).unwrap_or(usize::MAX));
    file_change(arguments, FileChangeKind::Patch { section, occurrence, content })
}

fn file_change(arguments: &Arguments<'_>, how: FileChangeKind) -> Result<Verb, CallError> {
    let path = arguments.path("path")?;
    let expect = arguments.digest("expect_sha256")?;
    Ok(Verb::Files(FileVerb::Change(FileChange { path, expect, kind: how })))
}
