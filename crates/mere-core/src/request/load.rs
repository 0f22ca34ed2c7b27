//! The `load` tool's arguments.

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CallError, ItemVerb, Verb};
use crate::graph::{RelationSet, WalkDepth, WalkOptions};
use crate::item::{ItemRef, ItemType, Relation, Scope, Version};

pub(super) const ABOUT: &str = "Load a directive (workflow or skill), tool, knowledge entry, \
    memory or lockfile by id.";

/// The words by which agents name types.
pub(super) const TYPE_NAMES: &[&str] = &["directive", "tool", "knowledge", "memory", "lockfile"];

/// The words by which agents name relations.
const RELATION_NAMES: &[&str] = &[
    "extends",
    "references",
    "contradicts",
    "supersedes",
    "implements",
    "depends_on",
    "related",
    "example_of",
    "requires",
    "suggests",
];

pub(super) const ITEM_TYPE: Parameter = Parameter {
    name: "item_type",
    kind: ParameterKind::Choice(TYPE_NAMES),
    need: Need::Required,
    about: "",
};

pub(super) const PARAMETERS: &[Parameter] = &[
    ITEM_TYPE,
    Parameter {
        name: "item_id",
        kind: ParameterKind::Text,
        need: Need::Required,
        about: "id or category/id",
    },
    Parameter {
        name: "source",
        kind: ParameterKind::Choice(&["project", "user", "registry", "all"]),
        need: Need::Optional,
        about: "Else project, then user.",
    },
    Parameter {
        name: "destination",
        kind: ParameterKind::Choice(&["project", "user"]),
        need: Need::Optional,
        about: "Copy it there too.",
    },
    Parameter { name: "version", kind: ParameterKind::Text, need: Need::Optional, about: "" },
    Parameter {
        name: "include_relationships",
        kind: ParameterKind::Flag,
        need: Need::Optional,
        about: "",
    },
    Parameter {
        name: "depth",
        kind: ParameterKind::Integer { minimum: 1, maximum: 5, default: None },
        need: Need::Optional,
        about: "",
    },
    Parameter {
        name: "direction",
        kind: ParameterKind::Choice(&["both", "outgoing", "incoming"]),
        need: Need::Optional,
        about: "",
    },
    Parameter {
        name: "types",
        kind: ParameterKind::Choices(RELATION_NAMES),
        need: Need::Optional,
        about: "",
    },
];

/// One `load` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// The type of the item.
    pub kind: ItemType,
    /// The item.
    pub item: ItemRef,
    /// The scopes in which it is looked up.
    pub source: LookupScope,
    /// The scope to copy it to.
    pub destination: Option<Scope>,
    /// The version that it must have.
    pub version: Option<Version>,
    /// The related entries to include, if any.
    pub relationships: Option<WalkOptions>,
}

/// The scopes in which an item is looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LookupScope {
    /// The project, then the user's space.
    #[default]
    Local,
    /// One scope.
    Only(Scope),
    /// All scopes, the registry last.
    All,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let source = match arguments.choice("source")? {
        None => LookupScope::Local,
        Some("all") => LookupScope::All,
        Some(word) => {
            LookupScope::Only(word.parse().map_err(|_| arguments.wrong_value_error("source"))?)
        }
    };
    let destination = arguments.choice("destination")?.map(str::parse).transpose();
    Ok(Verb::Items(ItemVerb::Load(Load {
        kind: item_type(arguments)?,
        item: item_id(arguments)?,
        source,
        destination: destination.map_err(|_| arguments.wrong_value_error("destination"))?,
        version: arguments.parse("version")?,
        relationships: parse_relationships(arguments)?,
    })))
}

/// Parses which related entries are asked for.
fn parse_relationships(arguments: &Arguments<'_>) -> Result<Option<WalkOptions>, CallError> {
    const TAKES: &str = "some of `extends`, `references`, `contradicts`, `supersedes`, \
        `implements`, `depends_on`, `related`, `example_of`, `requires` and `suggests`";
    let depth = arguments.integer("depth")?.unwrap_or(1);
    let depth = WalkDepth::try_from(depth).map_err(|_| arguments.wrong_value_error("depth"))?;
    let direction = arguments.choice("direction")?.unwrap_or("both").parse();
    let direction = direction.map_err(|_| arguments.wrong_value_error("direction"))?;
    let relations = match arguments.texts("types")? {
        None => RelationSet::ALL,
        Some(names) => {
            let relations = names.iter().map(|name| name.parse::<Relation>());
            let relations = relations.collect::<Result<RelationSet, _>>();
            relations.map_err(|_| arguments.malformed_error("types", TAKES))?
        }
    };
    let walk = WalkOptions { depth, direction, relations, ..WalkOptions::default() };
    Ok(arguments.flag("include_relationships")?.then_some(walk))
}

/// Returns the type, which must be given. The words that people use for types are accepted too.
pub(super) fn item_type(arguments: &Arguments<'_>) -> Result<ItemType, CallError> {
    let kind = arguments.parse("item_type")?;
    kind.ok_or_else(|| arguments.missing_error("item_type", "a type, such as `knowledge`"))
}

/// Returns the id, which must be given.
pub(super) fn item_id(arguments: &Arguments<'_>) -> Result<ItemRef, CallError> {
    const TAKES: &str = "an id of lower-case letters, digits, `_` and `-`, such as `deploy` or \
        `release/deploy`";
    let text =
        arguments.text("item_id")?.ok_or_else(|| arguments.missing_error("item_id", TAKES))?;
    text.parse().map_err(|_| arguments.malformed_error("item_id", TAKES))
}
