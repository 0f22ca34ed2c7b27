//! What is wrong with the links of a graph. Shadowed entries are not looked at.

use std::sync::Arc;

use super::nearest::NearestNames;
use super::node::NodeId;
use super::resolve::Resolution;
use super::{Graph, UnresolvedLink, UnresolvedReason};
use crate::item::{ItemType, Relation};

/// The relations that must not lead back to where they began.
const ACYCLIC: [Relation; 2] = [Relation::Extends, Relation::Supersedes];

/// Everything that was found, each list in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GraphReport {
    /// Links to entries that are not there.
    pub dangling: Vec<DanglingLink>,
    /// Links that fit several entries.
    pub ambiguous: Vec<AmbiguousLink>,
    /// Circles in `extends` and `supersedes`.
    pub cycles: Vec<Cycle>,
    /// Pairs of entries that contradict each other.
    pub contradictions: Vec<Contradiction>,
    /// Knowledge entries without any link, in or out.
    pub orphans: Vec<NodeId>,
}

/// A link to an entry that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DanglingLink {
    /// The entry that states it.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// What it names, as written.
    pub target: Arc<str>,
    /// What it may have meant.
    pub suggestion: Option<NodeId>,
}

/// A link that fits several entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AmbiguousLink {
    /// The entry that states it.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// What it names, as written.
    pub target: Arc<str>,
    /// The entries it fits; the first twenty.
    pub candidates: Vec<NodeId>,
}

/// Entries that lead to each other in a circle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// By which relation.
    pub relation: Relation,
    /// The entries of the shortest circle through the first of them; the last leads to the first.
    pub path: Vec<NodeId>,
    /// How many more entries are in the same knot.
    pub others: usize,
}

/// Two entries that contradict each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The two, in order.
    pub between: (NodeId, NodeId),
    /// What makes it an inconsistency: one of them also supersedes or extends the other.
    pub conflicting_link: Option<(NodeId, Relation)>,
}

impl GraphReport {
    /// Whether nothing has to be mended: orphans and plain contradictions are worth a look, no more.
    pub fn is_sound(&self) -> bool {
        let is_consistent = self.contradictions.iter().all(|pair| pair.conflicting_link.is_none());
        self.dangling.is_empty()
            && self.ambiguous.is_empty()
            && self.cycles.is_empty()
            && is_consistent
    }
}

impl Graph {
    /// Looks for everything that is wrong.
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
        trouble: UnresolvedReason,
    ) -> impl Iterator<Item = &UnresolvedLink> {
        let loose = self.unresolved.iter().filter(move |loose| loose.reason == trouble);
        loose.filter(|loose| !self.node(loose.from).is_shadowed)
    }

    fn dangling_links(&self) -> Vec<DanglingLink> {
        let mut loose = self.unresolved_because(UnresolvedReason::Dangling).peekable();
        if loose.peek().is_none() {
            return Vec::new();
        }
        let mut nearest = NearestNames::new(self);
        let dangling = loose.map(|loose| DanglingLink {
            from: loose.from,
            relation: loose.relation,
            target: loose.target.clone(),
            suggestion: nearest.find(&loose.target),
        });
        dangling.collect()
    }

    fn ambiguous_links(&self) -> Vec<AmbiguousLink> {
        let ambiguous = self.unresolved_because(UnresolvedReason::Ambiguous).map(|loose| {
            let found = self.resolve_text(self.node(loose.from).kind, &loose.target);
            let fits = if let Resolution::Several(fits) = found { fits } else { Vec::new() };
            let target = loose.target.clone();
            AmbiguousLink { from: loose.from, relation: loose.relation, target, candidates: fits }
        });
        ambiguous.collect()
    }

    fn find_cycles(&self, relation: Relation) -> Vec<Cycle> {
        let cycles = self.strongly_connected_components(relation).into_iter().map(|knot| {
            let path = self.shortest_cycle(relation, &knot);
            let others = knot.len().saturating_sub(path.len());
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
        let mut ways =
            relations.into_iter().flat_map(|said| [(one, said, other), (other, said, one)]);
        ways.find(|(from, said, to)| states(*from, *said, *to)).map(|(from, said, _)| (from, said))
    }

    fn is_orphan(&self, node: NodeId) -> bool {
        let is_alone = |edges: &[super::edges::Edge]| edges.iter().all(|edge| edge.to == node);
        self.node(node).kind == ItemType::Knowledge
            && is_alone(self.outgoing.edges_of(node))
            && is_alone(self.incoming.edges_of(node))
            && self.unresolved_links(node).is_empty()
    }
}
