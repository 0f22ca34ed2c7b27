//! Makes a graph of entries that are given one after the other.
//!
//! Names of targets are kept once each and looked up once each, when all entries are known. The
//! order in which entries come does not matter.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use super::edges::{Edge, Edges, short};
use super::node::{Entry, Node, NodeId};
use super::resolve::Found;
use super::{Graph, Loose, Trouble};
use crate::item::{Category, ItemType, Relation};

/// A graph in the making.
#[derive(Debug, Default)]
pub struct Builder {
    nodes: Vec<(Node, Range<u32>)>,
    links: Vec<(Relation, u32)>,
    targets: HashMap<Arc<str>, u32>,
    categories: HashMap<Category, Arc<Category>>,
    entry_types: HashMap<String, Arc<str>>,
}

impl Builder {
    /// Adds an entry.
    pub fn add(&mut self, entry: Entry) {
        let start = short(self.links.len());
        for link in entry.links {
            let next = short(self.targets.len());
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
            category,
            id: entry.id,
            title: entry.title.into(),
            entry_type,
        };
        self.nodes.push((node, start..short(self.links.len())));
    }

    /// The graph of all entries that were added.
    pub fn build(mut self) -> Graph {
        self.nodes.sort_by(|(one, _), (other, _)| one.key().cmp(&other.key()));
        for at in 1..self.nodes.len() {
            let (before, (node, _)) = (&self.nodes[at - 1].0, &self.nodes[at]);
            self.nodes[at].0.is_shadowed = before.key().0 == node.key().0
                && before.key().1 == node.key().1
                && before.kind == node.kind;
        }
        let (nodes, ranges) = self.nodes.into_iter().unzip::<_, _, Vec<_>, Vec<_>>();
        let mut targets = vec![Arc::<str>::from(""); self.targets.len()];
        for (text, at) in self.targets {
            targets[at as usize] = text;
        }
        let mut graph = Graph { nodes, ..Graph::default() };
        graph.by_id = graph.ids().filter(|at| !graph.node(*at).is_shadowed).collect();
        let nodes = &graph.nodes;
        graph.by_id.sort_by_key(|at| {
            let node = &nodes[at.index()];
            (&node.id, node.kind, node.scope, *at)
        });
        let mut targets = Targets { known: vec![None; targets.len()], names: targets };
        let mut loose = Vec::new();
        let lists = ranges.into_iter().zip(graph.ids()).map(|(range, from)| {
            let links = &self.links[range.start as usize..range.end as usize];
            let edges = links.iter().filter_map(|(relation, target)| {
                let to = targets.find(&graph, graph.node(from).kind, *target);
                let target = || targets.names[*target as usize].clone();
                let missed =
                    |trouble| Loose { from, relation: *relation, target: target(), trouble };
                to.map_err(|trouble| loose.push(missed(trouble)))
                    .ok()
                    .map(|to| Edge { relation: *relation, to })
            });
            edges.collect()
        });
        let outgoing = Edges::collect(lists);
        let incoming = outgoing.reversed(|node| !graph.node(node).is_shadowed);
        loose.shrink_to_fit();
        Graph { outgoing, incoming, loose, ..graph }
    }
}

/// Where targets lead, each looked up once for the type that names it.
struct Targets {
    names: Vec<Arc<str>>,
    known: Vec<Option<(ItemType, Result<NodeId, Trouble>)>>,
}

impl Targets {
    fn find(&mut self, graph: &Graph, kind: ItemType, target: u32) -> Result<NodeId, Trouble> {
        let known = &mut self.known[target as usize];
        match known {
            Some((asked, found)) if *asked == kind => *found,
            _ => {
                let found = match graph.resolve_text(kind, &self.names[target as usize]) {
                    Found::One(node) => Ok(node),
                    Found::Several(_) => Err(Trouble::Ambiguous),
                    Found::Nothing => Err(Trouble::Dangling),
                };
                *known = Some((kind, found));
                found
            }
        }
    }
}

impl FromIterator<Entry> for Graph {
    fn from_iter<I: IntoIterator<Item = Entry>>(entries: I) -> Self {
        let mut builder = Builder::default();
        for entry in entries {
            builder.add(entry);
        }
        builder.build()
    }
}
