//! Circles in one relation.
//!
//! Entries that lead to each other are found in one pass (Tarjan's), with a stack of its own: a
//! chain of a hundred thousand notes must not be a deep recursion.

use std::collections::{HashMap, VecDeque};

use super::Graph;
use super::edges::Edge;
use super::node::NodeId;
use crate::item::Relation;

/// What stands for an entry that was not come to yet.
const UNSEEN: u32 = u32::MAX;

impl Graph {
    /// The knots of a relation: the largest sets of entries that all lead to each other, in order.
    /// One entry is a knot if it leads to itself.
    pub(super) fn knots(&self, relation: Relation) -> Vec<Vec<NodeId>> {
        let mut search = Search::new(self, relation);
        for node in self.ids().filter(|node| !self.node(*node).is_shadowed) {
            if search.number[node.index()] == UNSEEN {
                search.from(node);
            }
        }
        search.knots.sort_unstable();
        search.knots
    }

    /// The shortest way through a knot from its first entry back to it.
    pub(super) fn circle(&self, relation: Relation, knot: &[NodeId]) -> Vec<NodeId> {
        let Some(start) = knot.first().copied() else { return Vec::new() };
        let mut via = HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for edge in self.outgoing.by(node, relation) {
                if edge.to == start {
                    return way_back(&via, start, node);
                }
                if knot.binary_search(&edge.to).is_ok() && !via.contains_key(&edge.to) {
                    via.insert(edge.to, node);
                    open.push_back(edge.to);
                }
            }
        }
        knot.to_vec()
    }
}

fn way_back(via: &HashMap<NodeId, NodeId>, start: NodeId, last: NodeId) -> Vec<NodeId> {
    let mut way = vec![last];
    let mut at = last;
    while at != start {
        let Some(before) = via.get(&at) else { break };
        at = *before;
        way.push(at);
    }
    way.reverse();
    way
}

/// One pass over the entries along one relation.
struct Search<'a> {
    graph: &'a Graph,
    relation: Relation,
    /// In which order entries were come to.
    number: Vec<u32>,
    /// The smallest number that is known to be reached from an entry.
    low: Vec<u32>,
    is_open: Vec<bool>,
    open: Vec<NodeId>,
    count: u32,
    knots: Vec<Vec<NodeId>>,
}

impl<'a> Search<'a> {
    fn new(graph: &'a Graph, relation: Relation) -> Self {
        let size = graph.len();
        let (number, low, is_open) = (vec![UNSEEN; size], vec![UNSEEN; size], vec![false; size]);
        let (open, knots) = (Vec::new(), Vec::new());
        Self { graph, relation, number, low, is_open, open, count: 0, knots }
    }

    fn edges(&self, node: NodeId) -> &'a [Edge] {
        self.graph.outgoing.by(node, self.relation)
    }

    fn from(&mut self, start: NodeId) {
        let mut path = vec![(start, 0_usize)];
        self.enter(start);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(edge) = self.edges(node).get(*next) {
                *next += 1;
                let to = edge.to.index();
                if self.number[to] == UNSEEN {
                    path.push((edge.to, 0));
                    self.enter(edge.to);
                } else if self.is_open[to] {
                    self.low[node.index()] = self.low[node.index()].min(self.number[to]);
                }
            } else {
                path.pop();
                if let Some((before, _)) = path.last() {
                    let low = self.low[node.index()];
                    self.low[before.index()] = self.low[before.index()].min(low);
                }
                self.leave(node);
            }
        }
    }

    fn enter(&mut self, node: NodeId) {
        self.number[node.index()] = self.count;
        self.low[node.index()] = self.count;
        self.count += 1;
        self.is_open[node.index()] = true;
        self.open.push(node);
    }

    /// Closes the knot whose first entry this is, if it is one's.
    fn leave(&mut self, node: NodeId) {
        if self.low[node.index()] != self.number[node.index()] {
            return;
        }
        let start = self.open.iter().rposition(|open| *open == node).unwrap_or_default();
        let mut knot = self.open.split_off(start);
        for member in &knot {
            self.is_open[member.index()] = false;
        }
        if knot.len() > 1 || self.edges(node).iter().any(|edge| edge.to == node) {
            knot.sort_unstable();
            self.knots.push(knot);
        }
    }
}
