//! What is wrong with the links of a graph. Shadowed entries are not looked at.

use std::sync::Arc;

use super::nearest::Nearest;
use super::node::NodeId;
use super::resolve::Found;
use super::{Graph, Loose, Trouble};
use crate::item::{ItemType, Relation};

/// The relations that must not lead back to where they began.
const ACYCLIC: [Relation; 2] = [Relation::Extends, Relation::Supersedes];

/// Everything that was found, each list in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Check {
    /// Links to entries that are not there.
    pub dangling: Vec<Dangling>,
    /// Links that fit several entries.
    pub ambiguous: Vec<Ambiguous>,
    /// Circles in `extends` and `supersedes`.
    pub cycles: Vec<Cycle>,
    /// Pairs of entries that contradict each other.
    pub contradictions: Vec<Contradiction>,
    /// Knowledge entries without any link, in or out.
    pub orphans: Vec<NodeId>,
}

/// A link to an entry that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dangling {
    /// The entry that states it.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// What it names, as written.
    pub target: Arc<str>,
    /// What it may have meant.
    pub nearest: Option<NodeId>,
}

/// A link that fits several entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ambiguous {
    /// The entry that states it.
    pub from: NodeId,
    /// What it says.
    pub relation: Relation,
    /// What it names, as written.
    pub target: Arc<str>,
    /// The entries it fits; the first twenty.
    pub fits: Vec<NodeId>,
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
    pub although: Option<(NodeId, Relation)>,
}

impl Check {
    /// Whether nothing has to be mended: orphans and plain contradictions are worth a look, no more.
    pub fn is_sound(&self) -> bool {
        let is_consistent = self.contradictions.iter().all(|pair| pair.although.is_none());
        self.dangling.is_empty()
            && self.ambiguous.is_empty()
            && self.cycles.is_empty()
            && is_consistent
    }
}

impl Graph {
    /// Looks for everything that is wrong.
    pub fn check(&self) -> Check {
        Check {
            dangling: self.dangling(),
            ambiguous: self.ambiguous(),
            cycles: ACYCLIC.into_iter().flat_map(|relation| self.cycles(relation)).collect(),
            contradictions: self.contradictions(),
            orphans: self.counted().filter(|node| self.is_orphan(*node)).collect(),
        }
    }

    fn counted(&self) -> impl Iterator<Item = NodeId> {
        self.ids().filter(|node| !self.node(*node).is_shadowed)
    }

    fn in_trouble(&self, trouble: Trouble) -> impl Iterator<Item = &Loose> {
        let loose = self.loose.iter().filter(move |loose| loose.trouble == trouble);
        loose.filter(|loose| !self.node(loose.from).is_shadowed)
    }

    fn dangling(&self) -> Vec<Dangling> {
        let mut loose = self.in_trouble(Trouble::Dangling).peekable();
        if loose.peek().is_none() {
            return Vec::new();
        }
        let mut nearest = Nearest::new(self);
        let dangling = loose.map(|loose| Dangling {
            from: loose.from,
            relation: loose.relation,
            target: loose.target.clone(),
            nearest: nearest.find(&loose.target),
        });
        dangling.collect()
    }

    fn ambiguous(&self) -> Vec<Ambiguous> {
        let ambiguous = self.in_trouble(Trouble::Ambiguous).map(|loose| {
            let found = self.resolve_text(self.node(loose.from).kind, &loose.target);
            let fits = if let Found::Several(fits) = found { fits } else { Vec::new() };
            let target = loose.target.clone();
            Ambiguous { from: loose.from, relation: loose.relation, target, fits }
        });
        ambiguous.collect()
    }

    fn cycles(&self, relation: Relation) -> Vec<Cycle> {
        let cycles = self.knots(relation).into_iter().map(|knot| {
            let path = self.circle(relation, &knot);
            let others = knot.len().saturating_sub(path.len());
            Cycle { relation, path, others }
        });
        cycles.collect()
    }

    fn contradictions(&self) -> Vec<Contradiction> {
        let mut pairs = self
            .counted()
            .flat_map(|node| {
                let edges = self.outgoing.by(node, Relation::Contradicts).iter();
                edges.map(move |edge| (node.min(edge.to), node.max(edge.to)))
            })
            .filter(|(one, other)| one != other)
            .collect::<Vec<_>>();
        pairs.sort_unstable();
        pairs.dedup();
        let contradictions = pairs.into_iter();
        contradictions
            .map(|between| Contradiction { between, although: self.although(between) })
            .collect()
    }

    fn although(&self, (one, other): (NodeId, NodeId)) -> Option<(NodeId, Relation)> {
        let states = |from: NodeId, relation, to| {
            self.outgoing.by(from, relation).iter().any(|edge| edge.to == to)
        };
        let relations = [Relation::Supersedes, Relation::Extends];
        let mut ways =
            relations.into_iter().flat_map(|said| [(one, said, other), (other, said, one)]);
        ways.find(|(from, said, to)| states(*from, *said, *to)).map(|(from, said, _)| (from, said))
    }

    fn is_orphan(&self, node: NodeId) -> bool {
        let is_alone = |edges: &[super::edges::Edge]| edges.iter().all(|edge| edge.to == node);
        self.node(node).kind == ItemType::Knowledge
            && is_alone(self.outgoing.of(node))
            && is_alone(self.incoming.of(node))
            && self.loose(node).is_empty()
    }
}
