//! The `execute` tool's arguments: run an item, or create, change or delete one.

use serde_json::{Map, Value};

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::load::{ITEM_TYPE, LookupScope, item_id, item_type};
use super::{CallError, ItemVerb, Verb};
use crate::address::RelPath;
use crate::digest::ShownDigest;
use crate::graph::WalkOptions;
use crate::item::{Category, ItemRef, ItemType};

pub(super) const ABOUT: &str = "Run a tool, directive (gives its checked steps) or knowledge \
    entry (its text); or create, update, delete or publish one. A change may become a \
    proposal.";

const fn optional_parameter(
    name: &'static str,
    kind: ParameterKind,
    about: &'static str,
) -> Parameter {
    Parameter { name, kind, need: Need::Optional, about }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { need: Need::Optional, ..ITEM_TYPE },
    optional_parameter(
        "action",
        ParameterKind::ChoiceWithDefault(&[
            "run", "create", "update", "delete", "publish", "close",
        ]),
        "",
    ),
    Parameter {
        name: "item_id",
        kind: ParameterKind::Text,
        need: Need::Optional,
        about: "id or category/id",
    },
    optional_parameter("category", ParameterKind::Text, "For create."),
    optional_parameter("content", ParameterKind::Text, "The whole main file."),
    optional_parameter("files", ParameterKind::Files, "Other files of a tool or skill."),
    optional_parameter("parameters", ParameterKind::Object, "For run: the inputs."),
    optional_parameter("include_relationships", ParameterKind::Flag, ""),
    optional_parameter("expect_sha256", ParameterKind::Digest, "Of the main file."),
    optional_parameter("dry_run", ParameterKind::Flag, "Check only."),
    optional_parameter("confirm", ParameterKind::Flag, ""),
    optional_parameter("run", ParameterKind::Text, "Of the directive you follow."),
];

/// One `execute` call.
#[derive(Clone, Debug, PartialEq)]
pub struct Execute {
    /// The type of the item.
    pub kind: ItemType,
    /// The item.
    pub item: ItemRef,
    /// The scopes in which it is looked up.
    pub source: LookupScope,
    /// The action.
    pub action: ItemAction,
    /// Tells whether the call is only checked, and nothing is changed.
    pub dry_run: bool,
}

/// The actions on an item.
#[derive(Clone, Debug, PartialEq)]
pub enum ItemAction {
    /// Runs a tool, or prepares a directive or a knowledge entry for the agent.
    Run(RunItem),
    /// Creates the item.
    Create(ItemContent),
    /// Changes the item.
    Update {
        /// The new content.
        content: ItemContent,
        /// The digest that its main file must have before the change.
        expect: Option<ShownDigest>,
    },
    /// Deletes the item.
    Delete {
        /// The digest that its main file must have before the change.
        expect: Option<ShownDigest>,
    },
    /// Publishes the item to the registry.
    Publish {
        /// Tells whether the caller says that it is meant.
        is_confirmed: bool,
    },
}

/// What an item is run with.
#[derive(Clone, Debug, PartialEq)]
pub struct RunItem {
    /// The inputs.
    pub parameters: Map<String, Value>,
    /// The related entries to include with a knowledge entry, if any.
    pub relationships: Option<WalkOptions>,
}

/// The files of an item.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemContent {
    /// The text of the main file.
    pub main_file: String,
    /// The other files, with paths relative to the item's folder.
    pub files: Vec<(RelPath, String)>,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let action = arguments.choice_or_default("action")?;
    if action == "close" {
        return parse_close(arguments);
    }
    let kind = item_type(arguments)?;
    let mut item = item_id(arguments)?;
    let expect = arguments.digest("expect_sha256")?;
    let text = || -> Result<ItemContent, CallError> {
        let content = arguments.required_text("content")?.to_owned();
        Ok(ItemContent { main_file: content, files: arguments.files("files")? })
    };
    let category = arguments.text("category")?.map(str::parse::<Category>).transpose();
    let takes = "levels of lower-case letters, digits, `_` and `-`, such as `api/auth`";
    if let Some(category) = category.map_err(|_| arguments.malformed_error("category", takes))? {
        if item.category.as_ref().is_some_and(|given| *given != category) {
            return Err(arguments.wrong_value_error("category"));
        }
        item.category = Some(category);
    }
    let action = match action {
        "create" => ItemAction::Create(text()?),
        "update" => ItemAction::Update { content: text()?, expect },
        "delete" => ItemAction::Delete { expect },
        "publish" => ItemAction::Publish { is_confirmed: arguments.flag("confirm")? },
        _ => ItemAction::Run(RunItem {
            parameters: arguments.object("parameters")?,
            relationships: match (arguments.flag("include_relationships")?, kind) {
                (false, _) => None,
                (true, ItemType::Knowledge) => Some(WalkOptions::default()),
                (true, _) => {
                    let takes = "true only where `item_type` is `knowledge`";
                    return Err(arguments.malformed_error("include_relationships", takes));
                }
            },
        }),
    };
    let dry_run = arguments.flag("dry_run")?;
    Ok(Verb::Items(ItemVerb::Execute(Execute {
        kind,
        item,
        source: LookupScope::Local,
        action,
        dry_run,
    })))
}

/// Parses the end of a run. It names no item, so that nobody takes it for a change to one.
fn parse_close(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    const TAKES: &str = "nothing where `action` is `close`: that ends a run and names no item";
    match arguments.text("item_id")? {
        None => Ok(Verb::CloseRun),
        Some(_) => Err(arguments.malformed_error("item_id", TAKES)),
    }
}
