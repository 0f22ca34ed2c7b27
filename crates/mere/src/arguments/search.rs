//! The arguments of `mere search`.
//!
//! They become the same request as an agent's `search`; the query itself is parsed by the engine.

use clap::{Args, ValueEnum};
use mere_core::cursor::Cursor;
use mere_core::item::{Category, ItemRef, ItemType};
use mere_core::request::{
    HitDetail, HitLimit, RankMode, RelatedHits, Search, SearchCondition, SearchFilter, SearchMode,
    SearchSource,
};

use super::items::TypeArgument;
use super::{AnswerArguments, SessionArguments};

/// A query, where to search, and which conditions hits must meet.
#[derive(Args)]
#[command(after_help = "Examples:
  mere search retry with backoff
  mere search '\"circuit breaker\" -draft'     a phrase, and a word to exclude
  mere search 'deploy* tag:ops'              a word prefix, and a tag
  mere search --type note --category api tokens
  mere search -- -draft x                    a query that begins with a dash")]
pub(crate) struct SearchArguments {
    /// What to look for; several words form one query
    #[arg(required = true, value_name = "QUERY")]
    query: Vec<String>,
    /// Only items of this type: directive (or skill), tool, knowledge (or note), memory; may be
    /// repeated
    #[arg(long = "type", value_name = "TYPE", value_parser = parse_searched_type)]
    kinds: Vec<ItemType>,
    /// Where to look [default: everywhere that is configured]
    #[arg(long, value_enum)]
    source: Option<SearchSourceArgument>,
    /// How many hits of each type, or in total with `--unified`, 1 to 100, weak ones too
    /// [default: the best five]
    #[arg(long, value_name = "HITS", value_parser = clap::value_parser!(u8).range(1..=100))]
    limit: Option<u8>,
    /// Search by words and meaning, by words alone, or by meaning alone
    #[arg(long, value_enum, default_value_t = SearchModeArgument::Hybrid)]
    mode: SearchModeArgument,
    /// One list of all types, best first
    #[arg(long)]
    unified: bool,
    /// Add the knowledge entries that are linked with the hits
    #[arg(long)]
    related: bool,
    /// Start at the page that the previous page names
    #[arg(long, value_name = "NEXT")]
    cursor: Option<Cursor>,
    #[command(flatten)]
    pub(crate) session: SessionArguments,
    #[command(flatten)]
    pub(crate) answer: AnswerArguments,
    #[command(flatten)]
    filters: FilterArguments,
}

/// The conditions that hits must meet. A filter applies to the types that have such a property;
/// other types pass.
#[derive(Args)]
#[command(next_help_heading = "Filters (each applies to the types that have the property)")]
struct FilterArguments {
    /// Only this category and those below it
    #[arg(long, value_name = "CATEGORY")]
    category: Option<Category>,
    /// Knowledge and memories with this tag; if repeated, with all of them
    #[arg(long = "tag", value_name = "TAG")]
    tags: Vec<String>,
    /// Knowledge of this kind, such as reference
    #[arg(long, value_name = "KIND")]
    entry_type: Option<String>,
    /// Knowledge that links to this entry or is linked from it
    #[arg(long, value_name = "ID")]
    related_to: Option<ItemRef>,
    /// Tools of this kind, such as script
    #[arg(long, value_name = "KIND")]
    tool_type: Option<String>,
    /// Tools with this executor
    #[arg(long, value_name = "ID")]
    executor: Option<String>,
    /// Directives for models of this tier
    #[arg(long, value_name = "TIER")]
    model_tier: Option<String>,
}

/// Where to search.
#[derive(Clone, Copy, ValueEnum)]
enum SearchSourceArgument {
    /// In the project and in your own space
    Local,
    /// In the registry
    Registry,
    /// In all of them
    All,
}

/// How items are matched.
#[derive(Clone, Copy, ValueEnum)]
enum SearchModeArgument {
    /// By words and by meaning
    Hybrid,
    /// By words alone
    Text,
    /// By meaning alone
    Vector,
}

impl SearchArguments {
    /// Builds the request.
    pub(crate) fn to_search(&self) -> Search {
        let usual = Search::default();
        Search {
            query: self.query.join(" "),
            item_types: if self.kinds.is_empty() {
                usual.item_types
            } else {
                remove_duplicates(&self.kinds)
            },
            source: match self.source {
                None => SearchSource::Default,
                Some(SearchSourceArgument::Local) => SearchSource::Local,
                Some(SearchSourceArgument::Registry) => SearchSource::Registry,
                Some(SearchSourceArgument::All) => SearchSource::All,
            },
            limit: self.limit.map_or(HitLimit::Best, |limit| HitLimit::Given(limit.into())),
            filters: self.filters.filters(),
            mode: match self.mode {
                SearchModeArgument::Hybrid => SearchMode::Hybrid,
                SearchModeArgument::Text => SearchMode::Text,
                SearchModeArgument::Vector => SearchMode::Vector,
            },
            rank: if self.unified { RankMode::Unified } else { RankMode::ByType },
            related: if self.related { RelatedHits::Included } else { RelatedHits::LeftOut },
            detail: HitDetail::Full,
            cursor: self.cursor.clone(),
        }
    }
}

impl FilterArguments {
    fn filters(&self) -> Vec<SearchFilter> {
        let category = self.category.iter().cloned().map(SearchCondition::Category);
        let tags = self.tags.iter().cloned().map(SearchCondition::Tag);
        let own = [
            self.entry_type.clone().map(SearchCondition::EntryType),
            self.related_to.clone().map(SearchCondition::RelatedTo),
            self.tool_type.clone().map(SearchCondition::ToolType),
            self.executor.clone().map(SearchCondition::Executor),
            self.model_tier.clone().map(SearchCondition::ModelTier),
        ];
        category
            .chain(tags)
            .chain(own.into_iter().flatten())
            .map(SearchFilter::from_condition)
            .collect()
    }
}

/// Parses a type that can be searched.
fn parse_searched_type(text: &str) -> Result<ItemType, String> {
    let kind = text.parse::<TypeArgument>().map_err(|error| error.to_string())?.kind;
    let is_searched = Search::default().item_types.contains(&kind);
    is_searched
        .then_some(kind)
        .ok_or_else(|| format!("items of type {} cannot be searched", kind.name()))
}

/// Removes duplicates and keeps the order.
fn remove_duplicates(kinds: &[ItemType]) -> Vec<ItemType> {
    let mut seen = Vec::new();
    for kind in kinds {
        if !seen.contains(kind) {
            seen.push(*kind);
        }
    }
    seen
}
