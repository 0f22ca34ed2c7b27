//! The knowledge graph as the index stores it: all of it, or the part around one entry.
//!
//! Only a graph can resolve a name. To answer a question about a few entries, a small graph is
//! therefore built from every item that has one of the names in question, so that it resolves them
//! as the full graph would.

pub(crate) mod link_rename;
mod neighbourhood;

use std::collections::HashMap;

use mere_core::graph::{Direction, Graph, GraphBuilder, NodeId, Resolution, WalkOptions};
use mere_core::item::{ItemRef, ItemType, Relation, ScopedPath};
use mere_core::trust::Vouching;

use super::error::SearchError;
use super::index::LinkableItem;
use super::update::live_index::LiveIndex;
use neighbourhood::{Neighbourhood, graph_entry, qualified_name, untrusted_entry};

/// The most entries around one that are collected; a hub may have very many.
const MAX_NEIGHBOURHOOD: usize = 5_000;

/// A predicate over items, such as whether an item is visible.
pub(crate) type ItemPredicate<'a> = &'a dyn Fn(&ScopedPath) -> bool;

/// What counts of an item in a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EntryTrust {
    /// It is not what was signed, or may not be used: it has a name and nothing else, neither a
    /// title nor links.
    NameOnly(Vouching),
    /// Its content counts, as far as somebody vouches for it.
    Content(Vouching),
}

/// What the viewer of a graph may see and trust.
#[derive(Clone, Copy)]
pub(crate) struct GraphVisibility<'a> {
    pub(crate) is_visible: ItemPredicate<'a>,
    /// What counts of an item.
    pub(crate) trust_of: &'a dyn Fn(&ScopedPath) -> EntryTrust,
}

/// An entry that a walk reaches, and the link that leads to it.
pub(crate) struct LinkedEntry {
    /// Its number in the index.
    pub(crate) item: u32,
    pub(crate) place: ScopedPath,
    pub(crate) relation: Relation,
    pub(crate) direction: Direction,
}

impl LiveIndex {
    /// Builds the graph of every visible entry.
    pub(crate) fn full_graph(&self, visibility: GraphVisibility<'_>) -> Result<Graph, SearchError> {
        let mut builder = GraphBuilder::default();
        for linked in self.index.linkable_items()? {
            if let Some(place) = self.visible_place(&linked, visibility.is_visible) {
                builder.add(match (visibility.trust_of)(&place) {
                    EntryTrust::Content(vouching) => {
                        let links = self.index.links_of(linked.item)?;
                        graph_entry(&place, &linked, links).with_vouching(vouching)
                    }
                    EntryTrust::NameOnly(vouching) => {
                        untrusted_entry(&place).with_vouching(vouching)
                    }
                });
            }
        }
        Ok(builder.build())
    }

    /// Builds the graph of whatever a walk from an entry can reach, and returns a lower bound for
    /// the number of entries left out. The entry's own outgoing links are always complete.
    pub(crate) fn graph_around(
        &self,
        place: &ScopedPath,
        walk: &WalkOptions,
        visibility: GraphVisibility<'_>,
    ) -> Result<(Graph, usize), SearchError> {
        let neighbourhood = self.neighbourhood_of(place, walk, visibility)?;
        Ok((neighbourhood.build_graph(), neighbourhood.omitted.len()))
    }

    /// Returns the entries that a walk from an entry reaches.
    pub(crate) fn linked_entries(
        &self,
        place: &ScopedPath,
        walk: &WalkOptions,
        visibility: GraphVisibility<'_>,
    ) -> Result<Vec<LinkedEntry>, SearchError> {
        let neighbourhood = self.neighbourhood_of(place, walk, visibility)?;
        let graph = neighbourhood.build_graph();
        let Some(node) = graph.node_at(place) else { return Ok(Vec::new()) };
        let entries = neighbourhood.entries.iter().map(|(item, entry)| (*item, &entry.place));
        let entries =
            entries.filter_map(|(item, place)| Some((graph.node_at(place)?, (item, place))));
        let entries = entries.collect::<HashMap<_, _>>();
        let groups = graph.walk(node, walk).groups;
        let reached = groups.into_iter().flat_map(|((relation, direction), reached)| {
            reached.into_iter().map(move |reached| (reached.node, relation, direction))
        });
        let reached = reached.filter_map(|(node, relation, direction)| {
            let (item, place) = *entries.get(&node)?;
            Some(LinkedEntry { item, place: place.clone(), relation, direction })
        });
        Ok(reached.collect())
    }

