//! The `search` tool's arguments.

use serde_json::{Map, Value};

use super::arguments::{Arguments, Need, Parameter, ParameterKind};
use super::{CURSOR, CallError, ItemVerb, Verb};
use crate::cursor::Cursor;
use crate::item::{Category, ItemRef, ItemType};

pub(super) const ABOUT: &str = "Find directives, tools, knowledge and memories. \
    Words, \"phrases\", pre*, -not, tag:x category:x type:x.";

/// The types that are searched if the caller names none.
const SEARCHABLE_TYPES: [ItemType; 4] =
    [ItemType::Directive, ItemType::Tool, ItemType::Knowledge, ItemType::Memory];
/// The words for them.
const SEARCHABLE_NAMES: &[&str] = &["directive", "tool", "knowledge", "memory"];
/// The most hits on a page.
const MAX_PAGE_SIZE: u64 = 100;

const fn optional_parameter(
    name: &'static str,
    kind: ParameterKind,
    about: &'static str,
) -> Parameter {
    Parameter { name, kind, need: Need::Optional, about }
}

pub(super) const PARAMETERS: &[Parameter] = &[
    Parameter { name: "query", kind: ParameterKind::Text, need: Need::Required, about: "" },
    optional_parameter("item_types", ParameterKind::Choices(SEARCHABLE_NAMES), ""),
    optional_parameter("source", ParameterKind::Choice(&["local", "registry", "all"]), ""),
    optional_parameter(
        "limit",
        ParameterKind::Integer { minimum: 1, maximum: MAX_PAGE_SIZE, default: None },
        "",
    ),
    optional_parameter(
        "filters",
        ParameterKind::Object,
        "{\"category\": \"ops\", \"tags\": [\"x\"]}",
    ),
    optional_parameter("mode", ParameterKind::ChoiceWithDefault(&["hybrid", "text", "vector"]), ""),
    optional_parameter("rank", ParameterKind::ChoiceWithDefault(&["by_type", "unified"]), ""),
    optional_parameter("include_relationships", ParameterKind::Flag, ""),
    optional_parameter("detail", ParameterKind::ChoiceWithDefault(&["brief", "full"]), ""),
    CURSOR,
];

/// One `search` call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// The text of the query.
    pub query: String,
    /// The types to search.
    pub item_types: Vec<ItemType>,
    /// The places to search.
    pub source: SearchSource,
    /// How many hits a page has.
    pub limit: HitLimit,
    /// The filters that hits must pass.
    pub filters: Vec<SearchFilter>,
    /// The way in which items are matched.
    pub mode: SearchMode,
    /// The way in which hits of different types are ordered.
    pub rank: RankMode,
    /// Whether entries that are linked with the hits of a page are added to it.
    pub related: RelatedHits,
    /// How much is said about each hit.
    pub detail: HitDetail,
    /// The cursor of the page.
    pub cursor: Option<Cursor>,
}

impl Default for Search {
    fn default() -> Self {
        Self {
            query: String::new(),
            item_types: SEARCHABLE_TYPES.to_vec(),
            source: SearchSource::Default,
            limit: HitLimit::Best,
            filters: Vec::new(),
            mode: SearchMode::Hybrid,
            rank: RankMode::ByType,
            related: RelatedHits::LeftOut,
            detail: HitDetail::Brief,
            cursor: None,
        }
    }
}

/// How many hits a page has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitLimit {
    /// The best five of all types together, without hits that are far below the best.
    Best,
    /// So many of each type, or altogether.
    Given(usize),
}

impl HitLimit {
    /// The number of hits on a page if the request does not say.
    const BEST_HITS: usize = 5;

    /// Returns how many hits a list of a page has.
    pub fn page_size(self) -> usize {
        match self {
            Self::Best => Self::BEST_HITS,
            Self::Given(limit) => limit,
        }
    }
}

/// How much is said about each hit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HitDetail {
    /// What is needed to decide whether to load it.
    Brief,
    /// Everything that is known about it.
    Full,
}

/// The places in which items are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SearchSource {
    /// Everything that is configured.
    #[default]
    Default,
    /// The project and the user's space.
    Local,
    /// The registry.
    Registry,
    /// All of them.
    All,
}

/// The way in which items are matched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SearchMode {
    /// By words and by meaning.
    Hybrid,
    /// By words alone.
    Text,
    /// By meaning alone.
    Vector,
}

impl SearchMode {
    /// Returns the mode's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Hybrid => "hybrid",
            Self::Text => "text",
            Self::Vector => "vector",
        }
    }
}

/// The way in which hits of different types are ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RankMode {
    /// One list for each type.
    ByType,
    /// One list for all types.
    Unified,
}

/// Whether a page also has the entries that are linked with its hits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelatedHits {
    /// Only hits.
    LeftOut,
    /// Also the entries that are one link away from a hit, marked as related.
    Included,
}

/// A condition that hits of some types must meet; hits of other types pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchFilter {
    /// The types.
    pub item_types: Vec<ItemType>,
    /// The condition.
    pub condition: SearchCondition,
}

/// A condition that a hit must meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SearchCondition {
    /// It lies in this category or below it.
    Category(Category),
    /// It has this tag.
    Tag(String),
    /// It is a knowledge entry of this type.
    EntryType(String),
    /// It is a tool of this type.
    ToolType(String),
    /// It is run by this tool.
    Executor(String),
    /// It is meant for models of this tier.
    ModelTier(String),
    /// It is linked with this entry, in either direction.
    RelatedTo(ItemRef),
}

