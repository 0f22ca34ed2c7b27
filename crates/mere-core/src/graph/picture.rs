//! The part of a graph that is drawn: some entries, and all links between them.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::Graph;
use super::node::{Node, NodeId};
use super::walk::Walk;
use crate::item::Relation;

/// Some entries and the links between them.
#[derive(Debug)]
pub struct Picture<'a> {
    pub(super) graph: &'a Graph,
    /// The entry it is about, which is the first one.
    pub(super) focus: Option<NodeId>,
    pub(super) walk: Walk,
    pub(super) nodes: Vec<NodeId>,
    pub(super) strokes: Vec<Stroke>,
    pub(super) left_out: usize,
}

/// A link between two entries of a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Stroke {
    pub(super) from: usize,
    pub(super) to: usize,
    pub(super) relation: Relation,
}

impl<'a> Picture<'a> {
    /// An entry with what a walk finds around it.
    pub fn around(graph: &'a Graph, focus: NodeId, walk: &Walk) -> Self {
        let found = graph.reach(focus, walk);
        let left_out = found.len().saturating_sub(walk.limit);
        let found = found.iter().take(walk.limit).map(|(_, reached)| reached.node);
        let nodes = [focus].into_iter().chain(found).collect::<Vec<_>>();
        let strokes = strokes(graph, &nodes, walk);
        Self { graph, focus: Some(focus), walk: *walk, nodes, strokes, left_out }
    }

    /// Everything that is not shadowed, along some relations; the most linked entries where there
    /// are more than the limit. How far and which way the walk goes does not matter.
    pub fn whole(graph: &'a Graph, walk: &Walk) -> Self {
        let nodes = graph.ids().filter(|node| !graph.node(*node).is_shadowed).collect::<Vec<_>>();
        let (nodes, left_out) = most_linked(graph, nodes, walk.limit);
        let strokes = strokes(graph, &nodes, walk);
        Self { graph, focus: None, walk: *walk, nodes, strokes, left_out }
    }

    /// How many entries it shows.
    pub fn entries(&self) -> usize {
        self.nodes.len()
    }

    /// How many links it shows.
    pub fn links(&self) -> usize {
        self.strokes.len()
    }

    /// How many entries it leaves out.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    pub(super) fn node(&self, index: usize) -> &'a Node {
        self.graph.node(self.nodes[index])
    }

    /// The same picture with fewer entries.
    pub(super) fn with_at_most(&self, limit: usize) -> Self {
        let (nodes, left_out) = match self.focus {
            // The nearest come first.
            Some(_) => (self.nodes[..limit].to_vec(), self.nodes.len() - limit),
            None => most_linked(self.graph, self.nodes.clone(), limit),
        };
        let strokes = strokes(self.graph, &nodes, &self.walk);
        let left_out = self.left_out + left_out;
        Self { graph: self.graph, focus: self.focus, walk: self.walk, nodes, strokes, left_out }
    }
}

/// The entries with the most links, in order, and how many others there are.
fn most_linked(graph: &Graph, mut nodes: Vec<NodeId>, limit: usize) -> (Vec<NodeId>, usize) {
    let left_out = nodes.len().saturating_sub(limit);
    if left_out > 0 {
        let links = |node: &NodeId| graph.outgoing.of(*node).len() + graph.incoming.of(*node).len();
        nodes.sort_by_key(|node| (Reverse(links(node)), *node));
        nodes.truncate(limit);
        nodes.sort_unstable();
    }
    (nodes, left_out)
}

/// The links between some entries, in order; a symmetric one once, whoever states it.
fn strokes(graph: &Graph, nodes: &[NodeId], walk: &Walk) -> Vec<Stroke> {
    let places = nodes.iter().enumerate().map(|(index, node)| (*node, index));
    let places = places.collect::<HashMap<_, _>>();
    let mut mutual = HashSet::new();
    let mut strokes = Vec::new();
    for (from, node) in nodes.iter().enumerate() {
        let edges = graph.outgoing.of(*node).iter();
        for edge in edges.filter(|edge| walk.relations.contains(edge.relation)) {
            let Some(to) = places.get(&edge.to).copied() else { continue };
            let relation = edge.relation;
            let ends = (from.min(to), from.max(to), relation);
            if !relation.is_symmetric() || mutual.insert(ends) {
                strokes.push(Stroke { from, to, relation });
            }
        }
    }
    strokes
}