    /// Collects the entries that a walk from an entry can reach.
    fn neighbourhood_of<'a>(
        &'a self,
        place: &ScopedPath,
        walk: &WalkOptions,
        visibility: GraphVisibility<'a>,
    ) -> Result<Neighbourhood<'a>, SearchError> {
        let mut neighbourhood = Neighbourhood::new(self, visibility, MAX_NEIGHBOURHOOD);
        neighbourhood.add_named(&qualified_name(place))?;
        let own = neighbourhood.entries.iter().filter(|(_, known)| {
            known.place.kind == place.kind && known.place.scope == place.scope
        });
        let own = own.map(|(item, _)| *item).collect();
        neighbourhood.collect_walk(own, walk)?;
        Ok(neighbourhood)
    }

    /// Returns the numbers of the items linked with an entry in either direction. If the name fits
    /// several entries, the items linked with any of them are returned.
    pub(crate) fn related_items(
        &self,
        name: &ItemRef,
        visibility: GraphVisibility<'_>,
    ) -> Result<Vec<u32>, SearchError> {
        let walk = WalkOptions { limit: usize::MAX, ..WalkOptions::default() };
        let mut neighbourhood = Neighbourhood::new(self, visibility, usize::MAX);
        neighbourhood.add_named(name)?;
        let graph = neighbourhood.build_graph();
        let own = neighbourhood.items_of_nodes(&graph, &matching_nodes(&graph, name));
        neighbourhood.collect_walk(own, &walk)?;
        let graph = neighbourhood.build_graph();
        let mut related = Vec::new();
        for node in matching_nodes(&graph, name) {
            let groups = graph.walk(node, &walk).groups;
            related.extend(groups.into_values().flatten().map(|reached| reached.node));
        }
        let mut related = neighbourhood.items_of_nodes(&graph, &related);
        related.sort_unstable();
        Ok(related)
    }

    /// Returns the visible entry that superseded this one, if there is one.
    pub(crate) fn successor(
        &self,
        place: &ScopedPath,
        visibility: GraphVisibility<'_>,
    ) -> Result<Option<ScopedPath>, SearchError> {
        let incoming = self.index.links_to(place, Some(Relation::Supersedes))?;
        if incoming.is_empty() {
            return Ok(None);
        }
        let mut neighbourhood = Neighbourhood::new(self, visibility, usize::MAX);
        neighbourhood.add_named(&qualified_name(place))?;
        neighbourhood.add_incoming(place, incoming)?;
        let graph = neighbourhood.build_graph();
        let found = graph.node_at(place).and_then(|node| graph.succession(node));
        let first = found.and_then(|found| found.direct.first().copied());
        let mut others = neighbourhood.entries.into_values().map(|known| known.place);
        Ok(first.and_then(|first| others.find(|other| graph.node_at(other) == Some(first))))
    }

    /// Returns where an entry lies, if it is visible.
    pub(super) fn visible_place(
        &self,
        linked: &LinkableItem,
        is_visible: ItemPredicate<'_>,
    ) -> Option<ScopedPath> {
        self.item_at(linked.corpus, &linked.path).filter(|place| is_visible(place))
    }
}

/// Returns the nodes that a name can stand for.
fn matching_nodes(graph: &Graph, name: &ItemRef) -> Vec<NodeId> {
    match graph.resolve(ItemType::Knowledge, name) {
        Resolution::One(node) => vec![node],
        Resolution::Several(nodes) => nodes,
        Resolution::Nothing => Vec::new(),
    }
}
