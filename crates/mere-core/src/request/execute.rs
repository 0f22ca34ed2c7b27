//! The `execute` tool's arguments: run an item, or make, change or delete one.

use serde_json::{Map, Value};

use super::arguments::{Arguments, Kind, Need, Parameter};
use super::load::{ITEM_TYPE, Source, item_id, item_type};
use super::{CallError, Verb};
use crate::address::RelPath;
use crate::digest::Sha256;
use crate::item::{Category, ItemRef, ItemType};

pub(super) const ABOUT: &str = "Run a tool (in a sandbox), a directive (gives its checked \
    steps) or a knowledge entry (gives its text); or create, update or delete one. A change may \
    become a proposal for a person.";

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, need: Need::Optional, about }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    ITEM_TYPE,
    optional("action", Kind::Choice(&["run", "create", "update", "delete"]), ""),
    Parameter {
        name: "item_id",
        kind: Kind::Text,
        need: Need::Required,
        about: "id or category/id",
    },
    optional("category", Kind::Text, "For create, such as `api/auth`."),
    optional("content", Kind::Text, "For create, update: the whole main file."),
    optional("files", Kind::Files, "Other files of a tool or skill."),
    optional("parameters", Kind::Object, "For run: the inputs."),
    optional("expect_sha256", Kind::Sha256, "Of the main file before."),
    optional("dry_run", Kind::Flag, "Check only."),
];

/// One `execute` call.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    /// What kind of item.
    pub kind: ItemType,
    /// Which one.
    pub item: ItemRef,
    /// Where it is looked for.
    pub source: Source,
    /// What to do.
    pub action: Action,
    /// Whether nothing is changed.
    pub dry_run: bool,
}

/// What to do with an item.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// Make it ready to be followed or read.
    Run {
        /// Its inputs.
        parameters: Map<String, Value>,
    },
    /// Make it.
    Create(Text),
    /// Change it.
    Update {
        /// What it becomes.
        text: Text,
        /// What its main file must be before.
        expect: Option<Sha256>,
    },
    /// Remove it.
    Delete {
        /// What its main file must be before.
        expect: Option<Sha256>,
    },
}

/// What an item consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The main file.
    pub content: String,
    /// The others, from the item's folder.
    pub files: Vec<(RelPath, String)>,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let kind = item_type(arguments)?;
    let mut item = item_id(arguments)?;
    let expect = arguments.sha256("expect_sha256")?;
    let text = || -> Result<Text, CallError> {
        let content = arguments.required("content")?.to_owned();
        Ok(Text { content, files: arguments.files("files")? })
    };
    let category = arguments.text("category")?.map(str::parse::<Category>).transpose();
    let takes = "levels of small letters, digits, `_` and `-`, such as `api/auth`";
    if let Some(category) = category.map_err(|_| arguments.malformed("category", takes))? {
        if item.category.as_ref().is_some_and(|said| *said != category) {
            return Err(arguments.wrong("category"));
        }
        item.category = Some(category);
    }
    let action = match arguments.choice("action")? {
        "create" => Action::Create(text()?),
        "update" => Action::Update { text: text()?, expect },
        "delete" => Action::Delete { expect },
        _ => Action::Run { parameters: arguments.object("parameters")? },
    };
    let dry_run = arguments.flag("dry_run")?;
    Ok(Verb::Execute(Execute { kind, item, source: Source::Local, action, dry_run }))
}
