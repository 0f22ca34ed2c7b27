//! The entries around some names of the knowledge graph, collected until their graph resolves these
//! names as the graph of all entries would.
//!
//! An item that may shadow a collected one is always collected with it.

use std::collections::{HashMap, HashSet};

use mere_core::graph::{Direction, Graph, GraphEntry, Link, NodeId, WalkOptions};
use mere_core::item::{ItemRef, ItemType, Scope, ScopedPath};
use mere_core::trust::Vouching;

use super::EntryTrust;
use super::GraphVisibility;
use crate::search::error::SearchError;
use crate::search::index::LinkableItem;
use crate::search::update::live_index::LiveIndex;

/// The entries collected so far, such that their graph resolves names as the graph of all entries
/// would.
pub(super) struct Neighbourhood<'a> {
    live_index: &'a LiveIndex,
    visibility: GraphVisibility<'a>,
    /// From this number on, entries that are not needed to resolve a name are left out.
    max_entries: usize,
    pub(super) entries: HashMap<u32, VisibleEntry>,
    /// The names whose candidates have all been collected. Links to other names are not followed.
    resolved_names: HashSet<ItemRef>,
    /// The items that were left out.
    pub(super) omitted: HashSet<u32>,
}

/// A visible entry.
pub(super) struct VisibleEntry {
    pub(super) place: ScopedPath,
    indexed: LinkableItem,
    /// The links that matter so far.
    links: Vec<Link>,
    /// Whether `links` holds all of the item's links.
    has_all_links: bool,
    trust: EntryTrust,
}

impl VisibleEntry {
    fn is_trusted(&self) -> bool {
        matches!(self.trust, EntryTrust::Content(_))
    }

    /// Returns whether an entry of the same name in another scope may shadow this one.
    fn may_be_shadowed(&self) -> bool {
        let (EntryTrust::Content(vouching) | EntryTrust::NameOnly(vouching)) = self.trust;
        let is_note = self.place.kind == ItemType::Knowledge;
        self.place.scope != Scope::Project || is_note && vouching == Vouching::Nobody
    }
}

impl<'a> Neighbourhood<'a> {
    pub(super) fn new(
        live_index: &'a LiveIndex,
        visibility: GraphVisibility<'a>,
        max_entries: usize,
    ) -> Self {
        let (entries, resolved_names, omitted) = (HashMap::new(), HashSet::new(), HashSet::new());
        Self { live_index, visibility, max_entries, entries, resolved_names, omitted }
    }

    /// Collects every item that a name can stand for, so that the name is resolved from now on.
    pub(super) fn add_named(&mut self, name: &ItemRef) -> Result<Vec<u32>, SearchError> {
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
        let trust = (self.visibility.trust_of)(&place);
        let (links, has_all_links) = (Vec::new(), false);
        let known = VisibleEntry { place, indexed: linked, links, has_all_links, trust };
        let name = known.may_be_shadowed().then(|| qualified_name(&known.place));
        self.entries.insert(item, known);
        self.omitted.remove(&item);
        match name.filter(|name| !self.is_resolved(name)) {
            Some(name) => self.add_named(&name).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Collects whatever a walk from some entries can reach.
    pub(super) fn collect_walk(
        &mut self,
        from: Vec<u32>,
        walk: &WalkOptions,
    ) -> Result<(), SearchError> {
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
        known.links = if known.is_trusted() { index.links_of(item)? } else { Vec::new() };
        known.has_all_links = true;
        let place = known.place.clone();
        let names = known.links.iter().filter_map(|link| link.target.parse::<ItemRef>().ok());
        let mut near = Vec::new();
        for name in names.collect::<HashSet<_>>() {
            near.extend(self.add_named(&name)?);
        }
        let mut incoming = index.links_to(&place, None)?;
        incoming.retain(|(_, link)| {
            let is_followed = walk.direction != Direction::Outgoing || link.relation.is_symmetric();
            is_followed && walk.relations.contains(link.relation)
        });
        near.extend(self.add_incoming(&place, incoming)?);
        Ok(near)
    }

    /// Adds the items whose links may point to an entry.
    pub(super) fn add_incoming(
        &mut self,
        place: &ScopedPath,
        incoming: Vec<(LinkableItem, Link)>,
    ) -> Result<Vec<u32>, SearchError> {
        if incoming.iter().any(|(_, link)| link.target == place.id.as_str()) {
            self.add_named(&ItemRef { category: None, ..qualified_name(place) })?;
        }
        let mut near = Vec::new();
        for (linked, link) in incoming {
            let item = linked.item;
            if self.entries.len() >= self.max_entries && !self.entries.contains_key(&item) {
                let shown = self.live_index.visible_place(&linked, self.visibility.is_visible);
                self.omitted.extend(shown.map(|_| item));
                continue;
            }
            self.add_entry(linked)?;
            let known = self.entries.get_mut(&item);
            if let Some(known) = known.filter(|known| known.is_trusted()) {
                near.push(item);
                if !known.has_all_links {
                    known.links.push(link);
                }
            }
        }
        Ok(near)
    }

    /// Builds the graph of the entries collected so far.
    pub(super) fn build_graph(&self) -> Graph {
        let entries = self.entries.values().map(|known| {
            let vouching = match known.trust {
                EntryTrust::Content(vouching) => vouching,
                EntryTrust::NameOnly(vouching) => {
                    return untrusted_entry(&known.place).with_vouching(vouching);
                }
            };
            let links = known.links.iter().filter(|link| self.has_known_target(link)).cloned();
            graph_entry(&known.place, &known.indexed, links.collect()).with_vouching(vouching)
        });
        entries.collect()
    }

    /// Checks whether the target of a link is resolved, even if it resolves to nothing.
    fn has_known_target(&self, link: &Link) -> bool {
        let name = link.target.parse::<ItemRef>();
        name.map_or(true, |name| name.version.is_some() || self.is_resolved(&name))
    }

    /// Returns the numbers of the collected items that belong to some nodes of their graph.
    pub(super) fn items_of_nodes(&self, graph: &Graph, nodes: &[NodeId]) -> Vec<u32> {
        let nodes = nodes.iter().copied().collect::<HashSet<_>>();
        let all = self.entries.iter();
        let found = all.filter(|(_, known)| {
            graph.node_at(&known.place).is_some_and(|node| nodes.contains(&node))
        });
        found.map(|(item, _)| *item).collect()
    }
}

pub(super) fn qualified_name(place: &ScopedPath) -> ItemRef {
    ItemRef { category: Some(place.category.clone()), id: place.id.clone(), version: None }
}

pub(super) fn graph_entry(
    place: &ScopedPath,
    linked: &LinkableItem,
    links: Vec<Link>,
) -> GraphEntry {
    GraphEntry::new(place, linked.title.as_str(), links)
        .with_entry_type(linked.entry_type.as_deref())
}

/// Returns an entry with its name only, for an item whose content is not trusted.
pub(super) fn untrusted_entry(place: &ScopedPath) -> GraphEntry {
    GraphEntry::new(place, place.id.as_str(), Vec::new())
}
