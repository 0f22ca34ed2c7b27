//! The knowledge graph as the index stores it: all of it, or the part around one entry.
//!
//! Only a graph can resolve a name. To answer a question about a few entries, a small graph is
//! therefore built from every item that has one of the names in question, so that it resolves them
//! as the full graph would.

pub(crate) mod link_rename;

use std::collections::{HashMap, HashSet};

use mere_core::graph::{
    Direction, Graph, GraphBuilder, GraphEntry, Link, NodeId, Resolution, WalkOptions,
};
use mere_core::item::{ItemRef, ItemType, Relation, Scope, ScopedPath};

use super::error::SearchError;
use super::index::LinkableItem;
use super::update::live_index::LiveIndex;

/// The most entries around one that are collected; a hub may have very many.
const MAX_NEIGHBOURHOOD: usize = 5_000;

/// A predicate over items, such as whether an item is visible.
pub(crate) type ItemPredicate<'a> = &'a dyn Fn(&ScopedPath) -> bool;

/// What the viewer of a graph may see and trust.
#[derive(Clone, Copy)]
pub(crate) struct GraphVisibility<'a> {
    pub(crate) is_visible: ItemPredicate<'a>,
    /// Whether the content of an item counts. An item that is not what was signed has a name and
    /// nothing else: no title and no links.
    pub(crate) is_trusted: ItemPredicate<'a>,
}

