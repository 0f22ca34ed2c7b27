//! Builds a graph from entries that are added one by one.
//!
//! The names of targets are interned, and each is looked up once, when all entries are known. The
//! order in which entries are added does not matter.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::edges::{AdjacencyList, Edge, to_u32};
use super::node::{GraphEntry, Node, NodeId};
use super::resolve::Resolution;
use super::{Graph, UnresolvedLink, UnresolvedReason};
use crate::item::{Category, ItemType, Relation};
use crate::trust::Vouching;

/// An entry with the range of its links, and the place of its category among all of them.
type Keyed = (usize, (Node, Range<u32>));

/// A graph under construction.
#[derive(Debug, Default)]
pub struct GraphBuilder {
    nodes: Vec<(Node, Range<u32>)>,
    links: Vec<(Relation, u32)>,
    targets: HashMap<Arc<str>, u32>,
    categories: HashMap<Category, Arc<Category>>,
    entry_types: HashMap<String, Arc<str>>,
}

impl GraphBuilder {
    /// Adds an entry.
    pub fn add(&mut self, entry: GraphEntry) {
        let start = to_u32(self.links.len());
        for link in entry.links {
            let next = to_u32(self.targets.len());
            let target = self.targets.get(&*link.target).copied();
            let target =
                target.unwrap_or_else(|| *self.targets.entry(link.target.into()).or_insert(next));
            self.links.push((link.relation, target));
        }
        let category = self.categories.get(&entry.category).cloned().unwrap_or_else(|| {
            let shared = Arc::new(entry.category.clone());
            self.categories.entry(entry.category).or_insert(shared).clone()
        });
        let types = &mut self.entry_types;
        let entry_type = entry
            .entry_type
            .map(|name| types.entry(name).or_insert_with_key(|n| (**n).into()).clone());
        let node = Node {
            kind: entry.kind,
            scope: entry.scope,
            is_shadowed: false,
            vouching: entry.vouching,
            category,
            id: entry.id,
            title: entry.title.into(),
            entry_type,
        };
        self.nodes.push((node, start..to_u32(self.links.len())));
    }

    /// Builds the graph of all entries that were added.
    pub fn build(mut self) -> Graph {
        self.sort_entries();
        let (nodes, ranges) = self.nodes.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let by_id = sort_by_id(&nodes);
        let graph = Graph { nodes, by_id, ..Graph::default() };
        let mut targets = TargetResolver::new(self.targets);
        let mut unresolved = Vec::new();
        let lists = ranges.into_iter().zip(graph.ids()).map(|(range, from)| {
            let kind = graph.node(from).kind;
            let mut edges = Vec::new();
            for (relation, target) in &self.links[range.start as usize..range.end as usize] {
                let relation = *relation;
                match targets.resolve(&graph, kind, *target) {
                    Ok(to) => edges.push(Edge { relation, to }),
                    Err(reason) => {
                        let target = targets.names[*target as usize].clone();
                        unresolved.push(UnresolvedLink { from, relation, target, reason });
                    }
                }
            }
            edges
        });
        let outgoing = AdjacencyList::from_lists(lists);
        let incoming = outgoing.reverse(|node| !graph.node(node).is_shadowed);
        unresolved.shrink_to_fit();
        Graph { outgoing, incoming, unresolved, ..graph }
    }

    /// Sorts the entries, and marks those that are shadowed.
    fn sort_entries(&mut self) {
        let mut categories = self.categories.values().collect::<Vec<_>>();
        categories.sort_unstable();
        // Many entries share a category, and numbers are faster to compare.
        let places = categories.iter().enumerate().map(|(place, category)| (&***category, place));
        let places = places.collect::<HashMap<&Category, usize>>();
        let place = |node: &Node| places.get(&*node.category).copied().unwrap_or_default();
        let keyed = std::mem::take(&mut self.nodes).into_iter();
        let mut keyed = keyed.map(|entry| (place(&entry.0), entry)).collect::<Vec<_>>();
        let key = |node: &Node| (node.kind, node.scope);
        keyed.sort_by(|(one, (node, _)), (other, (with, _))| {
            let by_name = one.cmp(other).then_with(|| node.id.cmp(&with.id));
            by_name.then_with(|| key(node).cmp(&key(with)))
        });
        let is_same = |(one, (node, _)): &Keyed, (other, (with, _)): &Keyed| {
            one == other && node.id == with.id && node.kind == with.kind
        };
        for same_name in keyed.chunk_by_mut(is_same).filter(|same_name| same_name.len() > 1) {
            let kind = same_name[0].1.0.kind;
            let candidates = same_name.iter().map(|(_, (node, _))| (node.scope, node.vouching));
            let winner = Vouching::winning_scope(kind, candidates);
            let mut is_won = false;
            for (_, (node, _)) in same_name {
                node.is_shadowed = is_won || Some(node.scope) != winner;
                is_won |= !node.is_shadowed;
            }
        }
        self.nodes = keyed.into_iter().map(|(_, entry)| entry).collect();
    }
}

/// Returns the entries that are not shadowed, sorted by id, type, scope and category.
fn sort_by_id(nodes: &[Node]) -> Vec<NodeId> {
    let keys = nodes.iter().enumerate().filter(|(_, node)| !node.is_shadowed);
    let keys = keys.map(|(at, node)| (node.id.as_str(), node.kind, node.scope, to_u32(at)));
    let mut keys = keys.collect::<Vec<_>>();
    keys.sort_unstable();
    keys.into_iter().map(|(_, _, _, at)| NodeId(at)).collect()
}

/// Resolves targets, each once for the type that names it.
struct TargetResolver {
    names: Vec<Arc<str>>,
    resolved: Vec<Option<(ItemType, Result<NodeId, UnresolvedReason>)>>,
}

impl TargetResolver {
    fn new(numbered: HashMap<Arc<str>, u32>) -> Self {
        let mut names = vec![Arc::<str>::from(""); numbered.len()];
        for (text, at) in numbered {
            names[at as usize] = text;
        }
        Self { resolved: vec![None; names.len()], names }
    }

    fn resolve(
        &mut self,
        graph: &Graph,
        kind: ItemType,
        target: u32,
    ) -> Result<NodeId, UnresolvedReason> {
        let known = &mut self.resolved[target as usize];
        match known {
            Some((known_kind, found)) if *known_kind == kind => *found,
            _ => {
                let found = match graph.resolve_text(kind, &self.names[target as usize]) {
                    Resolution::One(node) => Ok(node),
                    Resolution::Several(_) => Err(UnresolvedReason::Ambiguous),
                    Resolution::Nothing => Err(UnresolvedReason::Dangling),
                };
                *known = Some((kind, found));
                found
            }
        }
    }
}

impl FromIterator<GraphEntry> for Graph {
    fn from_iter<I: IntoIterator<Item = GraphEntry>>(entries: I) -> Self {
        let mut builder = GraphBuilder::default();
        for entry in entries {
            builder.add(entry);
        }
        builder.build()
    }
}
