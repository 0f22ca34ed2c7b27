//! The related entries and the successor of an item, as `load` reports them.
//!
//! Both come from the search index, and name only entries that the caller may see.

use mere_core::graph::{Direction, Graph, NodeId, RelatedEntries, WalkOptions};
use mere_core::item::bounds;
use mere_core::item::{ItemType, ScopedPath};
use mere_core::reply::{Content, Data, Fields, ParsedName};
use mere_core::text::shorten::shorten;

use super::update::coverage::{Coverage, IndexAnswer};
use super::{SearchContext, SearchError, StalePolicy};
use crate::items::load::item_name;
use crate::items::reply_fields::own_text;

/// The largest number of dangling links that a reply lists.
const MAX_DANGLING: usize = 100;

/// Returns the entries around an item, grouped by direction and relation.
pub(crate) fn relationships(
    context: &SearchContext<'_>,
    place: &ScopedPath,
    walk: &WalkOptions,
) -> Result<Option<Fields>, SearchError> {
    if !matches!(place.kind, ItemType::Knowledge | ItemType::Directive) {
        return Ok(None);
    }
    let IndexAnswer { value: (graph, cut), coverage } =
        context.with_current_index(|live_index| {
            live_index.graph_around(place, walk, context.visibility())
        })?;
    let incomplete = coverage.incomplete_field();
    let Some(node) = graph.node_at(place) else {
        return Ok(Some(Fields::default().with_some("incomplete", incomplete)));
    };
    let related = graph.walk(node, walk);
    let unresolved = graph.unresolved_links(node);
    let dangling = unresolved.iter().take(MAX_DANGLING).map(|unresolved| {
        let target = Content::mention(unresolved.target.to_string());
        Fields::default().with("relation", unresolved.relation.name()).with("target", target).into()
    });
    let dangling = dangling.collect::<Vec<Data>>();
    let some = |count: usize| Some(count as u64).filter(|count| *count > 0);
    let omitted = some(unresolved.len() - dangling.len());
    let left_out = some(related.omitted_count + cut);
    let fields = Direction::ALL.into_iter().fold(Fields::default(), |fields, direction| {
        fields.with_some(direction.name(), related_fields(&graph, &related, direction))
    });
    Ok(Some(
        fields
            .with_some("dangling", (!dangling.is_empty()).then_some(Data::List(dangling)))
            .with_some("dangling_left_out", omitted)
            .with_some("left_out", left_out)
            .with_some("incomplete", incomplete),
    ))
}

/// Returns the entries reached in one direction, grouped by relation.
fn related_fields(graph: &Graph, related: &RelatedEntries, direction: Direction) -> Option<Fields> {
    let groups = related.groups.iter().filter(|((_, linked), _)| *linked == direction);
    let mut groups = groups.peekable();
    groups.peek()?;
    Some(groups.fold(Fields::default(), |fields, ((relation, _), reached)| {
        let entries = reached.iter().map(|one| {
            let via = (one.distance > 1).then(|| Content::mention(graph.node(one.via).to_string()));
            entry_fields(graph, one.node)
                .with("distance", u64::from(one.distance))
                .with_some("via", via)
                .into()
        });
        fields.with(relation.name(), Data::List(entries.collect()))
    }))
}

fn entry_fields(graph: &Graph, node: NodeId) -> Fields {
    let own = graph.node(node);
    Fields::default()
        .with("item_type", own.kind.name())
        .with("id", own_text(&own.id))
        .with("category", ParsedName::from(&*own.category))
        .with("scope", own.scope.name())
        .with_some("address", own.address())
        .with("title", Content::mention(shorten(&own.title, bounds::TITLE.most)))
        .with_some(
            "entry_type",
            own.entry_type.as_ref().map(|kind| Content::mention(kind.to_string())),
        )
}

/// Returns the name of the entry that supersedes this one, if there is one.
pub(crate) fn find_successor(
    context: &SearchContext<'_>,
    place: &ScopedPath,
) -> Option<ParsedName> {
    if place.kind != ItemType::Knowledge {
        return None;
    }
    let found = context.try_with_index(StalePolicy::Accept, |live_index| {
        let found = live_index.successor(place, context.visibility())?;
        let is_current = match &found {
            Some(found) if live_index.coverage != Coverage::Complete => {
                live_index.detector.is_current(&live_index.index, found)?
            }
            _ => true,
        };
        Ok(found.filter(|_| is_current))
    });
    // A failure of the search index must not prevent loading an item.
    let found = found.unwrap_or_else(|error| {
        tracing::debug!(?error, "the search index could not say what superseded an entry");
        None
    });
    found.and_then(|answer| answer.value).map(|place| item_name(&place))
}
