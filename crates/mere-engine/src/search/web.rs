//! The knowledge graph, as the index has it: all of it, or what is around one entry.
//!
//! What a name means only a graph says. So a small one is made of everything that has one of the
//! names in question, and is asked.

use std::collections::{HashMap, HashSet};

use mere_core::graph::{
    Direction, Graph, GraphBuilder, GraphEntry, Link, NodeId, Resolution, WalkOptions,
};
use mere_core::item::{ItemRef, ItemType, Relation, Scope, ScopedPath};

use super::SearchError;
use super::index::Linked;
use super::library::Library;

/// How many entries around one are looked at: a hub may have very many.
const MAX_AROUND: usize = 5_000;

/// Whether anybody may know of an item.
pub(crate) type Shows<'a> = &'a dyn Fn(&ScopedPath) -> bool;

/// For whom a graph is.
#[derive(Clone, Copy)]
pub(crate) struct Audience<'a> {
    pub(crate) shows: Shows<'a>,
    /// Whether what an item says counts. One that is not what was signed has a name and nothing else:
    /// no title, and no links.
    pub(crate) believes: Shows<'a>,
}

impl Library {
    /// Every entry that may be known, and their links.
    pub(crate) fn web(&self, audience: Audience<'_>) -> Result<Graph, SearchError> {
        let mut builder = GraphBuilder::default();
        for linked in self.index.all_linked()? {
            if let Some(place) = self.shown(&linked, audience.shows) {
                builder.add(if (audience.believes)(&place) {
                    entry(&place, &linked, self.index.links_of(linked.item)?)
                } else {
                    mute(&place)
                });
            }
        }
        Ok(builder.build())
    }

    /// What is around an entry: whatever a walk can come to, and how many more entries there are at
    /// least. Where it leads itself is all there, however much that is.
    pub(crate) fn web_around(
        &self,
        place: &ScopedPath,
        walk: &WalkOptions,
        audience: Audience<'_>,
    ) -> Result<(Graph, usize), SearchError> {
        let mut around = Around::new(self, audience, MAX_AROUND);
        around.called(&whole_name(place))?;
        let own = around.known.iter().filter(|(_, known)| {
            known.place.kind == place.kind && known.place.scope == place.scope
        });
        let own = own.map(|(item, _)| *item).collect();
        around.walk(own, walk)?;
        Ok((around.graph(), around.cut.len()))
    }

    /// The numbers of what is linked with an entry, either way. Of several entries that a name can
    /// mean, what is linked with any of them.
    pub(crate) fn related_to(
        &self,
        name: &ItemRef,
        audience: Audience<'_>,
    ) -> Result<Vec<u32>, SearchError> {
        let walk = WalkOptions { limit: usize::MAX, ..WalkOptions::default() };
        let mut around = Around::new(self, audience, usize::MAX);
        around.called(name)?;
        let graph = around.graph();
        let own = around.items(&graph, &meant(&graph, name));
        around.walk(own, &walk)?;
        let graph = around.graph();
        let mut related = Vec::new();
        for node in meant(&graph, name) {
            let groups = graph.walk(node, &walk).groups;
            related.extend(groups.into_values().flatten().map(|reached| reached.node));
        }
        let mut related = around.items(&graph, &related);
        related.sort_unstable();
        Ok(related)
    }

    /// What took the place of an entry, if anything did that may be known.
    pub(crate) fn successor(
        &self,
        place: &ScopedPath,
        audience: Audience<'_>,
    ) -> Result<Option<ScopedPath>, SearchError> {
        let pointing = self.index.pointing_to(place, Some(Relation::Supersedes))?;
        if pointing.is_empty() {
            return Ok(None);
        }
        let mut around = Around::new(self, audience, usize::MAX);
        around.called(&whole_name(place))?;
        around.point(place, pointing)?;
        let graph = around.graph();
        let found = graph.node_at(place).and_then(|node| graph.succession(node));
        let first = found.and_then(|found| found.direct.first().copied());
        let mut others = around.known.into_values().map(|known| known.place);
        Ok(first.and_then(|first| others.find(|other| graph.node_at(other) == Some(first))))
    }

    /// Where an entry lies, if it may be known.
    pub(super) fn shown(&self, linked: &Linked, shows: Shows<'_>) -> Option<ScopedPath> {
        self.placed(linked.ground, &linked.path).filter(|place| shows(place))
    }
}

/// The entries that a name means.
fn meant(graph: &Graph, name: &ItemRef) -> Vec<NodeId> {
    match graph.resolve(ItemType::Knowledge, name) {
        Resolution::One(node) => vec![node],
        Resolution::Several(nodes) => nodes,
        Resolution::Nothing => Vec::new(),
    }
}

fn whole_name(place: &ScopedPath) -> ItemRef {
    ItemRef { category: Some(place.category.clone()), id: place.id.clone(), version: None }
}

fn entry(place: &ScopedPath, linked: &Linked, links: Vec<Link>) -> GraphEntry {
    GraphEntry::new(place, linked.title.as_str(), links)
        .with_entry_type(linked.entry_type.as_deref())
}

/// An entry of which nothing counts but that it is there.
fn mute(place: &ScopedPath) -> GraphEntry {
    GraphEntry::new(place, place.id.as_str(), Vec::new())
}

/// Entries that are gathered, so that a graph of them says what the graph of all entries would.
struct Around<'a> {
    library: &'a Library,
    audience: Audience<'a>,
    /// From so many on, what is not needed to understand a name is left out.
    most: usize,
    known: HashMap<u32, Known>,
    /// The names for which everything is known that has them. Others are not followed.
    settled: HashSet<ItemRef>,
    /// What was left out.
    cut: HashSet<u32>,
}

