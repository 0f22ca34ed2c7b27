//! Orders the vertices within layers so that few links cross. Sweeps put each vertex at the mean
//! position of its neighbours, then adjacent vertices are swapped. The best order found is kept.

use super::layer_graph::LayerGraph;

/// The number of sweeps over the layers.
const SWEEPS: usize = 14;
/// The most rounds of swaps in a sweep.
const MAX_SWAP_ROUNDS: usize = 6;
/// The resolution of a mean position.
const MEAN_SCALE: usize = 1_000;

impl LayerGraph {
    /// Finds an order with few crossings.
    pub(super) fn reduce_crossings(&mut self) {
        let mut best = (self.count_crossings(), self.layers.clone());
        for sweep in 0..SWEEPS {
            let is_back = sweep % 2 == 1;
            let count = self.layers.len();
            for step in 1..count {
                let layer = if is_back { count - 1 - step } else { step };
                let near = if is_back { &self.after } else { &self.before };
                self.layers[layer] = self.sort_by_neighbours(layer, near);
            }
            self.swap_adjacent();
            let crossings = self.count_crossings();
            if crossings < best.0 {
                best = (crossings, self.layers.clone());
            }
        }
        self.layers = best.1;
    }

    /// Returns the position of each vertex in its layer.
    pub(super) fn positions(&self) -> Vec<usize> {
        let mut positions = vec![0; self.vertices.len()];
        for layer in &self.layers {
            for (position, vertex) in layer.iter().enumerate() {
                positions[*vertex] = position;
            }
        }
        positions
    }

    /// Sorts a layer by the mean positions of its vertices' neighbours.
    fn sort_by_neighbours(&self, layer: usize, neighbours: &[Vec<usize>]) -> Vec<usize> {
        let positions = self.positions();
        let middle = |vertex: usize| {
            let near = &neighbours[vertex];
            let sum = near.iter().map(|other| positions[*other] * MEAN_SCALE).sum::<usize>();
            sum.checked_div(near.len())
        };
        let mut sorted = self.layers[layer].iter().map(|v| (middle(*v), *v)).collect::<Vec<_>>();
        let mut moving = sorted.iter().copied().filter(|(at, _)| at.is_some()).collect::<Vec<_>>();
        moving.sort_by_key(|(at, _)| *at);
        let mut moving = moving.into_iter();
        // A vertex without neighbours on that side stays where it is.
        for slot in sorted.iter_mut().filter(|(at, _)| at.is_some()) {
            *slot = moving.next().unwrap_or(*slot);
        }
        sorted.into_iter().map(|(_, vertex)| vertex).collect()
    }

    fn swap_adjacent(&mut self) {
        let mut positions = self.positions();
        for _ in 0..MAX_SWAP_ROUNDS {
            let mut is_better = false;
            for layer in 0..self.layers.len() {
                for at in 1..self.layers[layer].len() {
                    let (one, other) = (self.layers[layer][at - 1], self.layers[layer][at]);
                    if self.swap_gain(one, other, &positions) > 0 {
                        self.layers[layer].swap(at - 1, at);
                        positions.swap(one, other);
                        is_better = true;
                    }
                }
            }
            if !is_better {
                break;
            }
        }
    }

    /// Returns the number of crossings saved by swapping two adjacent vertices.
    fn swap_gain(&self, one: usize, other: usize, positions: &[usize]) -> i32 {
        let mut gain = 0;
        for near in [&self.before, &self.after] {
            for a in &near[one] {
                for b in &near[other] {
                    gain += match positions[*a].cmp(&positions[*b]) {
                        std::cmp::Ordering::Greater => 1,
                        std::cmp::Ordering::Less => -1,
                        std::cmp::Ordering::Equal => 0,
                    };
                }
            }
        }
        gain
    }

    /// Counts the pairs of links that cross.
    fn count_crossings(&self) -> i64 {
        let positions = self.positions();
        let layers = self.layers.iter().map(|layer| {
            let mut crossings = 0_i64;
            let mut tally = FenwickTree::new(self.vertices.len());
            for vertex in layer {
                for other in &self.after[*vertex] {
                    crossings += i64::from(tally.count_above(positions[*other]));
                }
                for other in &self.after[*vertex] {
                    tally.add(positions[*other]);
                }
            }
            crossings
        });
        layers.sum()
    }
}

/// A Fenwick tree, which counts positions and sums the counts quickly.
struct FenwickTree {
    sums: Vec<i32>,
    total: i32,
}

impl FenwickTree {
    fn new(size: usize) -> Self {
        Self { sums: vec![0; size + 1], total: 0 }
    }

    fn add(&mut self, position: usize) {
        self.total += 1;
        let mut at = position + 1;
        while at < self.sums.len() {
            self.sums[at] += 1;
            at += at & at.wrapping_neg();
        }
    }

    /// Counts the positions that are greater.
    fn count_above(&self, position: usize) -> i32 {
        let mut at = position + 1;
        let mut below = 0;
        while at > 0 {
            below += self.sums[at];
            at -= at & at.wrapping_neg();
        }
        self.total - below
    }
}
