//! The `load` tool's arguments.

use super::arguments::{Arguments, Kind, Need, Parameter};
use super::{CallError, Verb};
use crate::graph::{Depth, Relations, Walk};
use crate::item::{ItemRef, ItemType, Relation, Scope, Version};

pub(super) const ABOUT: &str = "Load a directive (workflow or skill), tool, knowledge entry, \
    memory or lockfile by id: text, metadata, files, trust.";

/// The words for types, as agents say them.
pub(super) const TYPES: &[&str] = &["directive", "tool", "knowledge", "memory", "lockfile"];

pub(super) const ITEM_TYPE: Parameter =
    Parameter { name: "item_type", kind: Kind::Word(TYPES), need: Need::Required, about: "" };

pub(super) const PARAMETERS: &[Parameter] = &[
    ITEM_TYPE,
    Parameter {
        name: "item_id",
        kind: Kind::Text,
        need: Need::Required,
        about: "id or category/id",
    },
    Parameter {
        name: "source",
        kind: Kind::Word(&["project", "user", "registry", "all"]),
        need: Need::Optional,
        about: "Else the project, then the user.",
    },
    Parameter {
        name: "destination",
        kind: Kind::Word(&["project", "user"]),
        need: Need::Optional,
        about: "Copy it there too.",
    },
    Parameter { name: "version", kind: Kind::Text, need: Need::Optional, about: "" },
    Parameter {
        name: "include_relationships",
        kind: Kind::Flag,
        need: Need::Optional,
        about: "Links both ways.",
    },
    Parameter {
        name: "depth",
        kind: Kind::Whole { least: 1, most: 5, default: None },
        need: Need::Optional,
        about: "",
    },
    Parameter {
        name: "direction",
        kind: Kind::Word(&["both", "outgoing", "incoming"]),
        need: Need::Optional,
        about: "",
    },
    Parameter { name: "types", kind: Kind::Texts, need: Need::Optional, about: "Relations." },
];

/// One `load` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Load {
    /// What kind of item.
    pub kind: ItemType,
    /// Which one.
    pub item: ItemRef,
    /// Where to look.
    pub source: Source,
    /// Where to copy it.
    pub destination: Option<Scope>,
    /// The version it must have.
    pub version: Option<Version>,
    /// Which related entries are told with it, if any are.
    pub around: Option<Walk>,
}

/// Where an item is looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// In the project, then in the user's space.
    #[default]
    Local,
    /// In one scope.
    Only(Scope),
    /// Everywhere, the registry last.
    All,
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let source = match arguments.word("source")? {
        None => Source::Local,
        Some("all") => Source::All,
        Some(word) => Source::Only(word.parse().map_err(|_| arguments.wrong("source"))?),
    };
    let destination = arguments.word("destination")?.map(str::parse).transpose();
    Ok(Verb::Load(Load {
        kind: item_type(arguments)?,
        item: item_id(arguments)?,
        source,
        destination: destination.map_err(|_| arguments.wrong("destination"))?,
        version: arguments.parsed("version")?,
        around: around(arguments)?,
    }))
}

/// Which related entries are asked for.
fn around(arguments: &Arguments<'_>) -> Result<Option<Walk>, CallError> {
    const TAKES: &str = "some of `extends`, `references`, `contradicts`, `supersedes`, \
        `implements`, `depends_on`, `related` and `example_of`";
    let depth = arguments.whole("depth")?.unwrap_or(1);
    let depth = Depth::try_from(depth).map_err(|_| arguments.wrong("depth"))?;
    let direction = arguments.word("direction")?.unwrap_or("both").parse();
    let direction = direction.map_err(|_| arguments.wrong("direction"))?;
    let relations = match arguments.texts("types")? {
        None => Relations::ALL,
        Some(names) => {
            let relations = names.iter().map(|name| name.parse::<Relation>());
            let relations = relations.collect::<Result<Relations, _>>();
            relations.map_err(|_| arguments.malformed("types", TAKES))?
        }
    };
    let walk = Walk { depth, direction, relations, ..Walk::default() };
    Ok(arguments.flag("include_relationships")?.then_some(walk))
}

/// The type that must be there. The words people use for types are taken too.
pub(super) fn item_type(arguments: &Arguments<'_>) -> Result<ItemType, CallError> {
    let kind = arguments.parsed("item_type")?;
    kind.ok_or_else(|| arguments.missing("item_type", "a type, such as `knowledge`"))
}

/// The id that must be there.
pub(super) fn item_id(arguments: &Arguments<'_>) -> Result<ItemRef, CallError> {
    const TAKES: &str = "an id of small letters, digits, `_` and `-`, such as `deploy` or \
        `release/deploy`";
    let said = arguments.text("item_id")?.ok_or_else(|| arguments.missing("item_id", TAKES))?;
    said.parse().map_err(|_| arguments.malformed("item_id", TAKES))
}
