//! Assigns boxes to layers so that links go from one layer to a later one.
//!
//! Cycles are broken by reversing as few links as a greedy search finds (Eades, Lin and Smyth),
//! links are shortened, and a layer that is too long is split.

use std::cmp::Reverse;

use super::rank_folding::{LayerLimits, fold_ranks};
use crate::graph::subgraph::DrawnLink;

/// The number of passes in which boxes move nearer to their neighbours.
const PASSES: usize = 8;

/// Returns the layer of each of `count` boxes; no layer has more boxes than allowed.
pub(super) fn assign_ranks(count: usize, links: &[DrawnLink], limits: LayerLimits) -> Vec<usize> {
    let position = feedback_order(count, links);
    let ends = links.iter().filter(|link| link.from != link.to).map(|link| {
        let is_forward = position[link.from] < position[link.to];
        if is_forward { (link.from, link.to) } else { (link.to, link.from) }
    });
    let mut acyclic =
        AcyclicLinks { before: vec![Vec::new(); count], after: vec![Vec::new(); count] };
    for (from, to) in ends {
        acyclic.before[to].push(from);
        acyclic.after[from].push(to);
    }
    let mut order = (0..count).collect::<Vec<_>>();
    order.sort_unstable_by_key(|node| position[*node]);
    let mut ranks = vec![0; count];
    for node in &order {
        ranks[*node] = acyclic.earliest_rank(*node, &ranks);
    }
    for _ in 0..PASSES {
        for node in order.iter().rev().chain(&order) {
            ranks[*node] = acyclic.best_rank(*node, &ranks);
        }
    }
    let is_long = ranks.iter().any(|rank| *rank >= limits.layers);
    let folded = is_long.then(|| fold_ranks(&ranks, links, limits)).flatten();
    split_layers(&folded.unwrap_or(ranks), &acyclic, limits.boxes)
}

/// Returns each box's position in an order that most links follow; symmetric links are ignored.
fn feedback_order(count: usize, links: &[DrawnLink]) -> Vec<usize> {
    let mut balance = vec![(0_usize, 0_usize); count];
    let directed = links.iter().filter(|s| s.from != s.to && !s.relation.is_symmetric());
    let directed = directed.collect::<Vec<_>>();
    for link in &directed {
        balance[link.from].0 += 1;
        balance[link.to].1 += 1;
    }
    let mut position = vec![None; count];
    let (mut first, mut last) = (0, count);
    while first < last {
        let open = || (0..count).filter(|node| position[*node].is_none());
        let sink = open().find(|node| balance[*node].0 == 0);
        let source = || open().find(|node| balance[*node].1 == 0);
        let best = || {
            open().min_by_key(|node| {
                let (out, into) = balance[*node];
                (Reverse(out.saturating_sub(into)), *node)
            })
        };
        let Some(node) = sink.or_else(source).or_else(best) else { break };
        if sink.is_some() {
            last -= 1;
            position[node] = Some(last);
        } else {
            position[node] = Some(first);
            first += 1;
        }
        for link in directed.iter().filter(|s| s.from == node || s.to == node) {
            balance[link.from].0 = balance[link.from].0.saturating_sub(1);
            balance[link.to].1 = balance[link.to].1.saturating_sub(1);
        }
    }
    position.into_iter().map(Option::unwrap_or_default).collect()
}

/// The links of each box, directed so that there are no cycles.
struct AcyclicLinks {
    before: Vec<Vec<usize>>,
    after: Vec<Vec<usize>>,
}

impl AcyclicLinks {
    fn earliest_rank(&self, node: usize, ranks: &[usize]) -> usize {
        self.before[node].iter().map(|other| ranks[*other] + 1).max().unwrap_or(0)
    }

    /// Returns the layer in which a box's links are shortest if the others stay where they are.
    fn best_rank(&self, node: usize, ranks: &[usize]) -> usize {
        let earliest = self.earliest_rank(node, ranks);
        let latest = self.after[node].iter().map(|other| ranks[*other].saturating_sub(1)).min();
        let latest = latest.unwrap_or(earliest).max(earliest);
        match self.after[node].len().cmp(&self.before[node].len()) {
            std::cmp::Ordering::Greater => latest,
            std::cmp::Ordering::Less => earliest,
            std::cmp::Ordering::Equal => ranks[node].clamp(earliest, latest),
        }
    }
}

/// Removes empty layers, and splits those that are too long.
fn split_layers(ranks: &[usize], links: &AcyclicLinks, longest: usize) -> Vec<usize> {
    let mut layers = vec![Vec::new(); ranks.iter().max().map_or(0, |last| last + 1)];
    for (node, rank) in ranks.iter().enumerate() {
        layers[*rank].push(node);
    }
    let mut result = vec![0; ranks.len()];
    let mut next = 0;
    for mut layer in layers.into_iter().filter(|layer| !layer.is_empty()) {
        let parts = layer.len().div_ceil(longest.max(1));
        let size = layer.len().div_ceil(parts);
        // A box with more links to the layers before stays near them.
        let pull = |node: usize| (links.after[node].len(), Reverse(links.before[node].len()), node);
        if parts > 1 {
            layer.sort_unstable_by_key(|node| pull(*node));
        }
        for part in layer.chunks(size) {
            for node in part {
                result[*node] = next;
            }
            next += 1;
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::item::Relation;

    fn check(count: usize, links: &[(usize, usize)], longest: usize, expected: &[usize]) {
        let drawn = links.iter().map(|(from, to)| DrawnLink {
            from: *from,
            to: *to,
            relation: Relation::Extends,
        });
        let found = assign_ranks(
            count,
            &drawn.collect::<Vec<_>>(),
            LayerLimits { layers: 9, boxes: longest },
        );
        assert_eq!(found, expected, "{links:?}");
    }

    #[test]
    fn links_go_to_later_layers() {
        check(1, &[], 4, &[0]);
        check(1, &[(0, 0)], 4, &[0]);
        check(3, &[(0, 1), (1, 2)], 4, &[0, 1, 2]);
        check(4, &[(0, 1), (1, 2), (3, 2)], 4, &[0, 1, 2, 1]);
        check(2, &[(0, 1), (1, 0)], 4, &[0, 1]);
        check(5, &[(1, 0), (2, 0), (3, 0), (4, 0)], 2, &[2, 0, 0, 1, 1]);
    }
}