/// An entry that may be known.
struct Known {
    place: ScopedPath,
    linked: Linked,
    /// Those that matter so far.
    links: Vec<Link>,
    /// Whether these are all.
    has_all: bool,
    is_believed: bool,
}

impl<'a> Around<'a> {
    fn new(library: &'a Library, audience: Audience<'a>, most: usize) -> Self {
        let (known, settled, cut) = (HashMap::new(), HashSet::new(), HashSet::new());
        Self { library, audience, most, known, settled, cut }
    }

    /// Whatever a name can mean, all of which is known from now on.
    fn called(&mut self, name: &ItemRef) -> Result<Vec<u32>, SearchError> {
        let found = self.library.index.called(name)?;
        let mut items = found.iter().map(|linked| linked.item).collect::<Vec<_>>();
        if !self.is_settled(name) {
            self.settled.insert(name.clone());
            for linked in found {
                self.meet(linked)?;
            }
        }
        items.retain(|item| self.known.contains_key(item));
        Ok(items)
    }

    fn is_settled(&self, name: &ItemRef) -> bool {
        let bare = || ItemRef { category: None, ..name.clone() };
        self.settled.contains(name) || self.settled.contains(&bare())
    }

    /// Takes an entry in, if it may be known, with whatever may shadow it.
    fn meet(&mut self, linked: Linked) -> Result<(), SearchError> {
        let item = linked.item;
        if self.known.contains_key(&item) {
            return Ok(());
        }
        let Some(place) = self.library.shown(&linked, self.audience.shows) else { return Ok(()) };
        let name = (place.scope != Scope::Project).then(|| whole_name(&place));
        let is_believed = (self.audience.believes)(&place);
        let known = Known { place, linked, links: Vec::new(), has_all: false, is_believed };
        self.known.insert(item, known);
        self.cut.remove(&item);
        match name.filter(|name| !self.is_settled(name)) {
            Some(name) => self.called(&name).map(|_| ()),
            None => Ok(()),
        }
    }

    /// Gathers whatever a walk from some entries can come to.
    fn walk(&mut self, from: Vec<u32>, walk: &WalkOptions) -> Result<(), SearchError> {
        let mut seen = from.iter().copied().collect::<HashSet<_>>();
        let mut frontier = from;
        for distance in 0..walk.depth.get() {
            let mut next = Vec::new();
            for item in frontier {
                if distance > 0 && self.known.len() >= self.most {
                    return Ok(());
                }
                let near = self.neighbours(item, walk)?.into_iter();
                next.extend(near.filter(|item| seen.insert(*item)));
            }
            frontier = next;
        }
        Ok(())
    }

    /// Whatever an item may link to, then whatever may link to it.
    fn neighbours(&mut self, item: u32, walk: &WalkOptions) -> Result<Vec<u32>, SearchError> {
        let index = &self.library.index;
        let Some(known) = self.known.get_mut(&item) else { return Ok(Vec::new()) };
        known.links = if known.is_believed { index.links_of(item)? } else { Vec::new() };
        known.has_all = true;
        let place = known.place.clone();
        let names = known.links.iter().filter_map(|link| link.target.parse::<ItemRef>().ok());
        let mut near = Vec::new();
        for name in names.collect::<HashSet<_>>() {
            near.extend(self.called(&name)?);
        }
        let mut pointing = index.pointing_to(&place, None)?;
        pointing.retain(|(_, link)| {
            let is_followed = walk.direction != Direction::Outgoing || link.relation.is_symmetric();
            is_followed && walk.relations.contains(link.relation)
        });
        near.extend(self.point(&place, pointing)?);
        Ok(near)
    }

    /// Takes in what says something of an entry.
    fn point(
        &mut self,
        place: &ScopedPath,
        pointing: Vec<(Linked, Link)>,
    ) -> Result<Vec<u32>, SearchError> {
        if pointing.iter().any(|(_, link)| link.target == place.id.as_str()) {
            self.called(&ItemRef { category: None, ..whole_name(place) })?;
        }
        let mut near = Vec::new();
        for (linked, link) in pointing {
            let item = linked.item;
            if self.known.len() >= self.most && !self.known.contains_key(&item) {
                let shown = self.library.shown(&linked, self.audience.shows);
                self.cut.extend(shown.map(|_| item));
                continue;
            }
            self.meet(linked)?;
            let known = self.known.get_mut(&item);
            if let Some(known) = known.filter(|known| known.is_believed) {
                near.push(item);
                if !known.has_all {
                    known.links.push(link);
                }
            }
        }
        Ok(near)
    }

    /// The graph of what is known so far.
    fn graph(&self) -> Graph {
        let entries = self.known.values().map(|known| {
            if !known.is_believed {
                return mute(&known.place);
            }
            let links = known.links.iter().filter(|link| self.is_understood(link)).cloned();
            entry(&known.place, &known.linked, links.collect())
        });
        entries.collect()
    }

    /// Whether it is known where a link leads, if anywhere.
    fn is_understood(&self, link: &Link) -> bool {
        let name = link.target.parse::<ItemRef>();
        name.map_or(true, |name| name.version.is_some() || self.is_settled(&name))
    }

    /// The numbers of entries of a graph of what is known.
    fn items(&self, graph: &Graph, nodes: &[NodeId]) -> Vec<u32> {
        let nodes = nodes.iter().copied().collect::<HashSet<_>>();
        let all = self.known.iter();
        let found = all.filter(|(_, known)| {
            graph.node_at(&known.place).is_some_and(|node| nodes.contains(&node))
        });
        found.map(|(item, _)| *item).collect()
    }
}
