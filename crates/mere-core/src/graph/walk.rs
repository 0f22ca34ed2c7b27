//! A breadth-first walk around an entry, with each entry at its smallest distance, grouped by every
//! relation that leads to it there.
//!
//! A symmetric link counts whichever end states it, so it is followed in every direction.

use std::collections::{BTreeMap, HashSet};

use super::depth::WalkDepth;
use super::direction::Direction;
use super::edges::Edge;
use super::node::NodeId;
use super::relation_set::RelationSet;
use super::{Graph, UnresolvedLink};
use crate::item::Relation;

/// The most entries that a walk returns unless the caller says otherwise.
const DEFAULT_LIMIT: usize = 1_000;

/// The options of a walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// The largest distance.
    pub depth: WalkDepth,
    /// The direction in which links are followed.
    pub direction: Direction,
    /// The relations that are followed.
    pub relations: RelationSet,
    /// The most entries to return.
    pub limit: usize,
}

impl Default for WalkOptions {
    fn default() -> Self {
        let (depth, direction) = (WalkDepth::default(), Direction::default());
        Self { depth, direction, relations: RelationSet::ALL, limit: DEFAULT_LIMIT }
    }
}

/// The result of a walk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedEntries {
    /// The entries by relation and direction of the links that lead to each, nearest first. An
    /// entry occurs once in each group.
    pub groups: BTreeMap<(Relation, Direction), Vec<ReachedEntry>>,
    /// The number of entries beyond the limit.
    pub omitted_count: usize,
}

/// An entry that a walk reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReachedEntry {
    /// The entry.
    pub node: NodeId,
    /// The distance in links.
    pub distance: u8,
    /// The entry it was reached from.
    pub via: NodeId,
}

/// A link as it is seen from one of its ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct WalkStep {
    pub(super) relation: Relation,
    pub(super) direction: Direction,
    pub(super) to: NodeId,
}

impl Graph {
    /// Finds the entries around an entry.
    pub fn walk(&self, from: NodeId, walk: &WalkOptions) -> RelatedEntries {
        let mut groups = BTreeMap::<_, Vec<_>>::new();
        let ways = self.shortest_paths(from, walk);
        let found = first_paths(&ways).map(|(step, _)| step.to).collect::<Vec<_>>();
        let shown = found.iter().take(walk.limit).copied().collect::<HashSet<_>>();
        let mut seen = HashSet::new();
        for (step, reached) in ways {
            if shown.contains(&step.to) && seen.insert(step) {
                groups.entry((step.relation, step.direction)).or_default().push(reached);
            }
        }
        RelatedEntries { groups, omitted_count: found.len() - shown.len() }
    }

    /// Returns the links of an entry that lead to no entry, or to several.
    pub fn unresolved_links(&self, from: NodeId) -> &[UnresolvedLink] {
        let start = self.unresolved.partition_point(|link| link.from < from);
        let length = self.unresolved[start..].partition_point(|link| link.from == from);
        &self.unresolved[start..start + length]
    }

    /// Returns the entries around one in the order of the walk, each with the first step to it.
    pub(super) fn reachable_entries(
        &self,
        from: NodeId,
        walk: &WalkOptions,
    ) -> Vec<(WalkStep, ReachedEntry)> {
        first_paths(&self.shortest_paths(from, walk)).copied().collect()
    }

    /// Returns the last step of every shortest path to the entries around one, in the order of the
    /// walk.
    fn shortest_paths(&self, from: NodeId, walk: &WalkOptions) -> Vec<(WalkStep, ReachedEntry)> {
        let mut distances = vec![None; self.nodes.len()];
        let mut ways = Vec::new();
        let mut frontier = vec![from];
        if let Some(own) = distances.get_mut(from.index()) {
            *own = Some(0);
        }
        for distance in 1..=walk.depth.get() {
            let mut next = Vec::new();
            for via in frontier {
                for step in self.steps(via, walk) {
                    let known = &mut distances[step.to.index()];
                    if known.is_none() {
                        next.push(step.to);
                    }
                    if *known.get_or_insert(distance) == distance {
                        ways.push((step, ReachedEntry { node: step.to, distance, via }));
                    }
                }
            }
            frontier = next;
        }
        ways
    }

    /// Returns the links of one entry that a walk follows, in order, each once.
    pub(super) fn steps(&self, node: NodeId, walk: &WalkOptions) -> Vec<WalkStep> {
        let as_step = |edge: &Edge, direction| {
            let direction = if edge.relation.is_symmetric() { Direction::Both } else { direction };
            WalkStep { relation: edge.relation, direction, to: edge.to }
        };
        let outgoing = self.outgoing.edges_of(node).iter();
        let incoming = self.incoming.edges_of(node).iter();
        let mut steps = outgoing
            .map(|edge| as_step(edge, Direction::Outgoing))
            .chain(incoming.map(|edge| as_step(edge, Direction::Incoming)))
            .filter(|step| walk.relations.contains(step.relation))
            .filter(|step| walk.direction.accepts(step.direction))
            .collect::<Vec<_>>();
        steps.sort_unstable();
        steps.dedup();
        steps
    }
}

/// Returns the first path to each entry.
fn first_paths(
    ways: &[(WalkStep, ReachedEntry)],
) -> impl Iterator<Item = &(WalkStep, ReachedEntry)> {
    let mut seen = HashSet::new();
    ways.iter().filter(move |(step, _)| seen.insert(step.to))
}
