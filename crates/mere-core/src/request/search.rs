//! The `search` tool's arguments.

use serde_json::{Map, Value};

use super::arguments::{Arguments, Kind, Need, Parameter};
use super::{CURSOR, CallError, Verb};
use crate::cursor::Cursor;
use crate::item::{Category, ItemRef, ItemType};

pub(super) const ABOUT: &str = "Find directives, tools, knowledge and memories by what they say. \
    Words, \"phrases\", pre*, -not, tag:x category:x type:x.";

/// What is searched if nothing is said.
const TYPES: [ItemType; 4] =
    [ItemType::Directive, ItemType::Tool, ItemType::Knowledge, ItemType::Memory];
/// How many hits a page has if nothing is said.
const PAGE: u64 = 10;
/// The most that a page can have.
const LARGEST_PAGE: u64 = 100;

const fn optional(name: &'static str, kind: Kind, about: &'static str) -> Parameter {
    Parameter { name, kind, need: Need::Optional, about }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "query", kind: Kind::Text, need: Need::Required, about: "" },
    optional("item_types", Kind::Texts, ""),
    optional("source", Kind::Word(&["local", "registry", "all"]), ""),
    optional("limit", Kind::Whole { least: 1, most: LARGEST_PAGE, default: Some(PAGE) }, ""),
    optional("filters", Kind::Object, "{\"category\": \"ops\", \"tags\": [\"x\"]}"),
    optional("mode", Kind::Choice(&["hybrid", "text", "vector"]), ""),
    optional("rank", Kind::Choice(&["by_type", "unified"]), ""),
    CURSOR,
];

/// One `search` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// What is looked for.
    pub query: String,
    /// In which types.
    pub kinds: Vec<ItemType>,
    /// Where.
    pub source: SearchSource,
    /// How many hits of each type, or altogether.
    pub limit: usize,
    /// What hits must have.
    pub filters: Vec<Filter>,
    /// By which likeness.
    pub mode: Mode,
    /// In which order.
    pub rank: Rank,
    /// Where the page begins.
    pub cursor: Option<Cursor>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            query: String::new(),
            kinds: TYPES.to_vec(),
            source: SearchSource::Default,
            limit: usize::try_from(PAGE).unwrap_or(usize::MAX),
            filters: Vec::new(),
            mode: Mode::Hybrid,
            rank: Rank::ByType,
            cursor: None,
        }
    }
}

/// Where items are looked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchSource {
    /// Everywhere that is configured.
    #[default]
    Default,
    /// In the project and in the user's space.
    Local,
    /// In the registry.
    Registry,
    /// In all of them.
    All,
}

/// By which likeness items are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// By words and by meaning.
    Hybrid,
    /// By words alone.
    Text,
    /// By meaning alone.
    Vector,
}

impl Mode {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Text => "text",
            Self::Vector => "vector",
        }
    }
}

/// How hits of different types stand to each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// A list for each type.
    ByType,
    /// One list.
    Unified,
}

/// What hits of some types must have; others pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Filter {
    /// Which types.
    pub kinds: Vec<ItemType>,
    /// What.
    pub condition: Condition,
}

/// What a hit must have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// To lie in a category or below it.
    Category(Category),
    /// A tag.
    Tag(String),
    /// To be knowledge of a kind.
    EntryType(String),
    /// To be a tool of a kind.
    ToolType(String),
    /// To be run by a tool.
    Executor(String),
    /// To be for models of a tier.
    ModelTier(String),
    /// To be linked with an entry, either way.
    RelatedTo(ItemRef),
}

/// The most filters of a call: each costs a list.
const MOST_FILTERS: usize = 32;

/// What filters there are, and for which types.
const FILTERS: [(&str, &[ItemType]); 7] = [
    ("category", &TYPES),
    ("tags", &[ItemType::Knowledge, ItemType::Memory]),
    ("entry_type", &[ItemType::Knowledge]),
    ("related_to", &[ItemType::Knowledge]),
    ("tool_type", &[ItemType::Tool]),
    ("executor", &[ItemType::Tool]),
    ("model_tier", &[ItemType::Directive]),
];

const TAKES: &str = "`category`, `tags`, `entry_type`, `related_to`, `tool_type`, `executor` and \
    `model_tier`, each for the types that have it, or by type, such as {\"knowledge\": {\"tags\": \
    [\"x\"]}}";

impl Filter {
    /// A condition for all types that can have it.
    pub fn of(condition: Condition) -> Self {
        let kinds = FILTERS.iter().find(|(name, _)| *name == condition.name());
        Self { kinds: kinds.map(|(_, kinds)| kinds.to_vec()).unwrap_or_default(), condition }
    }

