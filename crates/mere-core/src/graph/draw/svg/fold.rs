//! Ranks for a part with more layers than a sheet is wide: the layers beyond are folded back, and
//! then boxes move to where their links are shortest.
//!
//! Links may go back there, but never within a layer. Where that cannot be had, nothing is folded.

use crate::graph::picture::Stroke;

/// How often boxes are moved.
const PASSES: usize = 24;
/// What it costs if two linked boxes are in one layer, if a link goes back, if a layer is full.
const CLASH: usize = 1_000;
const BACK: usize = 1;
const FULL: usize = 6;

/// How many layers there may be, and how many boxes in each.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) layers: usize,
    pub(super) boxes: usize,
}

/// The ranks with no more layers than there is room for, if they can be had.
pub(super) fn folded(ranks: &[usize], strokes: &[Stroke], room: Room) -> Option<Vec<usize>> {
    let mut fold = Fold::new(ranks, strokes, room);
    for _ in 0..PASSES {
        let mut is_better = false;
        for node in 0..ranks.len() {
            is_better |= fold.improve(node);
        }
        if !is_better {
            break;
        }
    }
    let clashes = |stroke: &Stroke| {
        stroke.from != stroke.to && fold.ranks[stroke.from] == fold.ranks[stroke.to]
    };
    (!strokes.iter().any(clashes)).then_some(fold.ranks)
}

struct Fold {
    ranks: Vec<usize>,
    room: Room,
    /// How many boxes are in each layer.
    counts: Vec<usize>,
    /// What each box is linked to, and whether the link leads to it.
    near: Vec<Vec<(usize, Way)>>,
}

/// Which end of a link should be in the earlier layer.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Before,
    After,
    Either,
}

impl Fold {
    fn new(ranks: &[usize], strokes: &[Stroke], room: Room) -> Self {
        let last = room.layers.max(2) - 1;
        let folded = ranks.iter().map(|rank| {
            let around = rank % (2 * last);
            if around <= last { around } else { 2 * last - around }
        });
        let ranks = folded.collect::<Vec<_>>();
        let mut counts = vec![0; last + 1];
        for rank in &ranks {
            counts[*rank] += 1;
        }
        let mut near = vec![Vec::new(); ranks.len()];
        for stroke in strokes.iter().filter(|stroke| stroke.from != stroke.to) {
            let is_mutual = stroke.relation.is_symmetric();
            let (out, into) =
                if is_mutual { (Way::Either, Way::Either) } else { (Way::Before, Way::After) };
            near[stroke.from].push((stroke.to, out));
            near[stroke.to].push((stroke.from, into));
        }
        Self { ranks, room, counts, near }
    }

    /// Moves a box to its best layer; whether that is another one.
    fn improve(&mut self, node: usize) -> bool {
        let old = self.ranks[node];
        let best = (0..self.counts.len()).min_by_key(|rank| (self.cost(node, *rank), *rank != old));
        let best = best.unwrap_or(old);
        self.counts[old] -= 1;
        self.counts[best] += 1;
        self.ranks[node] = best;
        best != old
    }

    fn cost(&self, node: usize, rank: usize) -> usize {
        let links = self.near[node].iter().map(|(other, way)| {
            let other = self.ranks[*other];
            let is_back = *way == Way::Before && rank > other || *way == Way::After && rank < other;
            let length = if rank == other { CLASH } else { rank.abs_diff(other) - 1 };
            length + if is_back { BACK } else { 0 }
        });
        let others = self.counts[rank] - usize::from(self.ranks[node] == rank);
        let over = (others + 1).saturating_sub(self.room.boxes);
        links.sum::<usize>() + over.min(50) * FULL
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Relation;

    #[test]
    fn a_chain_goes_to_and_fro() {
        let strokes = (0..9).map(|from| Stroke { from, to: from + 1, relation: Relation::Extends });
        let strokes = strokes.collect::<Vec<_>>();
        let room = Room { layers: 4, boxes: 4 };
        let found = folded(&(0..10).collect::<Vec<_>>(), &strokes, room);
        assert_eq!(found, Some(vec![0, 1, 2, 3, 2, 1, 0, 1, 2, 3]));
    }
}
