//! Cycles in one relation.
//!
//! Strongly connected components are found in one pass with Tarjan's algorithm. It uses a stack of
//! its own, because a chain of a hundred thousand notes must not become a deep recursion.

use std::collections::{HashMap, VecDeque};

use super::Graph;
use super::edges::Edge;
use super::node::NodeId;
use crate::item::Relation;

/// Marks an entry that has not been visited yet.
const UNVISITED: u32 = u32::MAX;

impl Graph {
    /// Finds the strongly connected components of a relation: the largest sets of entries that all
    /// lead to each other, in order. A single entry is one if it leads to itself.
    pub(super) fn strongly_connected_components(&self, relation: Relation) -> Vec<Vec<NodeId>> {
        let mut search = TarjanSearch::new(self, relation);
        for node in self.ids().filter(|node| !self.node(*node).is_shadowed) {
            if search.visit_number[node.index()] == UNVISITED {
                search.visit_from(node);
            }
        }
        search.components.sort_unstable();
        search.components
    }

    /// Finds the shortest cycle through the first entry of a component.
    pub(super) fn shortest_cycle(&self, relation: Relation, component: &[NodeId]) -> Vec<NodeId> {
        let Some(start) = component.first().copied() else { return Vec::new() };
        let mut via = HashMap::new();
        let mut open = VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for edge in self.outgoing.edges_with_relation(node, relation) {
                if edge.to == start {
                    return path_from_start(&via, start, node);
                }
                if component.binary_search(&edge.to).is_ok() && !via.contains_key(&edge.to) {
                    via.insert(edge.to, node);
                    open.push_back(edge.to);
                }
            }
        }
        component.to_vec()
    }
}

fn path_from_start(via: &HashMap<NodeId, NodeId>, start: NodeId, last: NodeId) -> Vec<NodeId> {
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

/// One pass of Tarjan's algorithm along one relation.
struct TarjanSearch<'a> {
    graph: &'a Graph,
    relation: Relation,
    /// The order in which entries were visited.
    visit_number: Vec<u32>,
    /// The smallest visit number that is known to be reachable from an entry.
    low_link: Vec<u32>,
    is_on_stack: Vec<bool>,
    stack: Vec<NodeId>,
    count: u32,
    components: Vec<Vec<NodeId>>,
}

impl<'a> TarjanSearch<'a> {
    fn new(graph: &'a Graph, relation: Relation) -> Self {
        let size = graph.len();
        let (visit_number, low_link, is_on_stack) =
            (vec![UNVISITED; size], vec![UNVISITED; size], vec![false; size]);
        let (stack, components) = (Vec::new(), Vec::new());
        Self { graph, relation, visit_number, low_link, is_on_stack, stack, count: 0, components }
    }

    fn edges(&self, node: NodeId) -> &'a [Edge] {
        self.graph.outgoing.edges_with_relation(node, self.relation)
    }

    fn visit_from(&mut self, start: NodeId) {
        let mut path = vec![(start, 0_usize)];
        self.enter(start);
        while let Some((node, next)) = path.last_mut() {
            let node = *node;
            if let Some(edge) = self.edges(node).get(*next) {
                *next += 1;
                let to = edge.to.index();
                if self.visit_number[to] == UNVISITED {
                    path.push((edge.to, 0));
                    self.enter(edge.to);
                } else if self.is_on_stack[to] {
                    self.low_link[node.index()] =
                        self.low_link[node.index()].min(self.visit_number[to]);
                }
            } else {
                path.pop();
                if let Some((before, _)) = path.last() {
                    let low = self.low_link[node.index()];
                    self.low_link[before.index()] = self.low_link[before.index()].min(low);
                }
                self.close_component(node);
            }
        }
    }

    fn enter(&mut self, node: NodeId) {
        self.visit_number[node.index()] = self.count;
        self.low_link[node.index()] = self.count;
        self.count += 1;
        self.is_on_stack[node.index()] = true;
        self.stack.push(node);
    }

    /// Closes the component that begins with this entry, if there is one.
    fn close_component(&mut self, node: NodeId) {
        if self.low_link[node.index()] != self.visit_number[node.index()] {
            return;
        }
        let start = self.stack.iter().rposition(|open| *open == node).unwrap_or_default();
        let mut component = self.stack.split_off(start);
        for member in &component {
            self.is_on_stack[member.index()] = false;
        }
        if component.len() > 1 || self.edges(node).iter().any(|edge| edge.to == node) {
            component.sort_unstable();
            self.components.push(component);
        }
    }
}