    /// The filters of a name and a value; none if there is none such.
    pub fn read(name: &str, value: &Value, among: &[ItemType]) -> Option<Vec<Self>> {
        let (_, kinds) = FILTERS.iter().find(|(known, _)| *known == name)?;
        let kinds = kinds.iter().copied().filter(|kind| among.contains(kind)).collect::<Vec<_>>();
        if kinds.is_empty() {
            return None;
        }
        let conditions = match (name, value) {
            ("tags", Value::Array(tags)) => {
                let tags = tags.iter().map(|tag| Some(Condition::Tag(tag.as_str()?.to_owned())));
                tags.collect::<Option<Vec<_>>>()?
            }
            (_, Value::String(text)) => vec![Condition::read(name, text)?],
            _ => return None,
        };
        let filters = conditions.into_iter();
        Some(filters.map(|condition| Self { kinds: kinds.clone(), condition }).collect())
    }
}

impl Condition {
    /// What the filter is called.
    fn name(&self) -> &'static str {
        match self {
            Self::Category(_) => "category",
            Self::Tag(_) => "tags",
            Self::EntryType(_) => "entry_type",
            Self::ToolType(_) => "tool_type",
            Self::Executor(_) => "executor",
            Self::ModelTier(_) => "model_tier",
            Self::RelatedTo(_) => "related_to",
        }
    }

    fn read(name: &str, text: &str) -> Option<Self> {
        let own = || text.to_owned();
        Some(match name {
            "category" => Self::Category(text.parse().ok()?),
            "tags" => Self::Tag(own()),
            "entry_type" => Self::EntryType(own()),
            "tool_type" => Self::ToolType(own()),
            "executor" => Self::Executor(own()),
            "model_tier" => Self::ModelTier(own()),
            "related_to" => Self::RelatedTo(text.parse().ok()?),
            _ => return None,
        })
    }
}

pub(super) fn parse(arguments: &Arguments<'_>) -> Result<Verb, CallError> {
    let query = arguments.text("query")?;
    let query = query.ok_or_else(|| arguments.missing("query", "words to look for"))?.to_owned();
    let source = match arguments.word("source")? {
        None => SearchSource::Default,
        Some("registry") => SearchSource::Registry,
        Some("all") => SearchSource::All,
        Some(_) => SearchSource::Local,
    };
    let mode = match arguments.choice("mode")? {
        "text" => Mode::Text,
        "vector" => Mode::Vector,
        _ => Mode::Hybrid,
    };
    let rank = match arguments.choice("rank")? {
        "unified" => Rank::Unified,
        _ => Rank::ByType,
    };
    Ok(Verb::Search(Search {
        query,
        kinds: kinds(arguments)?,
        source,
        limit: arguments.size("limit")?,
        filters: filters(arguments)?,
        mode,
        rank,
        cursor: arguments.cursor()?,
    }))
}

fn kinds(arguments: &Arguments<'_>) -> Result<Vec<ItemType>, CallError> {
    const TAKES: &str = "some of `directive`, `tool`, `knowledge` and `memory`";
    let Some(said) = arguments.texts("item_types")? else { return Ok(TYPES.to_vec()) };
    let malformed = || arguments.malformed("item_types", TAKES);
    let mut kinds = Vec::new();
    for word in said {
        let kind = word.parse().map_err(|_| malformed())?;
        if !TYPES.contains(&kind) {
            return Err(malformed());
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { Err(malformed()) } else { Ok(kinds) }
}

fn filters(arguments: &Arguments<'_>) -> Result<Vec<Filter>, CallError> {
    let malformed = || arguments.malformed("filters", TAKES);
    let mut filters = Vec::new();
    for (name, value) in arguments.object("filters")? {
        let own = match (name.parse::<ItemType>(), &value) {
            (Ok(kind), Value::Object(own)) => of_kind(own, kind),
            _ => Filter::read(&name, &value, &TYPES),
        };
        filters.extend(own.ok_or_else(malformed)?);
    }
    if filters.len() > MOST_FILTERS {
        return Err(arguments.malformed("filters", "at most 32 conditions"));
    }
    Ok(filters)
}

fn of_kind(own: &Map<String, Value>, kind: ItemType) -> Option<Vec<Filter>> {
    let filters = own.iter().map(|(name, value)| Filter::read(name, value, &[kind]));
    Some(filters.collect::<Option<Vec<_>>>()?.concat())
}
