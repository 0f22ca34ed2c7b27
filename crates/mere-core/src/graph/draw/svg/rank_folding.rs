//! Ranks for a component with more layers than the drawing may have: the layers beyond the limit
//! are folded back, and then boxes move to where their links are shortest.
//!
//! Links may run backwards there, but never within a layer. If that is not possible, nothing is
//! folded.

use crate::graph::subgraph::DrawnLink;

/// The most passes in which boxes are moved.
const PASSES: usize = 24;
/// The costs of two linked boxes in one layer, of a backward link, and of a full layer.
const SAME_LAYER_COST: usize = 1_000;
const BACKWARD_COST: usize = 1;
const FULL_LAYER_COST: usize = 6;

/// The most layers, and the most boxes in each.
#[derive(Clone, Copy, Debug)]
pub(super) struct LayerLimits {
    pub(super) layers: usize,
    pub(super) boxes: usize,
}

/// Reduces the ranks to the allowed number of layers. Returns `None` if that is not possible.
pub(super) fn fold_ranks(
    ranks: &[usize],
    links: &[DrawnLink],
    limits: LayerLimits,
) -> Option<Vec<usize>> {
    let mut fold = RankFolding::new(ranks, links, limits);
    for _ in 0..PASSES {
        let mut is_better = false;
        for node in 0..ranks.len() {
            is_better |= fold.move_to_best_layer(node);
        }
        if !is_better {
            break;
        }
    }
    let clashes =
        |link: &DrawnLink| link.from != link.to && fold.ranks[link.from] == fold.ranks[link.to];
    (!links.iter().any(clashes)).then_some(fold.ranks)
}

struct RankFolding {
    ranks: Vec<usize>,
    limits: LayerLimits,
    /// The number of boxes in each layer.
    counts: Vec<usize>,
    /// The boxes that each box is linked to, and the order that the link asks for.
    neighbours: Vec<Vec<(usize, LayerOrder)>>,
}

/// The layer order that a link asks for, seen from a box.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LayerOrder {
    Before,
    After,
    Either,
}

impl RankFolding {
    fn new(ranks: &[usize], links: &[DrawnLink], limits: LayerLimits) -> Self {
        let last = limits.layers.max(2) - 1;
        let folded = ranks.iter().map(|rank| {
            let around = rank % (2 * last);
            if around <= last { around } else { 2 * last - around }
        });
        let ranks = folded.collect::<Vec<_>>();
        let mut counts = vec![0; last + 1];
        for rank in &ranks {
            counts[*rank] += 1;
        }
        let mut neighbours = vec![Vec::new(); ranks.len()];
        for link in links.iter().filter(|link| link.from != link.to) {
            let is_mutual = link.relation.is_symmetric();
            let (out, into) = if is_mutual {
                (LayerOrder::Either, LayerOrder::Either)
            } else {
                (LayerOrder::Before, LayerOrder::After)
            };
            neighbours[link.from].push((link.to, out));
            neighbours[link.to].push((link.from, into));
        }
        Self { ranks, limits, counts, neighbours }
    }

    /// Moves a box to its best layer, and tells whether that is another one.
    fn move_to_best_layer(&mut self, node: usize) -> bool {
        let old = self.ranks[node];
        let best = (0..self.counts.len()).min_by_key(|rank| (self.cost(node, *rank), *rank != old));
        let best = best.unwrap_or(old);
        self.counts[old] -= 1;
        self.counts[best] += 1;
        self.ranks[node] = best;
        best != old
    }

    fn cost(&self, node: usize, rank: usize) -> usize {
        let links = self.neighbours[node].iter().map(|(other, way)| {
            let other = self.ranks[*other];
            let is_back = *way == LayerOrder::Before && rank > other
                || *way == LayerOrder::After && rank < other;
            let length = if rank == other { SAME_LAYER_COST } else { rank.abs_diff(other) - 1 };
            length + if is_back { BACKWARD_COST } else { 0 }
        });
        let others = self.counts[rank] - usize::from(self.ranks[node] == rank);
        let over = (others + 1).saturating_sub(self.limits.boxes);
        links.sum::<usize>() + over.min(50) * FULL_LAYER_COST
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Relation;

    #[test]
    fn a_chain_goes_to_and_fro() {
        let links =
            (0..9).map(|from| DrawnLink { from, to: from + 1, relation: Relation::Extends });
        let links = links.collect::<Vec<_>>();
        let limits = LayerLimits { layers: 4, boxes: 4 };
        let found = fold_ranks(&(0..10).collect::<Vec<_>>(), &links, limits);
        assert_eq!(found, Some(vec![0, 1, 2, 3, 2, 1, 0, 1, 2, 3]));
    }
}
