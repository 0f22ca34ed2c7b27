//! How entries hang together: their links, resolved, and what follows from them.
//!
//! A [`Graph`] is made of entries that somebody else has read ([`Builder`]); it knows no files and
//! holds no bodies. It answers what is around an entry ([`Walk`]), what took its place
//! ([`Succession`]) and what is wrong ([`Check`]), and it is drawn through a [`Picture`]. Every
//! answer is the same for the same entries, in whatever order they came.

mod build;
mod check;
mod cycles;
mod depth;
mod direction;
mod draw;
mod edges;
mod label;
mod link;
pub(crate) mod nearest;
mod node;
mod picture;
mod relations;
mod resolve;
mod succession;
mod walk;

use std::sync::Arc;

pub use build::GraphBuilder;
pub use check::{AmbiguousLink, Contradiction, Cycle, DanglingLink, GraphReport};
pub use depth::{WalkDepth, WalkDepthError};
pub use direction::{Direction, DirectionError};
pub use link::Link;
pub use node::{GraphEntry, Node, NodeId};
pub use picture::Subgraph;
pub use relations::RelationSet;
pub use resolve::Resolution;
pub use succession::Succession;
pub use walk::{ReachedEntry, RelatedEntries, WalkOptions};

use crate::item::{Relation, ScopedPath};
use edges::AdjacencyList;

/// Entries and their links.
#[derive(Debug, Default)]
pub struct Graph {
    /// By category, id, type and scope.
    nodes: Vec<Node>,
    /// Those that are not shadowed, by id, type, scope and category.
    by_id: Vec<NodeId>,
    outgoing: AdjacencyList,
    /// Without what shadowed entries state.
    incoming: AdjacencyList,
    /// By the entry that states them.
    unresolved: Vec<UnresolvedLink>,
}

/// A link that leads to no one entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnresolvedLink {
    /// The entry that states it.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// What it names, as written.
    pub target: Arc<str>,
    /// Why it leads nowhere.
    pub reason: UnresolvedReason,
}

/// Why a link leads nowhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnresolvedReason {
    /// There is no such entry.
    Dangling,
    /// Several categories of one scope have that id.
    Ambiguous,
}

impl Graph {
    /// How many entries there are, shadowed ones included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// How many links lead to an entry.
    pub fn link_count(&self) -> usize {
        self.outgoing.len()
    }

    /// Every entry, in order.
    pub fn ids(&self) -> impl Iterator<Item = NodeId> + use<> {
        (0..edges::to_u32(self.nodes.len())).map(NodeId)
    }

    /// An entry. The id has to be one of this graph.
    pub fn node(&self, id: NodeId) -> &Node {
        &self.nodes[id.index()]
    }

    /// The entry that lies at a place, shadowed or not.
    pub fn node_at(&self, place: &ScopedPath) -> Option<NodeId> {
        let key = (&place.category, &place.id, place.kind, place.scope);
        let found = self.nodes.binary_search_by(|node| node.sort_key().cmp(&key));
        found.ok().map(|at| NodeId(edges::to_u32(at)))
    }
}
