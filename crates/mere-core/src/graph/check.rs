//! Finds problems in the links of a graph. Shadowed entries are ignored.

use std::sync::Arc;

use super::nearest_name::NearestNames;
use super::node::NodeId;
use super::resolve::Resolution;
use super::{Graph, UnresolvedLink, UnresolvedReason};
use crate::item::{ItemType, Relation};

/// The relations that must not form cycles.
const ACYCLIC: [Relation; 2] = [Relation::Extends, Relation::Supersedes];

/// Everything that was found, each list in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphReport {
    /// Links to entries that do not exist.
    pub dangling: Vec<DanglingLink>,
    /// Links that match several entries.
    pub ambiguous: Vec<AmbiguousLink>,
    /// Cycles in `extends` and `supersedes`.
    pub cycles: Vec<Cycle>,
    /// Pairs of entries that contradict each other.
    pub contradictions: Vec<Contradiction>,
    /// Knowledge entries without any link, in or out.
    pub orphans: Vec<NodeId>,
}

/// A link to an entry that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingLink {
    /// The entry that states the link.
    pub from: NodeId,
    /// The relation.
    pub relation: Relation,
    /// The name of the target, as written.
    pub target: Arc<str>,
    /// The entry that was probably meant.
    pub suggestion: Option<NodeId>,
}

/// A link that matches several entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousLink {
    /// The entry that states the link.
    pub from: NodeId,
    /// The relation.
    pub relation: Relation,
    /// The name of the target, as written.
    pub target: Arc<str>,
    /// The entries that it matches; the first twenty.
    pub candidates: Vec<NodeId>,
}

/// Entries that lead to each other in a cycle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// The relation.
    pub relation: Relation,
    /// The shortest cycle through the first entry; the last entry leads to the first.
    pub path: Vec<NodeId>,
    /// The number of other entries in the same strongly connected component.
    pub others: usize,
}

/// Two entries that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The two entries, in order.
    pub between: (NodeId, NodeId),
    /// A link that makes it an inconsistency: one entry also supersedes or extends the other.
    pub conflicting_link: Option<(NodeId, Relation)>,
}

impl GraphReport {
    /// Tells whether nothing needs fixing. Orphans and plain contradictions are only worth a look.
    pub fn is_sound(&self) -> bool {
        let is_consistent = self.contradictions.iter().all(|pair| pair.conflicting_link.is_none());
        self.dangling.is_empty()
            && self.ambiguous.is_empty()
            && self.cycles.is_empty()
            && is_consistent
    }
}

impl Graph {
    /// Looks for all kinds of problems.
    pub fn check(&self) -> GraphReport {
        GraphReport {
            dangling: self.dangling_links(),
            ambiguous: self.ambiguous_links(),
            cycles: ACYCLIC.into_iter().flat_map(|relation| self.find_cycles(relation)).collect(),
            contradictions: self.find_contradictions(),
            orphans: self.visible_ids().filter(|node| self.is_orphan(*node)).collect(),
        }
    }

    fn visible_ids(&self) -> impl Iterator<Item = NodeId> {
        self.ids().filter(|node| !self.node(*node).is_shadowed)
    }

    fn unresolved_because(
        &self,
        reason: UnresolvedReason,
    ) -> impl Iterator<Item = &UnresolvedLink> {
        let links = self.unresolved.iter().filter(move |link| link.reason == reason);
        links.filter(|link| !self.node(link.from).is_shadowed)
    }

    fn dangling_links(&self) -> Vec<DanglingLink> {
        let mut links = self.unresolved_because(UnresolvedReason::Dangling).peekable();
        if links.peek().is_none() {
            return Vec::new();
        }
        let mut nearest = NearestNames::new(self);
        let dangling = links.map(|link| DanglingLink {
            from: link.from,
            relation: link.relation,
            target: link.target.clone(),
            suggestion: nearest.find(&link.target),
        });
        dangling.collect()
    }

    fn ambiguous_links(&self) -> Vec<AmbiguousLink> {
        let ambiguous = self.unresolved_because(UnresolvedReason::Ambiguous).map(|link| {
            let found = self.resolve_text(self.node(link.from).kind, &link.target);
            let fits = if let Resolution::Several(fits) = found { fits } else { Vec::new() };
            let target = link.target.clone();
            AmbiguousLink { from: link.from, relation: link.relation, target, candidates: fits }
        });
        ambiguous.collect()
    }

    fn find_cycles(&self, relation: Relation) -> Vec<Cycle> {
        let cycles = self.strongly_connected_components(relation).into_iter().map(|component| {
            let path = self.shortest_cycle(relation, &component);
            let others = component.len().saturating_sub(path.len());
            Cycle { relation, path, others }
        });
        cycles.collect()
    }

    fn find_contradictions(&self) -> Vec<Contradiction> {
        let mut pairs = self
            .visible_ids()
            .flat_map(|node| {
                let edges = self.outgoing.edges_with_relation(node, Relation::Contradicts).iter();
                edges.map(move |edge| (node.min(edge.to), node.max(edge.to)))
            })
            .filter(|(one, other)| one != other)
            .collect::<Vec<_>>();
        pairs.sort_unstable();
        pairs.dedup();
        let contradictions = pairs.into_iter();
        contradictions
            .map(|between| Contradiction {
                between,
                conflicting_link: self.find_conflicting_link(between),
            })
            .collect()
    }

    fn find_conflicting_link(&self, (one, other): (NodeId, NodeId)) -> Option<(NodeId, Relation)> {
        let states = |from: NodeId, relation, to| {
            self.outgoing.edges_with_relation(from, relation).iter().any(|edge| edge.to == to)
        };
        let relations = [Relation::Supersedes, Relation::Extends];
        let mut ways = relations
            .into_iter()
            .flat_map(|relation| [(one, relation, other), (other, relation, one)]);
        ways.find(|(from, relation, to)| states(*from, *relation, *to))
            .map(|(from, relation, _)| (from, relation))
    }

    fn is_orphan(&self, node: NodeId) -> bool {
        let is_alone = |edges: &[super::edges::Edge]| edges.iter().all(|edge| edge.to == node);
        self.node(node).kind == ItemType::Knowledge
            && is_alone(self.outgoing.edges_of(node))
            && is_alone(self.incoming.edges_of(node))
            && self.unresolved_links(node).is_empty()
    }
}
