//! The part of a graph that is drawn: some entries, and all links between them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::Graph;
use super::node::{Node, NodeId};
use super::walk::WalkOptions;
use crate::item::Relation;

/// Some entries of a graph and the links between them.
#[derive(Debug)]
pub struct Subgraph<'a> {
    pub(super) graph: &'a Graph,
    /// The entry in the centre, which is the first one.
    pub(super) focus: Option<NodeId>,
    pub(super) options: WalkOptions,
    pub(super) nodes: Vec<NodeId>,
    pub(super) links: Vec<DrawnLink>,
    pub(super) omitted_count: usize,
}

/// A link between two entries of a subgraph, given by their indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct DrawnLink {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) relation: Relation,
}

impl<'a> Subgraph<'a> {
    /// Selects an entry and what a walk finds around it.
    pub fn neighbourhood(graph: &'a Graph, focus: NodeId, walk: &WalkOptions) -> Self {
        let found = graph.reachable_entries(focus, walk);
        let omitted_count = found.len().saturating_sub(walk.limit);
        let found = found.iter().take(walk.limit).map(|(_, reached)| reached.node);
        let nodes = [focus].into_iter().chain(found).collect::<Vec<_>>();
        let links = links_between(graph, &nodes, walk);
        Self { graph, focus: Some(focus), options: *walk, nodes, links, omitted_count }
    }

    /// Selects all entries that are not shadowed, or the most linked ones if there are more than
    /// the limit. Of the options, only relations and limit matter.
    pub fn entire_graph(graph: &'a Graph, walk: &WalkOptions) -> Self {
        let nodes = graph.ids().filter(|node| !graph.node(*node).is_shadowed).collect::<Vec<_>>();
        let (nodes, omitted_count) = most_linked(graph, nodes, walk.limit);
        let links = links_between(graph, &nodes, walk);
        Self { graph, focus: None, options: *walk, nodes, links, omitted_count }
    }

    /// Returns the number of entries shown.
    pub fn entry_count(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the number of links shown.
    pub fn link_count(&self) -> usize {
        self.links.len()
    }

    /// Returns the number of entries left out.
    pub fn omitted_count(&self) -> usize {
        self.omitted_count
    }

    pub(super) fn node(&self, index: usize) -> &'a Node {
        self.graph.node(self.nodes[index])
    }

    /// Returns the same subgraph with at most `limit` entries.
    pub(super) fn with_at_most(&self, limit: usize) -> Self {
        let (nodes, left_out) = match self.focus {
            // The entries are sorted by distance.
            Some(_) => (self.nodes[..limit].to_vec(), self.nodes.len() - limit),
            None => most_linked(self.graph, self.nodes.clone(), limit),
        };
        let strokes = links_between(self.graph, &nodes, &self.options);
        let left_out = self.omitted_count + left_out;
        Self {
            graph: self.graph,
            focus: self.focus,
            options: self.options,
            nodes,
            links: strokes,
            omitted_count: left_out,
        }
    }
}

/// Returns the entries with the most links, in order, and the number of the others.
fn most_linked(graph: &Graph, mut nodes: Vec<NodeId>, limit: usize) -> (Vec<NodeId>, usize) {
    let left_out = nodes.len().saturating_sub(limit);
    if left_out > 0 {
        let links = |node: &NodeId| {
            graph.outgoing.edges_of(*node).len() + graph.incoming.edges_of(*node).len()
        };
        nodes.sort_by_key(|node| (Reverse(links(node)), *node));
        nodes.truncate(limit);
        nodes.sort_unstable();
    }
    (nodes, left_out)
}

/// Returns the links between some entries, in order; a symmetric link only once.
fn links_between(graph: &Graph, nodes: &[NodeId], walk: &WalkOptions) -> Vec<DrawnLink> {
    let places = nodes.iter().enumerate().map(|(index, node)| (*node, index));
    let places = places.collect::<HashMap<_, _>>();
    let mut mutual = HashSet::new();
    let mut strokes = Vec::new();
    for (from, node) in nodes.iter().enumerate() {
        let edges = graph.outgoing.edges_of(*node).iter();
        for edge in edges.filter(|edge| walk.relations.contains(edge.relation)) {
            let Some(to) = places.get(&edge.to).copied() else { continue };
            let relation = edge.relation;
            let ends = (from.min(to), from.max(to), relation);
            if !relation.is_symmetric() || mutual.insert(ends) {
                strokes.push(DrawnLink { from, to, relation });
            }
        }
    }
    strokes
}