/// The most filters of a call, because each one costs a postings list.
const MAX_FILTERS: usize = 32;

/// The names of the filters, and the types that each applies to.
const FILTER_TYPES: [(&str, &[ItemType]); 7] = [
    ("category", &SEARCHABLE_TYPES),
    ("tags", &[ItemType::Knowledge, ItemType::Memory]),
    ("entry_type", &[ItemType::Knowledge]),
    ("related_to", &[ItemType::Knowledge]),
    ("tool_type", &[ItemType::Tool]),
    ("executor", &[ItemType::Tool]),
    ("model_tier", &[ItemType::Directive]),
];

const FILTERS_FORM: &str = "`category`, `tags`, `entry_type`, `related_to`, `tool_type`, `executor` and \
    `model_tier`, each for the types that have it, or by type, such as {\"knowledge\": {\"tags\": \
    [\"x\"]}}";

impl SearchFilter {
    /// Makes a filter for all types that can meet a condition.
    pub fn from_condition(condition: SearchCondition) -> Self {
        let kinds = FILTER_TYPES.iter().find(|(name, _)| *name == condition.name());
        Self { item_types: kinds.map(|(_, kinds)| kinds.to_vec()).unwrap_or_default(), condition }
    }

    /// Parses the filters of a name and a value for some types. Returns `None` if they are not
    /// valid.
    pub fn parse(name: &str, value: &Value, among: &[ItemType]) -> Option<Vec<Self>> {
        let (_, kinds) = FILTER_TYPES.iter().find(|(known, _)| *known == name)?;
        let kinds = kinds.iter().copied().filter(|kind| among.contains(kind)).collect::<Vec<_>>();
        if kinds.is_empty() {
            return None;
        }
        let conditions = match (name, value) {
            ("tags", Value::Array(tags)) => {
                let tags =
                    tags.iter().map(|tag| Some(SearchCondition::Tag(tag.as_str()?.to_owned())));
                tags.collect::<Option<Vec<_>>>()?
            }
            (_, Value::String(text)) => vec![SearchCondition::parse(name, text)?],
            _ => return None,
        };
        let filters = conditions.into_iter();
        Some(filters.map(|condition| Self { item_types: kinds.clone(), condition }).collect())
    }
}

impl SearchCondition {
    /// Returns the name of the filter.
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

    fn parse(name: &str, text: &str) -> Option<Self> {
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
    let query =
        query.ok_or_else(|| arguments.missing_error("query", "words to look for"))?.to_owned();
    let source = match arguments.choice("source")? {
        None => SearchSource::Default,
        Some("registry") => SearchSource::Registry,
        Some("all") => SearchSource::All,
        Some(_) => SearchSource::Local,
    };
    let mode = match arguments.choice_or_default("mode")? {
        "text" => SearchMode::Text,
        "vector" => SearchMode::Vector,
        _ => SearchMode::Hybrid,
    };
    let rank = match arguments.choice_or_default("rank")? {
        "unified" => RankMode::Unified,
        _ => RankMode::ByType,
    };
    Ok(Verb::Items(ItemVerb::Search(Search {
        query,
        item_types: parse_item_types(arguments)?,
        source,
        limit: parse_limit(arguments)?,
        filters: parse_filters(arguments)?,
        mode,
        rank,
        related: if arguments.flag("include_relationships")? {
            RelatedHits::Included
        } else {
            RelatedHits::LeftOut
        },
        detail: match arguments.choice_or_default("detail")? {
            "full" => HitDetail::Full,
            _ => HitDetail::Brief,
        },
        cursor: arguments.cursor()?,
    })))
}

fn parse_limit(arguments: &Arguments<'_>) -> Result<HitLimit, CallError> {
    Ok(match arguments.count("limit")? {
        0 => HitLimit::Best,
        limit => HitLimit::Given(limit),
    })
}

fn parse_item_types(arguments: &Arguments<'_>) -> Result<Vec<ItemType>, CallError> {
    const TAKES: &str = "some of `directive`, `tool`, `knowledge` and `memory`";
    let Some(names) = arguments.texts("item_types")? else { return Ok(SEARCHABLE_TYPES.to_vec()) };
    let malformed = || arguments.malformed_error("item_types", TAKES);
    let mut kinds = Vec::new();
    for word in names {
        let kind = word.parse().map_err(|_| malformed())?;
        if !SEARCHABLE_TYPES.contains(&kind) {
            return Err(malformed());
        }
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    if kinds.is_empty() { Err(malformed()) } else { Ok(kinds) }
}

fn parse_filters(arguments: &Arguments<'_>) -> Result<Vec<SearchFilter>, CallError> {
    let malformed = || arguments.malformed_error("filters", FILTERS_FORM);
    let mut filters = Vec::new();
    for (name, value) in arguments.object("filters")? {
        let own = match (name.parse::<ItemType>(), &value) {
            (Ok(kind), Value::Object(own)) => parse_type_filters(own, kind),
            _ => SearchFilter::parse(&name, &value, &SEARCHABLE_TYPES),
        };
        filters.extend(own.ok_or_else(malformed)?);
    }
    if filters.len() > MAX_FILTERS {
        return Err(arguments.malformed_error("filters", "at most 32 conditions"));
    }
    Ok(filters)
}

fn parse_type_filters(own: &Map<String, Value>, kind: ItemType) -> Option<Vec<SearchFilter>> {
    let filters = own.iter().map(|(name, value)| SearchFilter::parse(name, value, &[kind]));
    Some(filters.collect::<Option<Vec<_>>>()?.concat())
}
