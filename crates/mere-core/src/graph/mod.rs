//! The graph of entries: their resolved links, and what follows from them.
//!
//! A [`Graph`] is built from entries that somebody else has read ([`GraphBuilder`]); it knows no
//! files and holds no bodies. It answers what is around an entry ([`WalkOptions`]), what superseded
//! it ([`Succession`]) and what is wrong ([`GraphReport`]), and it is drawn through a [`Subgraph`].
//! Every answer is the same for the same entries, in whatever order they were added.

mod build;
mod check;
mod cycles;
mod depth;
mod direction;
mod draw;
mod edges;
mod label;
mod link;
mod nearest_name;
mod node;
mod relation_set;
mod resolve;
mod subgraph;
mod succession;
mod walk;

use std::sync::Arc;

pub use build::GraphBuilder;
pub use check::{AmbiguousLink, Contradiction, Cycle, DanglingLink, GraphReport};
pub use depth::{WalkDepth, WalkDepthError};
pub use direction::{Direction, DirectionError};
pub use link::Link;
pub use node::{GraphEntry, Node, NodeId};
pub use relation_set::RelationSet;
pub use resolve::Resolution;
pub use subgraph::Subgraph;
pub use succession::Succession;
pub use walk::{ReachedEntry, RelatedEntries, WalkOptions};

use crate::item::{Relation, ScopedPath};
use edges::AdjacencyList;

/// Entries and their links.
#[derive(Debug, Default)]
pub struct Graph {
    /// Sorted by category, id, type and scope.
    nodes: Vec<Node>,
    /// The entries that are not shadowed, sorted by id, type, scope and category.
    by_id: Vec<NodeId>,
    outgoing: AdjacencyList,
    /// Without the links that shadowed entries state.
    incoming: AdjacencyList,
    /// Sorted by the entry that states them.
    unresolved: Vec<UnresolvedLink>,
}

/// A link that does not lead to exactly one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedLink {
    /// The entry that states the link.
    pub from: NodeId,
    /// The relation.
    pub relation: Relation,
    /// The name of the target, as written.
    pub target: Arc<str>,
    /// The reason why the link is unresolved.
    pub reason: UnresolvedReason,
}

/// The reason why a link is unresolved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnresolvedReason {
    /// There is no such entry.
    Dangling,
    /// Several categories of one scope have an entry with that id.
    Ambiguous,
}

impl Graph {
    /// Returns the number of entries, including shadowed ones.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Tells whether there are no entries.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the number of links that lead to an entry.
    pub fn link_count(&self) -> usize {
        self.outgoing.len()
    }

    /// Returns every entry, in order.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..edges::to_u32(self.nodes.len())).map(NodeId)
    }

    /// Returns an entry. The id must come from this graph.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// Finds the entry at a path, shadowed or not.
    pub fn node_at(&self, place: &ScopedPath) -> Option<NodeId> {
        let key = (&place.category, &place.id, place.kind, place.scope);
        let found = self.nodes.binary_search_by(|node| node.sort_key().cmp(&key));
        found.ok().map(|at| NodeId(edges::to_u32(at)))
    }
}
