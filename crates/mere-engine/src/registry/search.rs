//! Searching a registry. That it cannot be reached is said, and is never an error of the search.

use std::time::Duration;

use mere_core::address::AgentName;
use mere_core::gate::Gate;
use mere_core::item::ItemType;
use mere_core::registry::{
    MAX_PAGE_ITEMS, RegistryItemPage, RegistryItemRow, RegistryQuery, RegistryType,
};
use mere_core::reply::{Content, Data, Fields, ParsedName};
use mere_core::request::{HitDetail, RankMode, Search, SearchCondition, SearchSource};

use super::listing::search_items;
use super::{RegistryChoice, RegistryError};
use crate::files::redaction::MaskedText;
use crate::items::reply_fields::own_text;
use crate::search::{RegistryAnswer, RegistryHit, SUMMARY_LENGTH};

/// How long a search waits for a registry that nobody asked for by name.
const SHORT_PATIENCE: Duration = Duration::from_millis(1_500);
/// How long it waits for one that was asked for.
const LONG_PATIENCE: Duration = Duration::from_secs(5);

/// The trust of an item that was only found: its signature is checked when it is installed.
const NOT_CHECKED: &str = "not checked";

/// Asks the registry, if the search covers it.
pub(crate) fn search_registry(
    choice: RegistryChoice<'_>,
    request: &Search,
    agent_gate: &Gate,
) -> RegistryAnswer {
    let is_named = match request.source {
        SearchSource::Local => return RegistryAnswer::NotAsked,
        SearchSource::Default => false,
        SearchSource::Registry | SearchSource::All => true,
    };
    // The hits of a registry are on the first page.
    if request.cursor.is_some() {
        return RegistryAnswer::NotAsked;
    }
    let query = match build_query(request, agent_gate) {
        Ok(Some(query)) => query,
        Err(why) if is_named => return RegistryAnswer::Unavailable(why.to_owned()),
        Ok(None) | Err(_) => return RegistryAnswer::NotAsked,
    };
    let patience = if is_named { LONG_PATIENCE } else { SHORT_PATIENCE };
    let found =
        choice.open(patience).and_then(|registry| search_items(&registry.connection, &query));
    match found {
        Ok(page) => found_hits(&page, request),
        Err(RegistryError::NoLogin) => answer_without_registry(request),
        Err(error) => {
            tracing::info!(%error, "the registry could not be searched");
            RegistryAnswer::Unavailable("The registry is not available".to_owned())
        }
    }
}

/// Answers a search where there is no registry.
pub(crate) fn answer_without_registry(request: &Search) -> RegistryAnswer {
    match request.source {
        SearchSource::Registry | SearchSource::All => RegistryAnswer::NotConfigured,
        SearchSource::Local | SearchSource::Default => RegistryAnswer::NotAsked,
    }
}

/// Builds the query, as an agent would see it: what a caller typed leaves the machine. Returns `None`
/// if the search is about nothing that registries have, and an error if they cannot filter so.
fn build_query(request: &Search, agent_gate: &Gate) -> Result<Option<RegistryQuery>, &'static str> {
    let types = request.item_types.iter().filter_map(|kind| RegistryType::try_from(*kind).ok());
    let types = types.collect::<Vec<_>>();
    if types.is_empty() {
        return Ok(None);
    }
    let mut category = None;
    for filter in &request.filters {
        match &filter.condition {
            SearchCondition::Category(wanted) => category = Some(wanted.clone()),
            _ => return Err("The registry cannot be searched with this filter"),
        }
    }
    let masked = MaskedText::mask_whole(request.query.clone()).text;
    let text = agent_gate.preview(&masked, &AgentName::default()).unwrap_or_default();
    let text = text.chars().take(256).collect::<String>();
    let limit = u16::try_from(request.limit.page_size()).unwrap_or(MAX_PAGE_ITEMS);
    let limit = limit.clamp(1, MAX_PAGE_ITEMS);
    let limit = Some(limit);
    Ok(Some(RegistryQuery { text, types, category, limit, ..RegistryQuery::default() }))
}

fn found_hits(page: &RegistryItemPage, request: &Search) -> RegistryAnswer {
    let total = page.total.unwrap_or(page.items.len() as u64);
    let hits = page.items.iter().map(|row| RegistryHit {
        kind: ItemType::from(row.item_type),
        fields: match request.detail {
            HitDetail::Brief => brief_fields(row, request.rank),
            HitDetail::Full => full_fields(row),
        },
    });
    RegistryAnswer::Found { hits: hits.collect(), total }
}

/// Returns what is needed to decide whether to install an item.
fn brief_fields(row: &RegistryItemRow, rank: RankMode) -> Fields {
    let item_type = (rank == RankMode::Unified).then(|| row.item_type.name());
    Fields::default()
        .with_some("item_type", item_type)
        .with("ref", reference(row))
        .with("title", Content::mention(&*row.name).shorten(200))
        .with("summary", Content::mention(&*row.description).shorten(SUMMARY_LENGTH))
        .with("trust", NOT_CHECKED)
        .with("source", "registry")
}

/// Returns everything that a registry says about an item. What does not apply is null.
fn full_fields(row: &RegistryItemRow) -> Fields {
    let text = |text: &str, most| Content::mention(text).shorten(most);
    Fields::default()
        .with("item_type", row.item_type.name())
        .with("id", own_text(&row.item_id))
        .with("ref", reference(row))
        .with("category", ParsedName::from(&row.category))
        .with("scope", "registry")
        .with("source", "registry")
        .with("address", Data::Null)
        .with("title", text(&row.name, 200))
        .with("description", text(&row.description, 400))
        .with("score", Data::Null)
        .with("preview", text(&row.description, 400))
        .with("trust", Fields::default().with("status", NOT_CHECKED))
        .with("version", own_text(&row.latest_version))
        .with("updated_at", Data::Null)
        .with("shadowed_by", Data::Null)
        .with("superseded_by", Data::Null)
}

fn reference(row: &RegistryItemRow) -> Content {
    Content::mention(format!("{}/{}", row.namespace, row.item_id))
}