impl LiveIndex {
    /// Builds the graph of every visible entry.
    pub(crate) fn full_graph(&self, audience: GraphVisibility<'_>) -> Result<Graph, SearchError> {
        let mut builder = GraphBuilder::default();
        for linked in self.index.linkable_items()? {
            if let Some(place) = self.visible_place(&linked, audience.is_visible) {
                builder.add(if (audience.is_trusted)(&place) {
                    graph_entry(&place, &linked, self.index.links_of(linked.item)?)
                } else {
                    untrusted_entry(&place)
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
        audience: GraphVisibility<'_>,
    ) -> Result<(Graph, usize), SearchError> {
        let mut around = Neighbourhood::new(self, audience, MAX_NEIGHBOURHOOD);
        around.add_named(&qualified_name(place))?;
        let own = around.entries.iter().filter(|(_, known)| {
            known.place.kind == place.kind && known.place.scope == place.scope
        });
        let own = own.map(|(item, _)| *item).collect();
        around.collect_walk(own, walk)?;
        Ok((around.build_graph(), around.omitted.len()))
    }

    /// Returns the numbers of the items linked with an entry in either direction. If the name fits
    /// several entries, the items linked with any of them are returned.
    pub(crate) fn related_items(
        &self,
        name: &ItemRef,
        audience: GraphVisibility<'_>,
    ) -> Result<Vec<u32>, SearchError> {
        let walk = WalkOptions { limit: usize::MAX, ..WalkOptions::default() };
        let mut around = Neighbourhood::new(self, audience, usize::MAX);
        around.add_named(name)?;
        let graph = around.build_graph();
        let own = around.items_of_nodes(&graph, &matching_nodes(&graph, name));
        around.collect_walk(own, &walk)?;
        let graph = around.build_graph();
        let mut related = Vec::new();
        for node in matching_nodes(&graph, name) {
            let groups = graph.walk(node, &walk).groups;
            related.extend(groups.into_values().flatten().map(|reached| reached.node));
        }
        let mut related = around.items_of_nodes(&graph, &related);
        related.sort_unstable();
        Ok(related)
    }

    /// Returns the visible entry that superseded this one, if there is one.
    pub(crate) fn successor(
        &self,
        place: &ScopedPath,
        audience: GraphVisibility<'_>,
    ) -> Result<Option<ScopedPath>, SearchError> {
        let pointing = self.index.links_to(place, Some(Relation::Supersedes))?;
        if pointing.is_empty() {
            return Ok(None);
        }
        let mut around = Neighbourhood::new(self, audience, usize::MAX);
        around.add_named(&qualified_name(place))?;
        around.add_pointing(place, pointing)?;
        let graph = around.build_graph();
        let found = graph.node_at(place).and_then(|node| graph.succession(node));
        let first = found.and_then(|found| found.direct.first().copied());
        let mut others = around.entries.into_values().map(|known| known.place);
        Ok(first.and_then(|first| others.find(|other| graph.node_at(other) == Some(first))))
    }

    /// Returns where an entry lies, if it is visible.
    pub(super) fn visible_place(
        &self,
        linked: &LinkableItem,
        shows: ItemPredicate<'_>,
    ) -> Option<ScopedPath> {
        self.item_at(linked.corpus, &linked.path).filter(|place| shows(place))
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

fn qualified_name(place: &ScopedPath) -> ItemRef {
    ItemRef { category: Some(place.category.clone()), id: place.id.clone(), version: None }
}

fn graph_entry(place: &ScopedPath, linked: &LinkableItem, links: Vec<Link>) -> GraphEntry {
    GraphEntry::new(place, linked.title.as_str(), links)
        .with_entry_type(linked.entry_type.as_deref())
}

/// Returns an entry with its name only, for an item whose content is not trusted.
fn untrusted_entry(place: &ScopedPath) -> GraphEntry {
    GraphEntry::new(place, place.id.as_str(), Vec::new())
}

/// The entries collected so far, such that their graph resolves names as the graph of all entries
/// would.
struct Neighbourhood<'a> {
    live_index: &'a LiveIndex,
    visibility: GraphVisibility<'a>,
    /// From this number on, entries that are not needed to resolve a name are left out.
    max_entries: usize,
    entries: HashMap<u32, VisibleEntry>,
    /// The names whose candidates have all been collected. Links to other names are not followed.
    resolved_names: HashSet<ItemRef>,
    /// The items that were left out.
    omitted: HashSet<u32>,
}

/// A visible entry.
struct VisibleEntry {
    place: ScopedPath,
    indexed: LinkableItem,
    /// The links that matter so far.
    links: Vec<Link>,
    /// Whether `links` holds all of the item's links.
    has_all_links: bool,
    is_trusted: bool,
}

impl<'a> Neighbourhood<'a> {
    fn new(live_index: &'a LiveIndex, visibility: GraphVisibility<'a>, max_entries: usize) -> Self {
        let (entries, resolved_names, omitted) = (HashMap::new(), HashSet::new(), HashSet::new());
        Self { live_index, visibility, max_entries, entries, resolved_names, omitted }
    }

    /// Collects every item that a name can stand for, so that the name is resolved from now on.
    fn add_named(&mut self, name: &ItemRef) -> Result<Vec<u32>, SearchError> {
        let found = self.live_index.index.items_named(name)?;
        let mut items = found.iter().map(|linked| linked.item).collect::<Vec<_>>();
        if !self.is_resolved(name) {
            self.resolved_names.insert(name.clone());
            for linked in found {
                self.add_entry(linked)?;
            }
        }
        items.retain(|item| self.entries.contains_key(item));
        Ok(items)
    }

    fn is_resolved(&self, name: &ItemRef) -> bool {
        let bare = || ItemRef { category: None, ..name.clone() };
        self.resolved_names.contains(name) || self.resolved_names.contains(&bare())
    }

    /// Adds an entry if it is visible, together with whatever may shadow it.
    fn add_entry(&mut self, linked: LinkableItem) -> Result<(), SearchError> {
        let item = linked.item;
        if self.entries.contains_key(&item) {
            return Ok(());
        }
        let Some(place) = self.live_index.visible_place(&linked, self.visibility.is_visible) else {
            return Ok(());
        };
        let name = (place.scope != Scope::Project).then(|| qualified_name(&place));
        let is_believed = (self.visibility.is_trusted)(&place);
        let known = VisibleEntry {
            place,
            indexed: linked,
            links: Vec::new(),
            has_all_links: false,
            is_trusted: is_believed,
        };
        self.entries.insert(item, known);
        self.omitted.remove(&item);
        match name.filter(|name| !self.is_resolved(name)) {
            Some(name) => self.add_named(&name).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Collects whatever a walk from some entries can reach.
    fn collect_walk(&mut self, from: Vec<u32>, walk: &WalkOptions) -> Result<(), SearchError> {
        let mut seen = from.iter().copied().collect::<HashSet<_>>();
        let mut frontier = from;
        for distance in 0..walk.depth.get() {
            let mut next = Vec::new();
            for item in frontier {
                if distance > 0 && self.entries.len() >= self.max_entries {
                    return Ok(());
                }
                let near = self.add_neighbours(item, walk)?.into_iter();
                next.extend(near.filter(|item| seen.insert(*item)));
            }
            frontier = next;
        }
        Ok(())
    }

    /// Collects the items that an item may link to, then those that may link to it.
    fn add_neighbours(&mut self, item: u32, walk: &WalkOptions) -> Result<Vec<u32>, SearchError> {
        let index = &self.live_index.index;
        let Some(known) = self.entries.get_mut(&item) else { return Ok(Vec::new()) };
        known.links = if known.is_trusted { index.links_of(item)? } else { Vec::new() };
        known.has_all_links = true;
        let place = known.place.clone();
        let names = known.links.iter().filter_map(|link| link.target.parse::<ItemRef>().ok());
        let mut near = Vec::new();
        for name in names.collect::<HashSet<_>>() {
            near.extend(self.add_named(&name)?);
        }
        let mut pointing = index.links_to(&place, None)?;
        pointing.retain(|(_, link)| {
            let is_followed = walk.direction != Direction::Outgoing || link.relation.is_symmetric();
            is_followed && walk.relations.contains(link.relation)
        });
        near.extend(self.add_pointing(&place, pointing)?);
        Ok(near)
    }

    /// Adds the items whose links may point to an entry.
    fn add_pointing(
        &mut self,
        place: &ScopedPath,
        pointing: Vec<(LinkableItem, Link)>,
    ) -> Result<Vec<u32>, SearchError> {
        if pointing.iter().any(|(_, link)| link.target == place.id.as_str()) {
            self.add_named(&ItemRef { category: None, ..qualified_name(place) })?;
        }
        let mut near = Vec::new();
        for (linked, link) in pointing {
            let item = linked.item;
            if self.entries.len() >= self.max_entries && !self.entries.contains_key(&item) {
                let shown = self.live_index.visible_place(&linked, self.visibility.is_visible);
                self.omitted.extend(shown.map(|_| item));
                continue;
            }
            self.add_entry(linked)?;
            let known = self.entries.get_mut(&item);
            if let Some(known) = known.filter(|known| known.is_trusted) {
                near.push(item);
                if !known.has_all_links {
                    known.links.push(link);
                }
            }
        }
        Ok(near)
    }

    /// Builds the graph of the entries collected so far.
    fn build_graph(&self) -> Graph {
        let entries = self.entries.values().map(|known| {
            if !known.is_trusted {
                return untrusted_entry(&known.place);
            }
            let links = known.links.iter().filter(|link| self.has_known_target(link)).cloned();
            graph_entry(&known.place, &known.indexed, links.collect())
        });
        entries.collect()
    }

    /// Checks whether the target of a link is resolved, even if it resolves to nothing.
    fn has_known_target(&self, link: &Link) -> bool {
        let name = link.target.parse::<ItemRef>();
        name.map_or(true, |name| name.version.is_some() || self.is_resolved(&name))
    }

    /// Returns the numbers of the collected items that belong to some nodes of their graph.
    fn items_of_nodes(&self, graph: &Graph, nodes: &[NodeId]) -> Vec<u32> {
        let nodes = nodes.iter().copied().collect::<HashSet<_>>();
        let all = self.entries.iter();
        let found = all.filter(|(_, known)| {
            graph.node_at(&known.place).is_some_and(|node| nodes.contains(&node))
        });
        found.map(|(item, _)| *item).collect()
    }
}
