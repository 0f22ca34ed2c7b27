//! The entries that supersede an entry. What nobody vouches for supersedes nothing that somebody
//! vouches for.

use std::collections::BTreeSet;

use super::Graph;
use super::node::NodeId;
use crate::item::Relation;

/// The successors of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Succession {
    /// The entries that state that they supersede it.
    pub direct: Vec<NodeId>,
    /// The newest successors, followed transitively: those that nothing supersedes. It is empty if
    /// they supersede each other in a cycle.
    pub newest: Vec<NodeId>,
}

impl Graph {
    /// Returns the successors of an entry, or `None` if nothing supersedes it.
    pub fn succession(&self, node: NodeId) -> Option<Succession> {
        let by = self.direct_successors(node).collect::<Vec<_>>();
        if by.is_empty() {
            return None;
        }
        let mut seen = by.iter().copied().collect::<BTreeSet<_>>();
        let mut open = by.clone();
        while let Some(next) = open.pop() {
            open.extend(self.direct_successors(next).filter(|newer| seen.insert(*newer)));
        }
        seen.remove(&node);
        let newest = seen.into_iter().filter(|found| !self.is_superseded(*found)).collect();
        Some(Succession { direct: by, newest })
    }

    /// Checks whether another entry states that it supersedes this one.
    pub fn is_superseded(&self, node: NodeId) -> bool {
        self.direct_successors(node).next().is_some()
    }

    fn direct_successors(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        let incoming = self.incoming.edges_with_relation(node, Relation::Supersedes).iter();
        let subject = self.node(node).vouching;
        let counts = move |other: &NodeId| self.node(*other).vouching.counts_against(subject);
        incoming.map(|edge| edge.to).filter(move |other| *other != node && counts(other))
    }
}
