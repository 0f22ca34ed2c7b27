//! The resolved links of all entries as a packed adjacency list: one list of edges, and the offset
//! at which those of each entry begin.

use super::node::NodeId;
use crate::item::Relation;

/// A resolved link, seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Edge {
    pub(super) relation: Relation,
    pub(super) to: NodeId,
}

/// The links of each entry in one direction, sorted by relation and then by the other end.
#[derive(Debug, Default)]
pub(super) struct AdjacencyList {
    offsets: Vec<u32>,
    edges: Vec<Edge>,
}

impl AdjacencyList {
    /// Builds the list from the links of each entry.
    pub(super) fn from_lists(lists: impl Iterator<Item = Vec<Edge>>) -> Self {
        let mut edges = Self { offsets: vec![0], edges: Vec::new() };
        for mut list in lists {
            list.sort_unstable();
            list.dedup();
            edges.edges.extend(list);
            edges.offsets.push(to_u32(edges.edges.len()));
        }
        edges.edges.shrink_to_fit();
        edges
    }

    /// Returns the same links seen from their other ends, without those of entries that do not
    /// count.
    pub(super) fn reverse(&self, counts: impl Fn(NodeId) -> bool) -> Self {
        let nodes = self.offsets.len().saturating_sub(1);
        let counted = || (0..to_u32(nodes)).map(NodeId).filter(|node| counts(*node));
        let mut starts = vec![0_u32; nodes + 1];
        for edge in counted().flat_map(|node| self.edges_of(node)) {
            starts[edge.to.index() + 1] += 1;
        }
        for node in 0..nodes {
            starts[node + 1] += starts[node];
        }
        let mut next = starts.clone();
        let total = starts.last().copied().unwrap_or_default();
        let nobody = Edge { relation: Relation::Extends, to: NodeId(0) };
        let mut ends = vec![nobody; total as usize];
        for from in counted() {
            for edge in self.edges_of(from) {
                let slot = &mut next[edge.to.index()];
                ends[*slot as usize] = Edge { relation: edge.relation, to: from };
                *slot += 1;
            }
        }
        for node in 0..nodes {
            ends[starts[node] as usize..starts[node + 1] as usize].sort_unstable();
        }
        Self { offsets: starts, edges: ends }
    }

    /// Returns the links of one entry.
    pub(super) fn edges_of(&self, node: NodeId) -> &[Edge] {
        let range = self.offsets.get(node.index()..node.index() + 2);
        let range = range.map_or(0..0, |ends| ends[0] as usize..ends[1] as usize);
        &self.edges[range]
    }

    /// Returns the links of one entry with one relation.
    pub(super) fn edges_with_relation(&self, node: NodeId, relation: Relation) -> &[Edge] {
        let all = self.edges_of(node);
        let start = all.partition_point(|edge| edge.relation < relation);
        let length = all[start..].partition_point(|edge| edge.relation == relation);
        &all[start..start + length]
    }

    /// Returns the number of links.
    pub(super) fn len(&self) -> usize {
        self.edges.len()
    }
}

/// Converts a count that is known to fit: nobody has four thousand million notes.
pub(super) fn to_u32(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
